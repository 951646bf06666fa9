"""A capture as torch's tools know it: one ``FakeTensorMode``, one ``ShapeEnv``, one ``TracingContext``.

Our symbols become symbols of torch's environment, with their names, values and sources, and what the tracer decided
about them is decided there as well. What a backend assumes beyond that is brought back into our guards: as a relation
between our symbols where we understand it, else as a check in Python; and where neither can be, the capture is refused
and made again with constant sizes.

All this is made when it is asked for: the environment for symbols among the inputs, or for whoever looks for the mode
in the context; what is said of the nodes, for whoever looks at one (see ``_unseen``). A backend that runs the graph
as it is asks for nothing.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import operator
from typing import TYPE_CHECKING, Any

import sympy
import torch
from torch._dynamo import source as sources
from torch._dynamo.bytecode_transformation import unique_id
from torch._dynamo.decorators import mark_static_address
from torch._dynamo.utils import _extract_tensor_dict, get_static_address_type
from torch._dynamo.variables.builder import GraphArg
from torch._guards import CompileContext, CompileId, TracingContext, compile_context, tracing
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.sym_node import SymNode
from torch.fx.experimental.symbolic_shapes import (
    DimDynamic,
    StatefulSymbolicContext,
    _suppress_guards,
    is_accessor_node,
)
from torch.fx.passes.runtime_assert import insert_deferred_runtime_asserts
from torch.utils.weak import TensorWeakRef

from rust_inductor import _checks, _stacks, _unseen
from rust_inductor._shared_memory import Storages
from rust_inductor._symbolic import FUNCTIONS, Shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from torch._guards import Source

    from rust_inductor._native import Facts

_PROPERTIES = {
    "size": sources.TensorProperty.SIZE,
    "stride": sources.TensorProperty.STRIDE,
    "storage_offset": sources.TensorProperty.STORAGE_OFFSET,
}

#: Assertions, which torch's pass over a graph's numbers puts in order.
_ASSERTS = (
    torch._check,
    torch._assert_scalar,
    torch.ops.aten._assert_scalar.default,
    torch.ops.aten.sym_constrain_range.default,
    torch.ops.aten.sym_constrain_range_for_size.default,
)

_frames = itertools.count()


class _World:
    """torch's environment of one capture: the symbols, and the mode in which fake tensors are made."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.env = Shapes()
        self.mode = FakeTensorMode(shape_env=self.env)
        self.names: dict[str, Any] = dict(FUNCTIONS)
        self.symbols: dict[sympy.Symbol, str] = {}
        #: The names of floats, by the names of their sources.
        self.floats: dict[str, str] = {}

    def begin(self) -> None:
        """Make the symbols, and decide what is decided: torch may look for this world meanwhile."""
        self._make_symbols()
        if not self.floats:
            self.tell_decisions()
        self.env.is_quiet = False

    def _make_symbols(self) -> None:
        for name, kind, hint, source in self.facts.symbols():
            of = _source(source)
            if kind == "float":
                # Made together with the tensor that holds it.
                self.floats[of.name] = name
                self.env.ours[of.name] = int(name[2:])
                continue
            if hint is None:
                self._make_unbacked(name, kind, of)
                continue
            self.env.ours[of.name] = int(name[1:])
            positive = None if kind == "int" else True
            small = kind != "size" or hint < 2
            symbol = self.env.create_symbol(
                hint, of, DimDynamic.DYNAMIC, positive=positive, do_not_specialize_zero_one=small
            )
            self.symbols[symbol] = name
            self.names[name] = self.env.create_symintnode(symbol, hint=hint, source=of)

    def tell_decisions(self) -> None:
        """Decide what the tracer has decided. There must be all symbols: those of floats come with their tensors."""
        with self.env.quietly():
            for text in self.facts.known():
                # What is said of other symbols, torch learns on its own if it needs it.
                with contextlib.suppress(NameError):
                    if not self._evaluated(text):
                        self.facts.refuse()

            for text in self.facts.stated():
                with contextlib.suppress(NameError):
                    torch._check(self._evaluated(text))

    def _make_unbacked(self, name: str, kind: str, source: Source) -> None:
        """A symbol whose value decides nothing."""
        with self.env.ignore_fresh_unbacked_symbols():
            number = self.env.create_unbacked_symint(source)
        symbol = number.node.expr
        if kind == "size":
            self.env._constrain_range_for_size(symbol)
        self.env.unbacked_inputs.add(symbol)
        self.symbols[symbol] = name
        self.names[name] = number

    def _evaluated(self, text: str) -> Any:
        """A text of ours over torch's symbols."""
        return eval(text, {"__builtins__": {}}, self.names)

    def number(self, value: int | str) -> Any:
        """A number of the tracer's."""
        return value if isinstance(value, int) else self._evaluated(value)

    def symbolic(self, value: int | str) -> Any:
        """An integer that a node gives: a symbol also where its value is decided."""
        number = self.number(value)
        if type(number) is not int:
            return number
        return torch.SymInt(SymNode(sympy.Integer(number), self.env, int, number))

    def fake(self, value: Any) -> Any:
        """An intermediate value from what the tracer knows of it."""
        kind, *rest = value
        if kind == "int":
            return self.symbolic(rest[0])
        if kind == "number":
            return self.number(rest[0])
        if kind == "tuple":
            return tuple(None if part is None else self.fake(part) for part in rest[0])
        dtype, device, sizes, strides, offset, requires_grad = rest
        sizes, strides = [[self.number(n) for n in numbers] for numbers in (sizes, strides)]
        if offset == 0:
            data = torch.empty_strided(sizes, strides, dtype=dtype, device="meta")
        else:
            offset = self.number(offset)
            reach = sum((size - 1) * stride for size, stride in zip(sizes, strides))
            # Where there are no elements, none is reached, and sizes may say less than that.
            behind = torch.sym_max(offset + reach + 1, 0)
            data = torch.empty(behind, dtype=dtype, device="meta").as_strided(sizes, strides, offset)
        fake = FakeTensor(self.mode, data, device)
        return fake.requires_grad_() if requires_grad else fake

    def fake_of(self, tensor: torch.Tensor, source: Source, value: Any, context: TracingContext) -> FakeTensor:
        """The fake of an input, of the symbolic sizes and strides that the tracer has for it."""
        _, _, _, sizes, strides, offset, _ = value
        known: dict[str, sympy.Expr] = {}
        dynamic = any(isinstance(number, str) for number in (*sizes, *strides))
        if dynamic:
            rows = [(_property(source, "storage_offset"), offset)]
            for kind, numbers in (("size", sizes), ("stride", strides)):
                rows += [(_property(source, kind, dim), number) for dim, number in enumerate(numbers)]
            known = {property.name: _expression(self.number(number)) for property, number in rows}
        base = tensor._base if tensor._is_view() else None
        symbolic = StatefulSymbolicContext(
            dynamic_sizes=[DimDynamic.DYNAMIC if dynamic else DimDynamic.STATIC] * tensor.dim(),
            dynamic_strides=[DimDynamic.DYNAMIC if dynamic else DimDynamic.INFER_STRIDE] * tensor.dim(),
            tensor_source=source,
            shape_env_to_source_to_symbol_cache={id(self.env): known},
            view_base_context=None if base is None else _constant_context(base, source),
        )
        context.tensor_to_context[tensor] = symbolic
        with self.env.quietly():
            fake = self.mode.from_tensor(tensor, source=source, symbolic_context=symbolic)
        if isinstance(source, sources.FloatTensorSource):
            number, name = fake.item_memo, self.floats[source.base.name]
            assert isinstance(number, torch.SymFloat)
            self.names[name] = number
            self.symbols[number.node.expr] = name
        return fake


