"""`primitive`: a function of plain arrays whose derivatives are given apart from it.

A call is one entry of the tape. The function runs on plain arrays, so no derivative sees what it
does; its rules are looked up when a walk reaches the entry. Arguments may be containers of arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ... import tree
from ...backend import is_inexact
from ...core.array import Array
from ...core.op import Op, table
from ...core.record import raw, record
from ...numpy.reading import any_recorded, read, replaced
from ...transforms.arguments import name_of, zeros_like
from ...transforms.custom import detached, fitted, plain_results
from ...transforms.custom_vjp import leaves_up_to
from ...transforms.flat import is_array
from ...transforms.rules import pull_function
from . import errors
from .substitution import subval

Function = Callable[..., Any]

primitive_vjps: dict[Function, Function] = {}
"""By primitive: ``maker(argnums, ans, args, kwargs)`` gives ``vjp(g)``, a cotangent an argnum."""

primitive_jvps: dict[Function, Function] = {}
"""By primitive: ``rule(argnums, gs, ans, args, kwargs)`` gives the result's tangent."""

untraced: set[Function] = set()
"""The primitives without derivative: they run on values, and nothing is recorded."""

boxes: set[type] = set()
"""The classes of what stands for traced values that are no arrays: `Box.register` enters them."""


def primitive(f_raw: Function) -> Function:
    """`f_raw` as a single operation, whose derivatives `defvjp` and `defjvp` give.

    It is called with plain arrays in place of traced ones, wherever they are in the positional
    arguments: directly, or inside of lists, tuples and dictionaries.

    >>> from tapegrad.compat.autograd import grad
    >>> from tapegrad.compat.autograd.extend import defvjp
    >>> @primitive
    ... def square(x):
    ...     return x * x
    >>> defvjp(square, lambda ans, x: lambda g: 2 * x * g)
    >>> float(grad(square)(3.0))
    6.0
    """

    @functools.wraps(f_raw, updated=())
    def f(*args: Any, **kwargs: Any) -> Any:
        if not any_recorded(args) and boxes.isdisjoint(map(type, args)):
            return f_raw(*args, **kwargs)
        if f in untraced:
            return f_raw(*values(args, name_of(f_raw)), **kwargs)
        if any_recorded(kwargs):
            raise errors.traced_keyword(name_of(f_raw))
        call = Call(f, f_raw, args, kwargs)
        return call.record(call.inputs)

    vars(f).update(fun=f_raw, _is_autograd_primitive=True)
    return f


def notrace_primitive(f_raw: Function) -> Function:
    """`f_raw`, called with plain arrays in place of traced ones: its result is a constant."""

    @functools.wraps(f_raw, updated=())
    def f(*args: Any, **kwargs: Any) -> Any:
        return f_raw(*values(args, name_of(f_raw)), **kwargs)

    return f


def values(args: tuple[Any, ...], what: str) -> tuple[Any, ...]:
    """Arguments, with plain arrays in place of traced ones, and values in place of boxes."""
    plain = replaced(args, lambda x: read(x, what))
    return tuple(x._value if type(x) in boxes else x for x in plain)


