"""The parts that modules of functions that are traced or split share.

Only the standard library is imported here, and nothing of it that the functions could see.
"""

# ruff: noqa
# mypy: ignore-errors

from __future__ import annotations

from trace_torch import Tensor

#: The values that the functions have noted, in whatever module they are.
LOG: list[object] = []


class Cases(list):
    """The functions of a module, with the arguments on which they run."""

    def case(self, *calls):
        """Registers a function with the calls to be tried; each is a function that gives fresh arguments."""

        def register(function):
            self.append((function, list(calls)))
            return function

        return register


def note(value):
    """Notes the value and gives it back."""
    LOG.append(repr(value))
    return value


def say(value):
    """Notes the value and gives it back; never traced."""
    LOG.append(repr(value))
    return value


say.skipped = True


def T(value=2.0, *shape):
    """A tensor of one value."""
    return Tensor(value, shape or (2, 3))