class _Context(TracingContext):
    """A context whose mode is made when somebody asks for it, until it is closed."""

    def __init__(self, make: Callable[[], FakeTensorMode]) -> None:
        super().__init__(None)
        self._make: Callable[[], FakeTensorMode] | None = make

    @property
    def fake_mode(self) -> FakeTensorMode | None:
        if self._make is not None:
            self.fake_mode = self._make()
        return self._mode

    @fake_mode.setter
    def fake_mode(self, mode: FakeTensorMode | None) -> None:
        self._make, self._mode = None, mode

    def close(self) -> None:
        """Make no mode any more: the end of tracing asks for one to clean up."""
        self._make = None


class Capture:
    """One captured graph with all that surrounds it."""

    def __init__(self, gm: torch.fx.GraphModule, given: Sequence[Any], facts: Facts) -> None:
        self.gm = gm
        self.facts = facts
        #: The inputs of the code; once the backend has returned, references that keep no tensor alive.
        self.given: list[Any] = list(given)
        self.context = _Context(lambda: self.world.mode)
        #: The error that was raised when somebody looked.
        self.failure: Exception | None = None
        self._compiled = False
        gm.meta["dynamo_flat_name_to_original_fqn"] = {}
        gm.meta["dynamo_compile_id"] = CompileId(frame_id=next(_frames), frame_compile_id=0)
        gm.meta["backend_id"] = unique_id("__compiled_fn", with_uuid=True)
        vars(gm).update(_param_name_to_source={}, _source_to_user_stacks={})
        #: The example inputs that the backend is called with.
        self.inputs = self._examples()
        for node, example in zip(gm.graph.find_nodes(op="placeholder"), self.inputs):
            node.type = torch.SymInt if isinstance(example, int) else type(example)
        _unseen.hide(gm.graph, self._describe)
        if self.facts.computes_numbers():
            self._share_numbers()

    @functools.cached_property
    def world(self) -> _World:
        """torch's environment."""
        world = vars(self)["world"] = _World(self.facts)
        try:
            world.begin()
        except BaseException:
            del vars(self)["world"]
            raise
        return world

    @functools.cached_property
    def sources(self) -> list[Source]:
        """The sources of the code's inputs."""
        return [_source(source) for source in self.facts.sources()]

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """While the backend is called, its tools find all this."""
        with compile_context(CompileContext(self.gm.meta["dynamo_compile_id"])), tracing(self.context):
            try:
                yield
            finally:
                self.context.close()

    def _examples(self) -> list[Any]:
        """Tensors as they are given, and symbols for the numbers."""
        examples = [self.given[at] if kind == "given" else None for kind, at, _ in self.facts.places]
        if all(isinstance(example, torch.Tensor) for example in examples):
            return examples
        pairs = zip(examples, self.facts.values())
        return [it if isinstance(it, torch.Tensor) else self.world.symbolic(value[1]) for it, value in pairs]

    def _describe(self, nodes: list[torch.fx.Node]) -> None:
        """Give each node its metadata. What is said now of a program that is compiled already guards nothing."""
        try:
            with _suppress_guards(self.world.env) if self._compiled else contextlib.nullcontext():
                places = iter(zip(self.facts.places, self.inputs))
                rows = zip(nodes, self.facts.values(), self.facts.origins(), self.facts.first_names())
                for node, value, origin, first_name in rows:
                    if node.op == "placeholder":
                        self._describe_input(node, value, *next(places))
                    else:
                        self._describe_node(node, value, first_name)
                    if "stack_trace" in node.meta:
                        stack = node.meta["stack_trace"]
                        node.meta["stack_trace"] = _stacks.with_code(stack, *origin, read=node.op == "placeholder")
                if self.world.floats:
                    self.world.tell_decisions()
        except Exception as error:
            self.failure = error
            raise

    def _share_numbers(self) -> None:
        """Compute each number once, and sizes of results from those of inputs, as torch does before a backend looks."""
        graph = self.gm.graph
        spent, suffixes = self.facts.names()
        graph._graph_namespace._used_names.update(spent)
        graph._graph_namespace._base_count.update(suffixes)
        numbers = self._share_known()
        if numbers is None:
            insert_deferred_runtime_asserts(self.gm, self.world.env, "graph")
        for node in reversed(list(graph.nodes)):
            if node.op == "placeholder" or node.users:
                continue
            is_number = is_accessor_node(node) or _is_symbolic(node) if numbers is None else node in numbers
            if is_number or node.target is operator.getitem:
                graph.erase_node(node)
        self.gm.recompile()

    def _share_known(self) -> set[torch.fx.Node] | None:
        """Put earlier numbers in the place of equal ones, which needs none of torch's fakes; give the nodes of numbers.

        ``None``, with nothing done, where torch's pass has more to do.
        """
        nodes = list(self.gm.graph.nodes)
        numbers = None if any(node.target in _ASSERTS for node in nodes) else self.facts.equal_numbers()
        if numbers is None:
            return None
        for place, first in numbers:
            if place != first:
                nodes[place].replace_all_uses_with(nodes[first])
                self.gm.graph.erase_node(nodes[place])
        return {nodes[place] for place, _ in numbers}

    def _describe_node(self, node: torch.fx.Node, value: Any, first_name: str) -> None:
        if value is not None and node.target is not operator.setitem:
            with contextlib.suppress(NameError):
                fake = self.world.fake(value)
                node.meta["example_value"] = torch.Size(fake) if _is_size(node) else fake
        if node.target is torch._C._set_grad_enabled:
            # torch has it come from nowhere.
            del node.meta["stack_trace"]
        elif node.op in ("call_function", "call_method"):
            node.meta["source_fn_stack"] = [(first_name, node.target)]

    def _describe_input(self, node: torch.fx.Node, value: Any, place: tuple[str, int, int], example: Any) -> None:
        kind, at, dim = place
        source: Source = self.sources[at]
        if kind != "given":
            source = _property(source, kind, dim)
        if isinstance(example, TensorWeakRef):
            example = example()
        if isinstance(example, torch.Tensor) and source.name in self.world.floats:
            # A number, though the graph takes it as a tensor.
            fake = self.world.fake_of(example, sources.FloatTensorSource(source), value, self.context)
            node.meta["grapharg"] = GraphArg(source, example, True, fake, is_tensor=False, example_strong_ref=example)
            node.meta["example_value"] = fake
        elif isinstance(example, torch.Tensor):
            fake = self.world.fake_of(example, source, value, self.context)
            is_weight = isinstance(example, torch.nn.Parameter) or _is_buffer(source)
            if is_weight and get_static_address_type(example) is None:
                mark_static_address(example)
            node.meta["tensor_dict"] = _extract_tensor_dict(example)
            node.meta["grapharg"] = GraphArg(source, example, False, fake)
            node.meta["example_value"] = fake
        elif example is None:
            node.meta["example_value"] = self.world.fake(value)
        else:
            node.meta["example_value"] = example
            node.meta["grapharg"] = GraphArg(source, example, False, None, is_tensor=False)
        node._dynamo_source = source

    def bring_back(self) -> None:
        """Make our guards of all that was assumed while the backend compiled. Who looks later keeps no tensor alive."""
        if "world" in vars(self):
            self._assume_symbols(self.world)
        for assumed in self.context.guards_context.aotautograd_guards:
            self._assume_aliasing(assumed)
        self._assume_storages()
        self._compiled = True
        self.given, self.inputs = [], [TensorWeakRef(it) if isinstance(it, torch.Tensor) else it for it in self.inputs]

    def _assume_symbols(self, world: _World) -> None:
        for guard in world.env.guards:
            self._assume(guard.expr)
        for symbol in world.symbols:
            bounds = world.env.var_to_range[symbol]
            if symbol.is_positive:
                self._assume(symbol >= 1)
            for relation in (symbol >= bounds.lower, symbol <= bounds.upper):
                if not relation.free_symbols or relation.atoms(*_checks.Infinity):
                    continue
                self._assume(relation)
        world.env.freeze()

    def _assume(self, relation: Any) -> None:
        if relation in (True, _checks.TRUE) or self.facts.assume(str(relation)):
            return
        ours = set(self.world.symbols)
        reads = _checks.reads(relation.free_symbols & ours, self._places())
        if reads is None or not relation.free_symbols <= ours:
            self.facts.refuse()
        else:
            self.facts.assume_check(_checks.Relation(relation, reads), str(relation))

    def _places(self) -> dict[str, tuple[str, int, int]]:
        """The source of each symbol that is an input, by its name."""
        examples = zip(self.inputs, self.facts.places)
        return {str(example): place for example, place in examples if not isinstance(example, torch.Tensor)}

    def _assume_aliasing(self, assumed: Any) -> None:
        """Assume what AOTAutograd found of inputs that are one object, or share memory."""
        at = {source: number for number, source in enumerate(self.sources)}
        if hasattr(assumed, "input_source_a"):
            self.facts.assume_same(at[assumed.input_source_a], at[assumed.input_source_b])
        elif hasattr(assumed, "overlapping_sources"):
            overlapping = [at[source] for source in assumed.overlapping_sources]
            apart = [at[source] for source in assumed.non_overlapping_sources]
            self.facts.assume_check(_checks.Overlap(overlapping, apart), _checks.Overlap.text(assumed))
        else:
            self.facts.refuse()

    def _assume_storages(self) -> None:
        """Guard shared memory: a graph that writes to inputs holds only for inputs that share it as these do."""
        metadata = self.context.fw_metadata
        if metadata is None or not any(info.mutates_data or info.mutates_metadata for info in metadata.input_info):
            return
        tensors = [at for at, value in enumerate(self.given) if isinstance(value, torch.Tensor)]
        if len(tensors) > 1:
            names = ", ".join(self.sources[at].name for at in tensors)
            self.facts.assume_check(Storages(tensors, self.given), f"check_same_storages({names})")


