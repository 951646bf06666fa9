"""Describes objects for the tracer's tests (see `world` for what is read of it).

    python trace_world.py > data/trace_3xx.json

writes down the functions of `trace_cases.py` with all that can be reached from them.
"""

from __future__ import annotations

import builtins
import dis
import importlib
import json
import math
import struct
import sys
from functools import partial
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import record_sample
from trace_torch import Function, Tensor

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"

CLASSES = [bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset, range, slice, type(None)]
CLASSES += [type(len), FunctionType, Tensor]
CLASSES += [KeyError, IndexError, ValueError, TypeError, ZeroDivisionError, AttributeError, NameError, StopIteration]
CLASSES += [AssertionError, RuntimeError, LookupError]
METHODS = ["size", "dim", "item", "sum", "mean", "relu", "abs", "add", "mul", "reshape", "index_select"]

#: The flag of a class whose attributes nobody can change.
IMMUTABLE = 1 << 8

#: Classes of exceptions that keep more than their arguments.
SPECIAL = (OSError, UnicodeError, ImportError, SyntaxError, SystemExit, BaseExceptionGroup)

#: Classes whose methods go by their dotted names.
FOLDED = {str: "str", int: "int", float: "float"}


def dotted(thing: Any) -> str:
    """Module and qualified name."""
    return f"{thing.__module__}.{thing.__qualname__}"


def bits(value: float) -> int:
    """A float as an unsigned integer."""
    found: int = struct.unpack("<Q", struct.pack("<d", value))[0]
    return found


def constant(value: object) -> object:
    """A constant in the form of `guards::Constant`; `NotImplemented` if it is none."""
    if value is None:
        return "None"
    if value is ...:
        return "Ellipsis"
    match value:
        case bool():
            return {"Bool": value}
        case int():
            return {"Int": value} if -(2**63) <= value < 2**63 else {"BigInt": str(value)}
        case float():
            return {"Float": bits(math.nan if math.isnan(value) else value)}
        case complex():
            return {"Complex": [bits(value.real), bits(value.imag)]}
        case str():
            return {"Str": value}
        case bytes():
            return {"Bytes": list(value)}
        case frozenset() if all(constant(item) is not NotImplemented for item in value):
            return {"FrozenSet": [constant(item) for item in sorted(value, key=repr)]}
    return NotImplemented


def code_object(code: CodeType, table: list[object], above: int) -> dict[str, object]:
    """A code object in the form of `CodeObject`, so many lines higher up; objects among its constants go to `table`."""
    said = record_sample.code_object(code)
    said["firstlineno"] = code.co_firstlineno - above
    said["filename"] = code.co_filename.rpartition("/")[2] if above else code.co_filename
    said["consts"] = [code_constant(value, table, above) for value in code.co_consts]
    return said


def code_constant(value: object, table: list[object], above: int) -> object:
    """A constant in the form of `Const`."""
    if isinstance(value, CodeType):
        return {"code": code_object(value, table, above)}
    plain = record_sample.constant(value)
    if plain == {"opaque": 0}:
        table.append(value)
        return {"opaque": len(table) - 1}
    return plain


def named(code: CodeType) -> set[str]:
    """The names in a code object and in those nested in it."""
    names = set(code.co_names)
    for value in code.co_consts:
        if isinstance(value, CodeType):
            names |= named(value)
        elif isinstance(value, tuple):
            # Patterns of classes name attributes so.
            names.update(item for item in value if isinstance(item, str))
    return names


def stores_arguments(cls: type[BaseException]) -> bool:
    """True for a class of exceptions that are made as `BaseException` makes them."""
    own = [vars(base) for base in cls.__mro__ if not base.__flags__ & IMMUTABLE]
    return not issubclass(cls, SPECIAL) and not any("__init__" in base or "__new__" in base for base in own)


def imported(code: CodeType) -> set[str]:
    """The modules that a code object imports."""
    return {one.argval for one in dis.get_instructions(code) if one.opname == "IMPORT_NAME"}