class Call:
    """One call of a primitive: what puts arrays into its arguments, and its rules' results apart.

    `inputs` are the traced arrays among the leaves of the arguments, in order. They are on the tape
    that keeps this, so only their places are kept: `places` has an argnum and a leaf for each.
    """

    __slots__ = ("f", "f_raw", "inputs", "kwargs", "leaves", "places", "result", "structures")

    def __init__(
        self, f: Function, f_raw: Function, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.f = f
        self.f_raw = f_raw
        self.kwargs = kwargs
        self.leaves: list[list[Any]] = []
        self.structures: list[Any] = []
        self.places: list[tuple[int, int]] = []
        self.inputs: tuple[Any, ...] = ()
        self.result: Any = None  # the structure of the result, once the function ran
        for argnum, arg in enumerate(args):
            leaves, structure = tree.flatten(arg)
            if type(arg) in boxes:  # its cotangent is a value
                structure = tree.structure(arg._value)
            for i, x in enumerate(leaves):
                if isinstance(x, Array):
                    self.places.append((argnum, i))
                    self.inputs += (x,)
                    leaves[i] = None
            self.leaves.append(leaves)
            self.structures.append(structure)

    def record(self, inputs: Sequence[Any]) -> Any:
        """The result for some inputs, as one entry."""
        self.inputs = ()
        outs = self.append(inputs)
        return tree.unflatten(self.result, outs)

    def append(self, inputs: Sequence[Any]) -> Sequence[Any]:
        """The leaves of the result for some inputs, as one entry."""
        with detached():
            result = self.f_raw(*self.args(list(map(raw, inputs))), **self.kwargs)
            leaves, self.result = tree.flatten(result)
            outs = plain_results("primitive", name_of(self.f_raw), leaves)
        if not outs:
            return ()
        return record(operation(len(outs)), tuple(inputs), {"call": self}, tuple(outs))

    def args(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """The positional arguments, with `arrays` for the inputs."""
        leaves = [list(own) for own in self.leaves]
        for (argnum, i), x in zip(self.places, arrays, strict=True):
            leaves[argnum][i] = x
        return tuple(map(tree.unflatten, self.structures, leaves))

    def argnums(self, chosen: Sequence[bool]) -> tuple[int, ...]:
        """The arguments that the chosen inputs are in."""
        pairs = zip(self.places, chosen, strict=True)
        return tuple(dict.fromkeys(argnum for (argnum, _), has in pairs if has))

    def pull(
        self, wanted: Sequence[bool], inputs: Sequence[Any], out: Sequence[Any], gs: Sequence[Any]
    ) -> list[Any]:
        """The inputs' cotangents, None for those not wanted."""
        maker = primitive_vjps.get(self.f)
        argnums = self.argnums(wanted)
        if maker is None:
            if self.f not in primitive_jvps:
                raise errors.no_rule("VJP", name_of(self.f_raw), argnums)
            return self.pull_by_pushing(wanted, inputs, out, gs)
        ans = tree.unflatten(self.result, out)
        vjp = maker(argnums, ans, self.args(inputs), self.kwargs)
        pulled = tuple(vjp(tree.unflatten(self.result, gs)))
        flat: dict[int, list[Any]] = {}
        for argnum, d in zip(argnums, pulled, strict=True):
            what = f"the cotangent of argument {argnum} from the VJP of {name_of(self.f_raw)}"
            flat[argnum] = parts(self.structures[argnum], d, what)
        return [
            None if not want or flat[argnum][i] is None else fitted(flat[argnum][i], x, what)
            for (argnum, i), want, x in zip(self.places, wanted, inputs, strict=True)
        ]

    def push(self, tangents: Sequence[Any], inputs: Sequence[Any], out: Sequence[Any]) -> list[Any]:
        """The tangents of the results, for those of the inputs (None where there is none)."""
        argnums = self.argnums([t is not None for t in tangents])
        rule = primitive_jvps.get(self.f)
        if rule is None:
            if self.f not in primitive_vjps:
                raise errors.no_rule("JVP", name_of(self.f_raw), argnums)
            return self.push_by_pulling(tangents, inputs, out)
        directions = [
            [zeros_like(x) if is_array(x) else x for x in self.leaves[argnum]] for argnum in argnums
        ]
        for (argnum, i), t, x in zip(self.places, tangents, inputs, strict=True):
            if argnum in argnums:
                directions[argnums.index(argnum)][i] = zeros_like(x) if t is None else t
        gs = [
            tree.unflatten(self.structures[argnum], own)
            for argnum, own in zip(argnums, directions, strict=True)
        ]
        ans = tree.unflatten(self.result, out)
        pushed = rule(argnums, gs, ans, self.args(inputs), self.kwargs)
        what = f"the tangent from the JVP of {name_of(self.f_raw)}"
        flat = parts(self.result, pushed, what)
        return [None if t is None else fitted(t, y, what) for t, y in zip(flat, out, strict=True)]

    def pull_by_pushing(
        self, wanted: Sequence[bool], inputs: Sequence[Any], out: Sequence[Any], gs: Sequence[Any]
    ) -> list[Any]:
        """As `pull`, by the rule for tangents: it is linear, and is transposed."""

        def push(*tangents: Any) -> list[Any]:
            return self.push(tangents, inputs, out)

        zeros = [zeros_like(x) for x in inputs]
        return pull_function(name_of(self.f_raw), push, zeros, wanted, gs)

    def push_by_pulling(
        self, tangents: Sequence[Any], inputs: Sequence[Any], out: Sequence[Any]
    ) -> list[Any]:
        """As `push`, by the rule for cotangents: it is linear, and is transposed."""
        wanted = [t is not None for t in tangents]
        given = [i for i, want in enumerate(wanted) if want]

        def pull(*gs: Any) -> list[Any]:
            pulled = self.pull(wanted, inputs, out, gs)
            return [zeros_like(inputs[i]) if pulled[i] is None else pulled[i] for i in given]

        gs = [zeros_like(y) for y in out]
        flows = [is_inexact(y.dtype) for y in out]
        return pull_function(name_of(self.f_raw), pull, gs, flows, [tangents[i] for i in given])


def parts(structure: Any, d: Any, what: str) -> list[Any]:
    """The leaves of a derivative that a rule gave, checked to be of a structure."""
    return tree.leaves(d) if type(d) in boxes else leaves_up_to(structure, d, what)


@functools.cache
def operation(outputs: int) -> Op:
    """The operation of calls with so many results."""

    def function(*inputs: Any, call: Call) -> tuple[Any, ...]:
        return tuple(call.append(inputs))

    return Op(
        "primitive",
        forward=lambda _xp, *inputs, **params: function(*inputs, **params),
        vjp=_pull,
        jvp=_push,
        batch=_batch,
        joint=True,
        steep=True,  # for all that is known
        outputs=outputs,
        function=function,
        doc="A function of plain arrays, with the rules that were given for it.",
    )


def _pull(
    g: tuple[Any, ...],
    out: tuple[Any, ...],
    *inputs: Any,
    wanted: tuple[bool, ...],
    call: Call,
) -> list[Any]:
    gs = [zeros_like(y) if d is None else d for y, d in zip(out, g, strict=True)]
    return call.pull(wanted, inputs, out, gs)


def _push(
    tangents: tuple[Any, ...], out: tuple[Any, ...], *inputs: Any, call: Call
) -> tuple[Any, ...]:
    return tuple(call.push(tangents, inputs, out))


def _batch(
    function: Function, mapped: tuple[bool, ...], *inputs: Any, **params: Any
) -> tuple[Any, ...]:
    """Lane by lane: the function knows plain arrays only."""
    (lanes,) = {x.shape[0] for x, has in zip(inputs, mapped, strict=True) if has}
    index, stack = table["getitem"].function, table["stack"].function
    rows = [
        function(
            *(index(x, key=(i,)) if has else x for x, has in zip(inputs, mapped, strict=True)),
            **params,
        )
        for i in range(lanes)
    ]
    return tuple(stack(*column, axis=0) for column in zip(*rows, strict=True))


def register_notrace(_node_type: Any, primitive_fun: Function) -> None:
    """Say that a primitive has no derivative: it runs on values, and gives constants."""
    untraced.add(checked("register_notrace", primitive_fun))


def checked(name: str, fun: Function) -> Function:
    """`fun`, which must be a primitive: nobody would look up the rules of another function."""
    if not getattr(fun, "_is_autograd_primitive", False):
        raise errors.not_primitive(name, name_of(fun))
    return fun


def defvjp_argnums(fun: Function, vjpmaker: Function) -> None:
    """Give the cotangents of all arguments that are asked for at once.

    ``vjpmaker(argnums, ans, args, kwargs)`` gives ``vjp(g)``, with a cotangent for each of argnums.
    """
    primitive_vjps[checked("defvjp_argnums", fun)] = vjpmaker


def defvjp_argnum(fun: Function, vjpmaker: Function) -> None:
    """Give each argument's cotangent: ``vjpmaker(argnum, ans, args, kwargs)`` gives ``vjp(g)``."""

    def maker(argnums: tuple[int, ...], *call: Any) -> Function:
        vjps = [vjpmaker(argnum, *call) for argnum in argnums]
        return lambda g: [vjp(g) for vjp in vjps]

    defvjp_argnums(fun, maker)


def defvjp(
    fun: Function, *vjpmakers: Function | None, argnums: Sequence[int] | None = None
) -> None:
    """Give a rule an argument, in order or for `argnums`: ``maker(ans, *args, **kwargs)`` gives
    ``vjp(g)``, and None stands for zeros."""
    makers = rules_by_argnum("VJP", fun, vjpmakers, argnums)

    def maker(argnum: int, ans: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Function:
        if argnum not in makers:
            raise errors.no_rule("VJP", name_of(fun), (argnum,))
        chosen = makers[argnum]
        return (lambda _g: None) if chosen is None else chosen(ans, *args, **kwargs)

    defvjp_argnum(fun, maker)


def defjvp_argnums(fun: Function, jvpmaker: Function) -> None:
    """Give the result's tangent for those of all arguments that vary:
    ``jvpmaker(argnums, gs, ans, args, kwargs)``."""
    primitive_jvps[checked("defjvp_argnums", fun)] = jvpmaker


def defjvp_argnum(fun: Function, jvpmaker: Function) -> None:
    """Give each argument's share of the tangent: ``jvpmaker(argnum, g, ans, args, kwargs)``."""

    def rule(argnums: tuple[int, ...], gs: Sequence[Any], ans: Any, *call: Any) -> Any:
        parts = [jvpmaker(argnum, g, ans, *call) for argnum, g in zip(argnums, gs, strict=True)]
        kept = [part for part in parts if part is not None]
        if not kept:
            return tree.map(zeros_like, ans)
        return functools.reduce(lambda a, b: tree.map(lambda x, y: x + y, a, b), kept)

    defjvp_argnums(fun, rule)


def defjvp(
    fun: Function, *jvpfuns: Function | str | None, argnums: Sequence[int] | None = None
) -> None:
    """Give a tangent rule an argument, in order or for `argnums`:
    ``rule(g, ans, *args, **kwargs)``.

    `"same"` says that the function is linear in that argument, and None that nothing flows.
    """
    rules = rules_by_argnum("JVP", fun, jvpfuns, argnums)

    def rule(argnum: int, g: Any, ans: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if argnum not in rules:
            raise errors.no_rule("JVP", name_of(fun), (argnum,))
        chosen = rules[argnum]
        if chosen == "same":
            return fun(*subval(args, argnum, g), **kwargs)
        return None if chosen is None else chosen(g, ans, *args, **kwargs)

    defjvp_argnum(fun, rule)


def def_linear(fun: Function) -> None:
    """Say that a primitive is linear in each of its arguments."""
    defjvp_argnum(
        fun, lambda argnum, g, _ans, args, kwargs: fun(*subval(args, argnum, g), **kwargs)
    )


def rules_by_argnum(
    kind: str, fun: Function, rules: Sequence[Any], argnums: Sequence[int] | None
) -> dict[int, Any]:
    """Rules by the argument they are for; checked."""
    for rule in rules:
        if not (rule is None or callable(rule) or (kind == "JVP" and rule == "same")):
            raise errors.bad_rule(kind, rule, name_of(fun))
    return dict(zip(range(len(rules)) if argnums is None else argnums, rules, strict=False))
