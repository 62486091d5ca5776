"""Matrix products of a plan: which kernels compute them, and the functions that call these."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ..graph import Node
from ..loops.groups import Step
from ..loops.views import Strides, View, c_strides
from . import blas, gemm, tiles
from .arguments import PART, Pointer
from .elements import native_dtype
from .gemm import Product
from .host import Host
from .lanes import with_branch
from .text import Function, Index, Kind


def native_product(node: Node) -> bool:
    """Whether an operation is a matrix product that has kernels."""
    return (
        node.op == "matmul"
        and node.dtype.kind == "f"
        and native_dtype(node.dtype)
        and all(x.dtype == node.dtype and x.size for x in node.inputs)
        and node.size > 0
    )


class Products:
    """The products of one program: those of one shape and layout share a function."""

    def __init__(self, machine: Host) -> None:
        self.machine = machine
        self.names: dict[tuple[Product, bool], str] = {}
        self.functions: list[Function] = []
        self.imports: dict[str, int] = {}

    def write(
        self, step: Step, watched: bool, name: str, pointer: Pointer, rows: int | None = None
    ) -> Function:
        """The function of a product of the plan, which takes the table of pointers.

        If `rows` is given, it is that of a part: of so many rows, or fewer, or of some of a stack.
        """
        node, one = step.node, Kind(step.node.dtype, 1)
        a, b = step.operands
        m, n, _ = sizes(node)
        batch = batch_of(step)
        head = f"define internal i32 @{name}({'ptr %table' if rows is None else PART})"
        f = Function(head, glue=not batch and not watched)
        product = product_of(step)
        bases = [pointer(f, x) for x in (a.base, b.base, node)]
        steps = [batch_strides(a, batch), batch_strides(b, batch), c_strides((*batch, m * n))[:-1]]
        starts: list[Index] = [a.offset, b.offset, 0]
        large = by_blas(step)

        def call(product: Product, places: list[Index]) -> None:
            at = [f.at(one, base, place) for base, place in zip(bases, places, strict=True)]
            given = ", ".join(f"ptr {p}" for p in at)
            f.do(f"call void @{self.called(product, large)}({given}, ptr null)")

        def nest(depth: int, places: list[Index]) -> None:
            if depth == len(batch):
                call(product, places)
                return

            def body(i: Index) -> None:
                moved = [
                    f.plus(f.times(i, s[depth]), place)
                    for s, place in zip(steps, places, strict=True)
                ]
                nest(depth + 1, moved)

            ranged = depth == 0 and rows is not None
            f.loop("%low" if ranged else 0, "%high" if ranged else batch[depth], 1, body)

        if rows is None or batch:
            nest(0, starts)
        else:
            across = [product.a[0], 0, product.c[0]]
            places = [
                f.plus(f.times("%low", s), start) for s, start in zip(across, starts, strict=True)
            ]
            count = f.let("sub nsw i64 %high, %low")
            for part in {rows, m % rows} - {0}:
                mine = f.let(f"icmp eq i64 {count}, {part}")
                with_branch(f, mine, partial(call, replace(product, m=part), places))
        if not watched:
            f.do("ret i32 0")
        elif rows is None:
            f.do(f"ret i32 {self.nan_in(f, node, bases[2], node.size)}")
        else:
            each = node.size // (batch[0] if batch else m)
            start = f.at(one, bases[2], f.times("%low", each))
            size = f.times(f.let("sub nsw i64 %high, %low"), each)
            f.do(f"ret i32 {self.nan_in(f, node, start, size)}")
        return f

    def called(self, product: Product, large: bool) -> str:
        """The name of the function that computes a product, a `large` one by the BLAS."""
        if (product, large) not in self.names:
            name = self.names[product, large] = f"product{len(self.names)}"
            if large:
                self.functions.append(blas.write_product(name, product))
                self.imports.update(blas.imports(product.dtype))
            else:
                self.functions.append(gemm.write_product(name, product, self.machine))
                self.imports.update(tiles.imports(product.dtype, self.machine))
        return self.names[product, large]

    def nan_in(self, f: Function, node: Node, base: str, size: Index) -> str:
        """1 if there is a NaN among so many elements of a node, else 0."""
        width = self.machine.lanes(node.dtype.itemsize)
        found = f.variable("i1")
        f.do(f"store i1 false, ptr {found}")

        def look(kind: Kind, i: Index) -> None:
            value = f.load(kind, f.at(kind, base, i))
            nan = f.let(f"fcmp uno {kind.text} {value}, {value}")
            if kind.width > 1:
                bits = f.let(f"bitcast {kind.mask} {nan} to i{kind.width}")
                nan = f.let(f"icmp ne i{kind.width} {bits}, 0")
            before = f.let(f"load i1, ptr {found}")
            f.do(f"store i1 {f.let(f'or i1 {before}, {nan}')}, ptr {found}")

        def range_of(kind: Kind, low: Index, high: Index) -> None:
            def loop() -> None:
                f.loop(low, high, kind.width, partial(look, kind))

            if isinstance(low, int) and isinstance(high, int):
                loop()
            else:
                with_branch(f, f.let(f"icmp ult i64 {low}, {high}"), loop)

        if isinstance(size, int):
            whole: Index = size // width * width
        else:
            whole = f.let(f"and i64 {size}, {-width}")
        range_of(Kind(node.dtype, width), 0, whole)
        range_of(Kind(node.dtype, 1), whole, size)
        return f.let(f"zext i1 {f.let(f'load i1, ptr {found}')} to i32")


def product_of(step: Step) -> Product:
    """The product of the matrices of a step."""
    m, n, k = sizes(step.node)
    a, b = step.operands
    return Product(
        step.node.dtype,
        m,
        n,
        k,
        matrix_strides(a, first=True),
        matrix_strides(b, first=False),
        (1, m) if n == 1 else (n, 1),
    )


def by_blas(step: Step) -> bool:
    """Whether the products of a step are so large that the BLAS is asked."""
    product = product_of(step)
    if gemm.small(product) or in_panels(step):
        return False
    return blas.available() and blas.takes(product)


def in_panels(step: Step) -> bool:
    """Whether a large product is better made of small ones, each of some rows."""
    product = product_of(step)
    return not batch_of(step) and gemm.narrow(product) and not gemm.small(product)


def batch_of(step: Step) -> tuple[int, ...]:
    """The shape of the stack that a step multiplies."""
    return step.node.shape[: max(len(x.shape) for x in step.operands) - 2]


def sizes(node: Node) -> tuple[int, int, int]:
    """m, n and k of a product."""
    a, b = (x.shape for x in node.inputs)
    return a[-2] if len(a) > 1 else 1, b[-1] if len(b) > 1 else 1, a[-1]


def matrix_strides(view: View, first: bool) -> tuple[int, int]:
    """The strides of a factor's matrices; a vector is a row on the left, a column on the right."""
    if len(view.shape) == 1:
        return (0, view.strides[0]) if first else (view.strides[0], 0)
    return view.strides[-2], view.strides[-1]


def batch_strides(view: View, batch: tuple[int, ...]) -> Strides:
    """The strides of a factor along the axes of the stack."""
    own = view.shape[:-2]
    extra = len(batch) - len(own)
    return (0,) * extra + tuple(
        0 if n == 1 else s for n, s in zip(own, view.strides[:-2], strict=True)
    )