class World:
    """The objects that were reached, by their handles."""

    def __init__(self, recorded: bool = False) -> None:
        #: Whether functions begin at their first lines, so that what was recorded does not move with the file.
        self.recorded = recorded
        self.objects: list[Any] = []
        self.rows: list[dict[str, Any]] = []
        self.handles: dict[int, int] = {}
        self.names: set[str] = set()
        self.imported: set[str] = set()
        self.scopes: dict[int, dict[str, Any]] = {}
        #: The objects among the constants of each code object and of those nested in it.
        self.opaque: dict[int, list[object]] = {}
        self.classes = {dotted(cls): self.of(cls) for cls in CLASSES}

    def of(self, thing: Any) -> int:
        """The handle of an object."""
        known = self.handles.get(id(thing))
        if known is not None:
            return known
        handle = self.handles[id(thing)] = len(self.objects)
        self.objects.append(thing)
        row: dict[str, Any] = {"repr": self.printed(thing), "attrs": {}}
        self.rows.append(row)
        row["view"] = self.view(handle, thing)
        row["class"] = self.of(type(thing))
        if isinstance(thing, type):
            row["immutable"] = bool(thing.__flags__ & IMMUTABLE)
            if issubclass(thing, BaseException):
                row["exception"] = stores_arguments(thing)
                row["bases"] = [handle, *self.all(base for base in thing.__mro__[1:] if base is not object)]
            if issubclass(thing, tuple) and hasattr(thing, "_fields"):
                row["record"] = [list(thing._fields), self.all(thing._field_defaults.values())]
        row["plain"] = isinstance(row["view"], dict) and "object" in row["view"]
        row["plain"] = row["plain"] and type(thing).__setattr__ is object.__setattr__ and hasattr(thing, "__dict__")
        return handle

    def all(self, things: Any) -> list[int]:
        """Several handles."""
        return [self.of(thing) for thing in things or ()]

    @staticmethod
    def printed(thing: Any) -> str:
        """The text that guards print of an object: nothing that differs between versions."""
        if isinstance(thing, type):
            return f"<class '{dotted(thing).removeprefix('builtins.')}'>"
        name = thing.co_name if isinstance(thing, CodeType) else getattr(thing, "__name__", type(thing).__name__)
        return str(name)

    def view(self, handle: int, thing: Any) -> Any:
        """The description of an object, in the form of `Seen`."""
        plain = constant(thing)
        if plain is not NotImplemented:
            return {"constant": plain}
        kind = type(thing)
        if kind in (tuple, list, set):
            return {kind.__name__: self.all(thing)}
        if kind is dict and thing is not sys.modules:
            return {"dict": [[self.of(key), self.of(value)] for key, value in thing.items()]}
        if isinstance(thing, tuple) and hasattr(thing, "_fields"):
            return {"record": [self.of(kind), self.all(thing)]}
        if kind is partial:
            keywords = [[name, self.of(value)] for name, value in thing.keywords.items()]
            return {"partial": [self.of(thing.func), self.all(thing.args), keywords]}
        if kind is slice:
            return {"slice": self.all([thing.start, thing.stop, thing.step])}
        if kind is range:
            return {"range": [thing.start, thing.stop, thing.step]}
        if kind is Tensor:
            return {"tensor": list(thing.shape)}
        if kind is Function:
            return {"builtin": thing.name}
        if kind is FunctionType:
            return {"function": self.function(thing)}
        if kind is MethodType:
            return {"method": self.all([thing.__func__, thing.__self__])}
        if kind is CellType:
            return {"cell": self.content(thing)}
        if kind is CodeType:
            self.names |= named(thing)
            self.imported |= imported(thing)
            table = self.opaque[handle] = []
            said = code_object(thing, table, thing.co_firstlineno - 1 if self.recorded else 0)
            return {"code": [said, self.all(table)]}
        if isinstance(thing, ModuleType):
            return {"module": thing.__name__}
        if isinstance(thing, type):
            return {"class": dotted(thing)}
        return self.other(thing)

    def other(self, thing: Any) -> Any:
        """The view of a builtin function or method, or of an object of the program's."""
        if isinstance(thing, BuiltinFunctionType):
            owner = thing.__self__
            if isinstance(owner, ModuleType):
                return {"builtin": f"{owner.__name__.removeprefix('_')}.{thing.__name__}"}
            if isinstance(owner, type):
                return {"builtin": f"{dotted(owner)}.{thing.__name__}"}
            if type(owner) in (list, dict):
                return {"bound_builtin": [self.of(owner), thing.__name__]}
        if type(thing) is type(str.upper) and thing.__objclass__ in FOLDED:
            return {"builtin": f"{FOLDED[thing.__objclass__]}.{thing.__name__}"}
        return {"object": dotted(type(thing))}

    def function(self, function: FunctionType) -> dict[str, Any]:
        """A function's parts, in the form of `Described`."""
        return {
            "code": self.of(function.__code__),
            "globals": self.scope(function.__globals__),
            "defaults": self.all(function.__defaults__),
            "kwdefaults": [[name, self.of(value)] for name, value in (function.__kwdefaults__ or {}).items()],
            "closure": self.all(function.__closure__),
            "name": dotted(function),
            "skipped": hasattr(function, "skipped"),
        }

    def scope(self, space: dict[str, Any]) -> int:
        """The handle of a global scope; which names it has is told at the end."""
        if id(space) in self.handles:
            return self.handles[id(space)]
        handle = self.handles[id(space)] = len(self.objects)
        self.objects.append(space)
        self.rows.append({"repr": "dict", "class": self.of(dict), "view": {"scope": [{}, {}]}})
        self.scopes[handle] = space
        return handle

    def content(self, cell: CellType) -> int | None:
        """The handle of the object in a cell; `None` for an empty cell."""
        try:
            return self.of(cell.cell_contents)
        except ValueError:
            return None

    def attribute(self, thing: Any, name: str) -> Any:
        """The value that a plain read of an attribute finds; `NotImplemented` if code would have to run."""
        if isinstance(thing, ModuleType):
            return vars(thing)[name]
        mro = thing.__mro__ if isinstance(thing, type) else type(thing).__mro__
        of_class = next((vars(cls)[name] for cls in mro if name in vars(cls)), NotImplemented)
        if isinstance(of_class, property):
            return NotImplemented
        if not isinstance(thing, type) and name in getattr(thing, "__dict__", {}):
            return thing.__dict__[name]
        if of_class is NotImplemented:
            raise LookupError(name)
        return getattr(thing, name, NotImplemented)

    def attributes(self, handle: int) -> bool:
        """Describes the attributes that the program may name; true if there are new ones."""
        row, thing = self.rows[handle], self.objects[handle]
        if not {"module", "class", "object"} & set(row["view"]):
            return False
        new = self.names - row.setdefault("tried", set())
        row["tried"] |= new
        for name in sorted(new):
            try:
                found = self.attribute(thing, name)
            except LookupError:
                continue
            row["attrs"][name] = None if found is NotImplemented else self.of(found)
        return bool(new)

    def finish(self) -> None:
        """Describes what the names lead to, until there is nothing new."""
        count = -1
        while count != len(self.objects) + len(self.names):
            count = len(self.objects) + len(self.names)
            for handle, space in list(self.scopes.items()):
                own = {name: self.of(space[name]) for name in sorted(self.names & space.keys())}
                rest = {
                    name: self.of(getattr(builtins, name)) for name in sorted(self.names) if hasattr(builtins, name)
                }
                self.rows[handle]["view"] = {"scope": [own, rest]}
            self.all(self.modules().values())
            for handle in range(len(self.objects)):
                self.attributes(handle)

    def modules(self) -> dict[str, ModuleType]:
        """The modules that the program may import."""
        return {name: sys.modules[name] for name in sorted(self.imported & sys.modules.keys())}

    def said(self, cases: list[tuple[str, FunctionType, list[Any]]]) -> str:
        """The world with some calls, as one line; arguments stand in their slots, `NotImplemented` for none."""
        calls = []
        for name, function, arguments in cases:
            slots = [None if argument is NotImplemented else self.of(argument) for argument in arguments]
            calls.append({"name": name, "function": self.of(function), "arguments": slots})
        self.finish()
        for row in self.rows:
            row.pop("tried", None)
        said = {
            "version": VERSION,
            "objects": self.rows,
            "classes": self.classes,
            "modules": {name: self.handles[id(module)] for name, module in self.modules().items()},
            "methods": METHODS,
            "cases": calls,
        }
        return json.dumps(said, separators=(",", ":"))


