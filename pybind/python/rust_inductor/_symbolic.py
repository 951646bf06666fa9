"""torch is asked what a call gives for tensors of symbolic sizes: by its own symbols, under the tracer's names."""

from __future__ import annotations

import contextlib
import logging
import math
import operator
from typing import TYPE_CHECKING, Any

import torch
from torch._dispatch.python import enable_python_dispatcher
from torch._guards import Source
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_NOWHERE = logging.getLogger(f"{__name__}.nowhere")
_NOWHERE.disabled = True

#: The functions that our printed expressions call.
FUNCTIONS = {
    "Eq": operator.eq,
    "Ne": operator.ne,
    "Mod": operator.mod,
    "Min": torch.sym_min,
    "Max": torch.sym_max,
    "ToFloat": torch.sym_float,
    "IntTrueDiv": operator.truediv,
    "FloatTrueDiv": operator.truediv,
    "FloatPow": operator.pow,
    "Abs": abs,
    "TruncToInt": math.trunc,
    "FloorToInt": math.floor,
    "CeilToInt": math.ceil,
    "RoundToInt": round,
    "RoundDecimal": round,
    **{
        f"OpaqueUnaryFn_{name}": getattr(torch, f"_sym_{name}")
        for name in ("sqrt", "log2", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh")
    },
}


class Shapes(ShapeEnv):
    """torch's shape environment, with our names for symbols."""

    #: True while what becomes known here is what our own log has told.
    is_quiet = True

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.ours: dict[str, int] = {}

    @property
    def log(self) -> logging.Logger:
        """The logger that is told what becomes known: torch's."""
        return _NOWHERE if self.is_quiet else self._log

    @log.setter
    def log(self, log: logging.Logger) -> None:
        self._log = log

    @contextlib.contextmanager
    def quietly(self) -> Iterator[None]:
        """While our own log has told what becomes known."""
        was, self.is_quiet = self.is_quiet, True
        try:
            yield
        finally:
            self.is_quiet = was

    def _generate_unique_id(self, source_name: str) -> int:
        number = self.ours.get(source_name)
        if number is None:
            return int(super()._generate_unique_id(source_name))
        self.unique_ids.add(number)
        return number


class _Named(Source):
    """A source of which only the name matters."""

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_text", name)

    @property
    def _name_template(self) -> str:
        return str(self._text)  # type: ignore[attr-defined]


class Asker:
    """The symbols of one call: name, value, and the least and greatest value, which floats have not."""

    def __init__(self, symbols: Iterable[tuple[str, int | float, int, int]]) -> None:
        self.env = Shapes(allow_scalar_outputs=False, allow_dynamic_output_shape_ops=False)
        self.mode = FakeTensorMode(shape_env=self.env)
        self.names: dict[str, Any] = dict(FUNCTIONS)
        for name, hint, low, high in symbols:
            source = _Named(name)
            self.env.ours[source.name] = int(name.lstrip("zfsu"))
            if isinstance(hint, float):
                symbol = self.env.create_symbol(hint, source, DimDynamic.DYNAMIC, positive=None)
                self.names[name] = self.env.create_symfloatnode(symbol, hint=hint, source=source)
                continue
            symbol = self.env.create_symbol(
                hint, source, DimDynamic.DYNAMIC, positive=low > 0 or None, do_not_specialize_zero_one=True
            )
            self.env.constrain_symbol_range(symbol, low, high)
            self.names[name] = self.env.create_symintnode(symbol, hint=hint, source=source)

    def number(self, value: int | str) -> Any:
        """A number of ours, symbolic ones by their text."""
        return value if isinstance(value, int) else eval(value, {"__builtins__": {}}, self.names)

    def tensor(
        self,
        dtype: torch.dtype,
        device: torch.device,
        sizes: Sequence[int | str],
        strides: Sequence[int | str],
        requires_grad: bool,
        leaf: bool,
    ) -> torch.Tensor:
        """A tensor without data."""
        sizes, strides = ([self.number(n) for n in numbers] for numbers in (sizes, strides))
        fake = FakeTensor(self.mode, torch.empty_strided(sizes, strides, dtype=dtype, device="meta"), device)
        if leaf or not requires_grad:
            return fake.requires_grad_(requires_grad)
        # Written in place, it keeps its strides, and is no view. The graph may not record where it is asked about.
        with torch.enable_grad():
            recorded = FakeTensor(self.mode, torch.empty((), dtype=dtype, device="meta"), device).requires_grad_()
            return fake.copy_(recorded)

    def ask(self, call: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Give the result of the call as rows of plain values; ``None`` for what is no tensor or number."""
        # Without the dispatcher in Python, many operators want to know the sizes.
        with self.mode, enable_python_dispatcher():
            return self._row(call(*args, **kwargs))

    def guards(self) -> list[str]:
        """The guards that torch has recorded on the symbols."""
        return [str(guard.expr) for guard in self.env.guards]

    def _row(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            sizes, strides = ([self._text(n) for n in numbers] for numbers in (value.size(), value.stride()))
            return "tensor", value.dtype, value.device, sizes, strides, value.requires_grad
        if isinstance(value, int | torch.SymInt) and not isinstance(value, bool):
            return "int", self._text(value)
        if isinstance(value, tuple | list):
            return "tuple", [self._row(part) for part in value]
        return ("none",) if value is None else None

    def _text(self, number: int | torch.SymInt) -> str:
        return str(number if isinstance(number, int) else number.node.expr)
