"""The basics that programs start with, and the constructs that need nothing more."""

from __future__ import annotations

from pybind.tests.dynamo.fuzz.blocks import (
    branch,
    context,
    counted,
    data_branch,
    jump,
    matching,
    over,
    over_rows,
    protect,
    walrus,
)
from pybind.tests.dynamo.fuzz.containers import CONTAINER_ROWS
from pybind.tests.dynamo.fuzz.functions import (
    counter,
    define,
    expression_statement,
    lambda_function,
    recursion,
    write_global,
    write_outer,
)
from pybind.tests.dynamo.fuzz.rows import Row, Theme
from pybind.tests.dynamo.fuzz.statements import early_return, raised
from pybind.tests.dynamo.fuzz.stores import (
    alias,
    annotated,
    assign,
    augmented,
    chained,
    in_place,
    partial_tensor,
    rebind,
    swap,
    unpack,
)
from pybind.tests.dynamo.fuzz.tensors import TENSORS
from pybind.tests.dynamo.fuzz.values import VALUES

#: The weight with which a kind is taken for a new variable, a parameter, or a result.
KINDS = {
    "tensor": 10,
    "int": 4,
    "float": 2,
    "bool": 1,
    "str": 1.5,
    "maybe": 2,
    "ints": 2,
    "set": 0.5,
    "table": 1.5,
    "tensors": 2.5,
    "named": 2,
    "pair": 1.2,
    "box": 2.5,
    "mask": 0.7,
}

STATEMENTS: tuple[Row, ...] = (
    Row("assign", 14, assign),
    Row("assign again", 6, rebind),
    Row("assign chained", 0.7, chained),
    Row("assign annotated", 0.2, annotated),
    Row("alias", 2, alias),
    Row("swap", 1, swap),
    Row("unpack", 2, unpack),
    Row("part of tensor", 3, partial_tensor),
    Row("in-place", 3, in_place),
    Row("augmented", 3, augmented),
    Row("if", 5, branch),
    Row("if tensor", 0.8, data_branch),
    Row("walrus", 1, walrus),
    Row("match", 0.5, matching),
    Row("while", 1, counted),
    Row("for", 5, over),
    Row("for rows", 0.7, over_rows),
    Row("break continue", 1.5, jump),
    Row("try", 1.5, protect),
    Row("with", 1.2, context),
    Row("early return", 1, early_return),
    Row("raise", 0.7, raised),
    Row("assert", 0.4, "assert $bool or True, $str"),
    Row("assert may fail", 0.15, "assert $bool, $str"),
    Row("global write", 1, write_global),
    Row("nonlocal write", 3, write_outer),
    Row("def", 2.5, define),
    Row("lambda", 1, lambda_function),
    Row("closure counter", 0.6, counter),
    Row("recursion", 0.7, recursion),
    Row("call statement", 1, expression_statement),
    Row("print", 1.5, "print(⟨$int $str $ints @any.shape $table $bool⟩, $int)"),
    Row("print keywords", 0.3, 'print($int, $str, sep="|", end="⟨. !⟩")'),
    Row("print tensor", 0.15, "print($scalar)"),
    Row("graph break", 0.5, "torch._dynamo.graph_break()"),
    Row("disabled call", 0.5, "disabled(⟨$any $int $ints⟩)"),
    Row("unbound local", 0.1, "⟨g_int g_str g_ints⟩ += 1"),
    Row("append", 1, "if len(@ints) < 6:\n    @ints.append($int)"),
    Row("append to other", 1, "@ints.append($int % 9) if len(@ints) < 6 else None"),
    Row("insert", 0.5, "@ints.insert($small, $int)"),
    Row("extend", 0.5, "@ints.extend(($ints)[:1])"),
    Row("list store", 1, "@ints[⟨0 -1 $small⟩] = $int"),
    Row("slice store", 0.4, "@ints[:1] = ($ints)[:2]"),
    Row("operator store", 0.4, "operator.setitem(@ints, ⟨0 -1⟩, $int)"),
    Row("operator del", 0.1, "operator.delitem(@ints, 0)"),
    Row("operator in place", 0.3, "operator.iadd(@ints, [$int]) if len(@ints) < 6 else None"),
    Row("list order", 0.4, "@ints.⟨reverse() sort()⟩"),
    Row("list clear", 0.1, "@ints.clear()"),
    Row("list remove", 0.2, "@ints.remove($int)"),
    Row("list pop", 0.4, "@ints.pop()"),
    Row("list del", 0.3, "del @ints[⟨0 -1 1:⟩]"),
    Row("tensors store", 0.7, "@tensors[⟨0 -1⟩] = $same"),
    Row("tensors append", 0.7, "@tensors.append($same) if len(@tensors) < 5 else None"),
    Row("dict store", 1.2, "@table[($str)[:8]] = $int % 77"),
    Row("dict update", 0.5, "@table.update(⟨a=$int $table⟩)"),
    Row("dict pop", 0.4, '@table.pop(⟨"a" "b"⟩, ⟨None 0⟩)'),
    Row("dict pop may fail", 0.1, '@table.pop(⟨"a" "b"⟩)'),
    Row("dict del", 0.15, 'del @table[⟨"a" "b"⟩]'),
    Row("dict augmented", 0.5, '@table["a"] = (@table.get("a", 0) + $int) % 77'),
    Row("named store", 0.7, '@named[⟨"a" "b" "c"⟩] = $same'),
    Row("set add", 0.4, "@set.⟨add discard⟩($int)"),
    Row("attribute store", 1, "@box.value = $same"),
    Row("attribute count", 1, "@box.count = $int % 55"),
    Row("attribute augmented", 0.7, "@box.count += $small"),
    Row("attribute new", 0.4, "@box.extra = ⟨$str $ints $any⟩"),
    Row("attribute in-place", 0.4, "@box.value = @box.value ⟨+ *⟩ $broad"),
    Row("setattr", 0.3, 'setattr(@box, "count", $int % 9)'),
    Row("attribute del", 0.1, "del @box.extra"),
    Row("method call", 0.7, "@box.⟨bump(1) reset()⟩"),
    Row("pass", 0.1, "pass"),
)

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
    expressions={**VALUES, **CONTAINER_ROWS, **TENSORS},
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
