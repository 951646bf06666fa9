"""Reasons for which graphs end, in general terms: so that those of many models can be counted together."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping

QUOTED = re.compile(r"`([^`]*)`")
KNOWN = re.compile(
    r"(builtins|torch|Tensor|_?operator|_?functools|_?collections|dataclasses|typing|inspect|itertools|contextlib|enum|abc|math"
    r"|types|re|copy|random|logging|warnings|numpy|weakref|_?thread(ing)?|os|sys|importlib|_?contextvars)\."
)
#: Bases that say nothing of what a class is.
VAGUE = re.compile(r"(abc\.ABC|typing\.(Generic|Protocol))$")
NUMBER = re.compile(r"0x[0-9a-f]+|(?<![\w.])\d+\b(?!\))")
#: The folder of a file of an installed package.
FOLDER = re.compile(r"(?<![\w.])/[\w./+-]*/(?=[\w.+-]+/[\w.+-]+\.py\b)")
OF = re.compile(r"`[^`.]*` of (a|an)? ?`([^`]*)`")


def is_known(name: str) -> bool:
    """Whether a dotted name is of Python, torch or NumPy, and so the same in every model."""
    return bool(KNOWN.match(name)) and not VAGUE.match(name)


def bases_in(texts: Iterable[str]) -> dict[str, str]:
    """The classes that the texts name, each with the first class of Python or torch that it derives from."""
    found: dict[str, str] = {}
    for name in {name for text in texts for name in QUOTED.findall(text)}:
        package, _, last = name.rpartition(".")
        known = getattr(sys.modules.get(package), last, None)
        if isinstance(known, type):
            places = [f"{base.__module__}.{base.__qualname__}" for base in known.__mro__[1:] if base is not object]
            found.update((name, place) for place in reversed(places) if is_known(place))
    return found


def kind_of(text: str, bases: Mapping[str, str] | None = None) -> str:
    """A reason without what is one model's own: names of its attributes, functions and classes, and numbers.

    `bases` gives for classes what of Python or torch they derive from, which then stands for them.
    """

    def general(name: str) -> str:
        if is_known(name) or "." not in name:
            return name
        base = (bases or {}).get(name)
        return f"… : {base}" if base else "…"

    def member(found: re.Match[str]) -> str:
        whole, owner = found[0], found[2]
        return whole if is_known(owner) or "." not in owner else "`…`" + whole[whole.index("`", 1) + 1 :]

    text = NUMBER.sub("#", OF.sub(member, FOLDER.sub("", text)))
    return QUOTED.sub(lambda found: f"`{general(found[1])}`", text)
