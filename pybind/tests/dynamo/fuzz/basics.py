"""What programs start with, and the constructs that need nothing more."""

from __future__ import annotations

from pybind.tests.dynamo.fuzz.expressions import EXPRESSIONS
from pybind.tests.dynamo.fuzz.rows import Theme
from pybind.tests.dynamo.fuzz.statements import KINDS, STATEMENTS

IMPORTS = """\
import bisect
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import heapq
import io
import itertools
import json
import math
import operator
import re
import types
import typing

import numpy as np
import torch
"""

BASICS = Theme(
    kinds=KINDS,
    expressions=EXPRESSIONS,
    statements=STATEMENTS,
    definitions="""\
g_notes = []


def note(*values, **options):
    if len(g_notes) < 100:
        # An exception would keep its frames.
        texts = [str(value) if isinstance(value, Exception) else value for value in values]
        g_notes.append((*texts, *options.items()))


Dot = collections.namedtuple("Dot", "a b")


class Box:
    def __init__(self, value, count=0):
        self.value = value
        self.count = count

    @property
    def twice(self):
        return self.count * 2

    def bump(self, by=1):
        self.count += by % 13
        return self.count

    def reset(self):
        self.count = 0

    def scaled(self, factor):
        return self.value * factor

    def __add__(self, other):
        return self.value + other

    def __mul__(self, other):
        return self.value * other

    def __call__(self, other):
        return self.value - other

    def __len__(self):
        return abs(self.count) % 5

    def __getitem__(self, at):
        return self.count - at

    def __contains__(self, item):
        return item == self.count

    def __enter__(self):
        self.count += 1
        return self.count

    def __exit__(self, kind, error, trace):
        self.count -= 2


class Odd(ValueError):
    pass


@contextlib.contextmanager
def quietly(notes):
    with torch.no_grad():
        yield len(notes)
    if len(notes) < 8:
        notes.append(2)


@contextlib.contextmanager
def guarded(notes):
    try:
        yield len(notes)
    except KeyError as error:
        notes[:] = [len(error.args)]
    finally:
        if len(notes) < 8:
            notes.append(4)


class Noted:
    def __init__(self, notes):
        self.notes = notes

    def __enter__(self):
        if len(self.notes) < 8:
            self.notes.append(1)
        return self

    def __exit__(self, kind, error, trace):
        print("left", kind)
        return kind is ValueError


def counting(most):
    for i in range(most):
        yield i * 3


def walked(tree):
    count = 1
    for part in tree:
        if isinstance(part, list):
            count += yield from walked(part)
        else:
            yield part
    return count


@torch.compiler.disable
def disabled(value):
    return value


g_int = 4
g_ints = [3, 1, 2]
g_table = {"a": 1, "key": 5}
g_tensor = torch.ones(3)
g_str = "glob"
""",
)
