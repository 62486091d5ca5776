"""From an operator on functions of one argument to one on functions of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from .substitution import subval, subvals

Function = Callable[..., Any]


def get_name(f: Any) -> str:
    """The name of a function, where it has one."""
    return getattr(f, "__name__", "[unknown name]")


def get_doc(f: Any) -> str | None:
    """The docstring of a function."""
    return getattr(f, "__doc__", "")


def wraps(
    fun: Any, namestr: str = "{fun}", docstr: str = "{doc}", **kwargs: Any
) -> Callable[[Function], Function]:
    """Decorate with a name and a docstring made of those of `fun`."""

    def decorate(f: Function) -> Function:
        with suppress(AttributeError, KeyError, ValueError):  # braces in a docstring
            f.__name__ = namestr.format(fun=get_name(fun), **kwargs)
            f.__doc__ = docstr.format(fun=get_name(fun), doc=get_doc(fun), **kwargs)
        return f

    return decorate


def wrap_nary_f(fun: Any, op: Any, argnum: int | Sequence[int]) -> Callable[[Function], Function]:
    """Decorate what an operator returns: its name says of what, and with respect to what."""
    return wraps(
        fun,
        "{op}_of_{fun}_wrt_argnum_{argnum}",
        "    {op} of function {fun} with respect to argument number {argnum}. Takes the\n"
        "    same arguments as {fun} but returns the {op}.\n    ",
        op=get_name(op),
        argnum=argnum,
    )


def unary_to_nary(unary_operator: Function) -> Function:
    """Make ``operator(fun, x)`` an ``operator(fun, argnum=0)(*args, **kwargs)``.

    Several argnums, in a tuple or a list, are one argument that is a tuple. More arguments after
    `argnum` go to the operator.

    >>> @unary_to_nary
    ... def difference(fun, x, step=1.0):
    ...     return fun(x + step) - fun(x)
    >>> difference(lambda x, y: x * y, 1)(10.0, 3.0)
    10.0
    """

    @wraps(unary_operator)
    def nary_operator(
        fun: Function, argnum: int | Sequence[int] = 0, *op_args: Any, **op_kwargs: Any
    ) -> Function:
        assert type(argnum) in (int, tuple, list), argnum

        @wrap_nary_f(fun, unary_operator, argnum)
        def nary_f(*args: Any, **kwargs: Any) -> Any:
            @wraps(fun)
            def unary_f(x: Any) -> Any:
                if isinstance(argnum, int):
                    return fun(*subval(args, argnum, x), **kwargs)
                return fun(*subvals(args, zip(argnum, x, strict=True)), **kwargs)

            x = args[argnum] if isinstance(argnum, int) else tuple(args[i] for i in argnum)
            return unary_operator(unary_f, x, *op_args, **op_kwargs)

        return nary_f

    return nary_operator