def _is_symbolic(node: torch.fx.Node) -> bool:
    """True if a node gives a number that depends on symbols."""
    return node.op != "output" and isinstance(
        node.meta.get("example_value"), torch.SymInt | torch.SymFloat | torch.SymBool
    )


def _is_buffer(source: Source) -> bool:
    """Whether it is in a module's dict of buffers."""
    base = getattr(source, "base", None)
    return isinstance(source, sources.GetItemSource) and getattr(base, "member", None) == "_buffers"


def _is_size(node: torch.fx.Node) -> bool:
    """True if a node gives sizes all at once."""
    return node.target is torch.Size or (node.target == "size" and len(node.args) == 1)


def _source(row: Any) -> Source:
    """A source of ours, ``(variant, base, argument)``, as torch's."""
    variant, base, argument = row
    if variant == "local":
        return sources.LocalSource(argument, is_input=True)
    if variant == "global":
        return sources.GlobalSource(argument)
    if variant == "attr":
        return sources.AttrSource(_source(base), argument)
    if variant == "item":
        return sources.GetItemSource(_source(base), argument)
    if variant in _PROPERTIES:
        return _property(_source(base), variant, argument)
    return sources.ConstantSource(argument)


def _property(tensor: Source, kind: str, dim: int | None = None) -> Source:
    """The source of a number that a tensor has."""
    return sources.TensorPropertySource(tensor, _PROPERTIES[kind], None if kind == "storage_offset" else dim)


def _constant_context(base: torch.Tensor, source: Source) -> StatefulSymbolicContext:
    """The context of a view's base, of which nothing is symbolic."""
    return StatefulSymbolicContext(
        dynamic_sizes=[DimDynamic.STATIC] * base.dim(), tensor_source=sources.AttrSource(source, "_base")
    )


def _expression(value: int | torch.SymInt) -> sympy.Expr:
    return _checks.integer(value) if isinstance(value, int) else value.node.expr