def bound(function: FunctionType, args: Any) -> list[Any]:
    """The slots of a call, as the interpreter fills them."""
    code = function.__code__
    positional, named_only = code.co_argcount, code.co_kwonlyargcount
    slots: list[Any] = [NotImplemented] * (positional + named_only)
    keywords = args[-1] if args and isinstance(args[-1], Keywords) else Keywords()
    plain = args[:-1] if keywords or (args and isinstance(args[-1], Keywords)) else args
    slots[: min(len(plain), positional)] = plain[:positional]
    extra = dict(keywords)
    for slot, name in enumerate(code.co_varnames[: positional + named_only]):
        if name in extra:
            slots[slot] = extra.pop(name)
    defaults = function.__defaults__ or ()
    for slot, default in zip(range(positional - len(defaults), positional), defaults):
        if slots[slot] is NotImplemented:
            slots[slot] = default
    for slot in range(positional, positional + named_only):
        if slots[slot] is NotImplemented:
            slots[slot] = (function.__kwdefaults__ or {})[code.co_varnames[slot]]
    if code.co_flags & 0x4:
        slots.append(tuple(plain[positional:]))
    if code.co_flags & 0x8:
        slots.append(extra)
    return slots


class Keywords(dict[str, Any]):
    """Keyword arguments, last among the arguments of a call."""


def main() -> None:
    """Describes the first call of each case."""
    from trace_cases import CASES

    world = World(recorded=True)
    calls = [(function.__name__, function, bound(function, calls[0]())) for function, calls in CASES]
    print(world.said(calls))


if __name__ == "__main__":
    # The cases import this module by its name: what they mean by `Keywords` is to be the same class here.
    importlib.import_module("trace_world").main()
