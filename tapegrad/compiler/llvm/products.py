"""Matrix products of a plan: which kernels compute them, and the functions that call these."""

from __future__ import annotations

from collections.abc import Callable

from ..graph import Node
from ..loops.groups import Step
from ..loops.views import Strides, View, c_strides
from . import blas, gemm, tiles
from .elements import native_dtype
from .gemm import Product
from .host import Host
from .text import Function, Index, Kind

Pointer = Callable[[Function, Node], str]


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
        self.names: dict[Product, str] = {}
        self.functions: list[Function] = []
        self.imports: dict[str, int] = {}

    def write(self, step: Step, watched: bool, name: str, pointer: Pointer) -> Function:
        """The function of a product of the plan, which takes the table of pointers."""
        node, one = step.node, Kind(step.node.dtype, 1)
        a, b = step.operands
        m, n, k = sizes(node)
        batch = node.shape[: max(len(a.shape), len(b.shape)) - 2]
        head = f"define internal i32 @{name}(ptr %table)"
        f = Function(head, glue=not batch and not watched)
        product = Product(
            node.dtype,
            m,
            n,
            k,
            matrix_strides(a, first=True),
            matrix_strides(b, first=False),
            (1, m) if n == 1 else (n, 1),
        )
        called = self.called(product)
        bases = [pointer(f, x) for x in (a.base, b.base, node)]
        steps = [batch_strides(a, batch), batch_strides(b, batch), c_strides((*batch, m * n))[:-1]]
        starts: list[Index] = [a.offset, b.offset, 0]

        def nest(depth: int, places: list[Index]) -> None:
            if depth == len(batch):
                at = [f.at(one, base, place) for base, place in zip(bases, places, strict=True)]
                f.do(f"call void @{called}({', '.join(f'ptr {p}' for p in at)}, ptr null)")
                return

            def body(i: Index) -> None:
                moved = [
                    f.plus(f.times(i, s[depth]), place)
                    for s, place in zip(steps, places, strict=True)
                ]
                nest(depth + 1, moved)

            f.loop(0, batch[depth], 1, body)

        nest(0, starts)
        f.do(f"ret i32 {self.nan_in(f, node, bases[2]) if watched else 0}")
        return f

    def called(self, product: Product) -> str:
        """The name of the function that computes a product."""
        if product not in self.names:
            name = self.names[product] = f"product{len(self.names)}"
            if not gemm.small(product) and blas.available() and blas.takes(product):
                self.functions.append(blas.write_product(name, product))
                self.imports.update(blas.imports(product.dtype))
            else:
                self.functions.append(gemm.write_product(name, product, self.machine))
                self.imports.update(tiles.imports(product.dtype, self.machine))
        return self.names[product]

    def nan_in(self, f: Function, node: Node, base: str) -> str:
        """1 if there is a NaN among the elements of a node, else 0."""
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

        whole = node.size // width * width
        f.loop(0, whole, width, lambda i: look(Kind(node.dtype, width), i))
        f.loop(whole, node.size, 1, lambda i: look(Kind(node.dtype, 1), i))
        return f.let(f"zext i1 {f.let(f'load i1, ptr {found}')} to i32")


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
