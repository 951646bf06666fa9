"""Arguments of builtins and of the library: by position, by keyword, through `partial` and unpacked, they are bound as
Python binds them, or refused with its own errors."""

from __future__ import annotations

import collections
import contextlib
import functools
import itertools
import math
import operator
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import pytest
import torch

from rust_inductor import _capture


class Pair(NamedTuple):
    a: int
    b: int = 5


#: A function or class, and what stands between the parentheses: in calls that are traced, and in calls that end the
#: graph, most of which raise.
CALLS: dict[str, tuple[list[str], list[str]]] = {
    "bool": (["", "0", "[1]"], ["1, 2", "object=1", "x=1"]),
    "int": (
        ["", "'10'", "'10', base=2", "'10', 2", "b'7', base=8", "2.5", "True"],
        ["x=1", "base=2", "'10', 2, 3", "2.5, base=2", "'z'", "'10', b=2", "[1]"],
    ),
    "float": (["", "'1.5'", "2"], ["x=1", "1, 2", "'a'"]),
    "complex": (["1, 2", "real=1, imag=2", "1, imag=2", ""], ["1, 2, 3", "re=1"]),
    "str": (
        ["", "5", "object=5", "b'x', encoding='ascii'", "b'x', 'ascii'", "b'x', errors='strict'", "encoding='ascii'"],
        ["5, 'ascii'", "1, 2, 3, 4", "text=5", "'a', encoding='ascii'"],
    ),
    "repr": (["'a'", "[1, 'a']"], ["", "1, 2", "obj=1"]),
    "list": (["", "(1, 2)", "{'a': 1}"], ["a=1", "[1], [2]", "iterable=[1]", "5"]),
    "tuple": (["", "[1, 2]"], ["a=1", "[1], [2]", "iterable=[1]", "5"]),
    "set": (["", "[1, 2]"], ["a=1", "[1], [2]"]),
    "frozenset": (["", "[1, 2]"], ["a=1", "[1], [2]"]),
    "dict": (
        ["", "{'a': 1}", "a=1, b=2", "[('a', 1)], a=2", "iterable=[1]", "{'b': 2, 'a': 1}, a=3, self=4"],
        ["{}, {}", "5", "[1]"],
    ),
    "dict.fromkeys": (["'ab'", "['a'], 1"], ["", "['a'], value=1", "['a'], 1, 2", "iterable=[1]"]),
    "range": (["3", "1, 3", "1, 9, 2"], ["", "1, 2, 3, 4", "stop=3", "1, stop=3", "1, 9, step=2", "1, 2, 0", "1.5"]),
    "slice": (["3", "1, 3", "1, 9, None"], ["", "1, 2, 3, 4", "stop=3"]),
    "len": (["[1, 2]", "'abc'", "{}"], ["", "[], []", "obj=[]", "5"]),
    "isinstance": (["1, int", "1, (str, int)", "True, (str, list)"], ["1", "1, int, str", "obj=1, class_or_tuple=int"]),
    "issubclass": (["bool, int"], ["bool", "bool, int, int", "cls=bool, class_or_tuple=int"]),
    "callable": (["len", "1"], ["", "1, 2", "obj=1"]),
    "type": (["1", "[]"], ["", "1, 2", "object=1", "1, a=2"]),
    "iter": (["[1, 2]"], ["", "[1], 2", "iter=[1]"]),
    "next": (["iter([1, 2])", "iter([]), 5"], ["", "iter([])", "iter([]), default=5", "iter([]), 5, 6", "[1]"]),
    "enumerate": (
        ["'ab'", "'ab', 3", "'ab', start=3", "iterable='ab', start=3", "start=3, iterable='ab'"],
        ["", "'ab', 3, 4", "'ab', begin=3", "'ab', 3, start=4", "'ab', start=1.5"],
    ),
    "zip": (["", "'ab', [1, 2, 3]", "'ab', [1, 2], strict=True"], ["'ab', [1], strict=True", "'ab', b=1", "5"]),
    "map": (["abs, [1, -2]", "max, [1, 5], [4, 2]"], ["", "len", "function=len, iterable=[]", "abs, [1], strict=True"]),
    "filter": (["None, [0, 1]", "bool, [0, 1]"], ["", "None", "None, [1], [2]", "function=None, iterable=[1]"]),
    "reversed": (["[1, 2]", "'ab'", "range(3)"], ["", "[1], [2]", "sequence=[1]", "iter([1])", "{1, 2}"]),
    "sum": (["[1, 2]", "[1, 2], 3", "[1, 2], start=3", "[[1], [2]], []"], ["", "[1], 2, 3", "iterable=[1]", "'ab'"]),
    "math.prod": (["[1, 2, 3]", "[2, 3], start=4", "[], start=1.5"], ["", "[1], 2", "iterable=[1]", "[1], begin=2"]),
    "sorted": (
        ["[2, 1]", "[2, -3], key=abs", "[1, 2], reverse=True", "[2, 1], key=None, reverse=0"],
        [
            "",
            "[1], None",
            "[1], abs, True",
            "iterable=[1]",
            "[1], cmp=None",
            "[1], reverse='a'",
            "[2, 1], reverse=None",
        ],
    ),
    "min": (
        ["[2, 1]", "2, 1", "[], default=3", "[2, 1], default=3", "2, -1, key=abs", "[2, 1], key=None"],
        ["", "[]", "1, 2, default=3", "1", "[1], cmp=1", "iterable=[1]"],
    ),
    "max": (
        ["[2, 1]", "2, 1", "[], default=3", "[], default=None", "[2, 1], default=3", "2, -3, key=abs"],
        ["", "[]", "1, 2, default=3", "default=3", "1", "[1], cmp=1"],
    ),
    "all": (["[1, 0]", "[]"], ["", "[1], [2]", "iterable=[1]", "5"]),
    "any": (["[1, 0]", "[]"], ["", "[1], [2]", "iterable=[1]", "5"]),
    "abs": (["-1", "-1.5"], ["", "1, 2", "x=1", "'a'"]),
    "divmod": (["7, 2"], ["7", "7, 2, 1", "x=7, y=2", "7, 0"]),
    "pow": (["2, 3", "2, exp=3", "base=2, exp=3", "2, 3, mod=5", "2, 3, 5"], ["2", "2, 3, 4, 5", "2, y=3"]),
    "round": (
        ["2.567, 1", "2.567, ndigits=1", "number=2.567", "2.5", "number=2.5, ndigits=None"],
        ["", "1, 2, 3", "x=1"],
    ),
    "getattr": (
        ["Pair(1), 'b'", "torch, 'relu', 4"],
        ["Pair(1)", "Pair(1), 'c', 4", "Pair(1), 'c', default=4", "Pair(1), 5", "1, 2, 3, 4"],
    ),
    "hasattr": (
        ["torch, 'relu'"],
        ["torch, 'no_such_name'", "torch", "torch, 'a', 'b'", "obj=torch, name='relu'", "torch, 5"],
    ),
    "ord": (["'a'"], ["", "'a', 'b'", "c='a'", "'ab'"]),
    "bin": (["5"], ["", "number=5", "5, 6"]),
    "hash": (["5"], ["", "obj=5", "5, 6"]),
    "format": (["5, '03d'", "5"], ["5, format_spec='03d'", ""]),
    "math.sqrt": (["4"], ["", "4, 5", "x=4", "-1"]),
    "math.isclose": (["1, 1.1, rel_tol=0.5", "1, 1, abs_tol=0", "a=1, b=2"], ["1, 2, 3", "1, 2, tol=1"]),
    "math.log": (["8, 2", "8"], ["8, base=2", "x=8", "0"]),
    "math.gcd": (["4, 6", ""], ["a=4"]),
    "operator.add": (["1, 2", "'a', 'b'"], ["1", "1, 2, 3", "a=1, b=2", "1, b=2"]),
    "operator.neg": (["1"], ["", "a=1", "1, 2"]),
    "operator.not_": (["[]"], ["", "a=1", "1, 2"]),
    "operator.is_": (["None, None"], ["None", "a=None, b=None", "1, 2, 3"]),
    "operator.contains": (["[1], 1"], ["[1]", "a=[1], b=1"]),
    "operator.getitem": (["[1, 2], 0"], ["[1]", "a=[1], b=0", "[1], 0, 1"]),
    "operator.itemgetter": (["0"], ["", "item=0", "0, key=1"]),
    "operator.attrgetter('b')": (["Pair(1)"], ["", "Pair(1), 2", "obj=Pair(1)"]),
    "operator.itemgetter(0, 1)": (["'ab'"], ["", "'ab', 2", "obj='ab'"]),
    "operator.methodcaller('split', sep=',')": (["'a,b'"], ["", "'a,b', 2", "obj='a,b'"]),
    "operator.methodcaller('pop', 0)": (["[1, 2]"], ["[]"]),
    "functools.reduce": (
        ["operator.add, [1, 2]", "operator.add, [1, 2], 3"],
        ["operator.add", "operator.add, []", "operator.add, [], 1, 2", "function=max, iterable=[1]"],
    ),
    "functools.partial(int, base=2)": (["'10'", "'10', base=8"], ["10", "'10', 8"]),
    "functools.partial(functools.partial(sorted, reverse=True), [1, 2])": (["", "reverse=False"], ["[1]"]),
    "functools.partial": (["int, '10'"], ["", "func=int"]),
    "itertools.combinations": (
        ["[1, 2, 3], 2", "[1, 2, 3], r=2", "iterable=[1, 2], r=1"],
        ["[1, 2]", "[1, 2], 1, 2", "[1, 2], r=-1", "[1, 2], k=1", "[1, 2], None"],
    ),
    "itertools.combinations_with_replacement": (["[1, 2], 2", "[1, 2], r=2"], ["[1, 2]", "[1, 2], r=-1"]),
    "itertools.permutations": (
        ["[1, 2, 3]", "[1, 2, 3], 2", "[1, 2], r=1", "[1, 2], r=None"],
        ["", "[1], r=-1", "[1], k=1"],
    ),
    "itertools.product": (["'ab', [1]", "'ab', repeat=2", "", "repeat=0"], ["'ab', times=2", "'ab', repeat=-1"]),
    "itertools.repeat": (["1, 2", "1, times=2", "object=1, times=2"], ["", "1, 2, 3", "1, n=2", "times=2"]),
    "itertools.count": (["", "1", "1, 2", "start=1, step=2", "step=2"], ["1, 2, 3", "begin=1"]),
    "itertools.cycle": (["[1, 2]"], ["", "iterable=[1]", "[1], [2]"]),
    "itertools.chain": (["", "[1], [2]"], ["iterables=[1]"]),
    "itertools.chain.from_iterable": (["[[1], [2]]"], ["", "iterable=[[1]]", "[1], [2]"]),
    "itertools.islice": (
        ["[1, 2, 3], 2", "[1, 2, 3], 1, 3", "[1, 2, 3], 0, None, 2", "[1, 2], None"],
        ["", "[1]", "[1], stop=1", "[1], 1, 2, 3, 4", "[1], -1", "iterable=[1]"],
    ),
    "itertools.pairwise": (["[1, 2, 3]"], ["", "iterable=[1]", "[1], [2]"]),
    "itertools.accumulate": (
        [
            "[1, 2]",
            "[1, 2], max",
            "[1, 2], func=max",
            "[1, 2], initial=3",
            "[1, 2], max, initial=3",
            "iterable=[1], func=None",
        ],
        ["", "[1], max, 3", "[1], function=max"],
    ),
    "itertools.takewhile": (["bool, [1, 0]"], ["bool", "bool, [1], 2", "predicate=bool, iterable=[1]"]),
    "itertools.dropwhile": (["bool, [1, 0]"], ["bool", "predicate=bool, iterable=[1]"]),
    "itertools.filterfalse": (["None, [1, 0]"], ["None", "function=None, iterable=[1]"]),
    "itertools.starmap": (["max, [(1, 2)]"], ["max", "function=max, iterable=[]"]),
    "itertools.zip_longest": (["[1], [2, 3]", "[1], [2, 3], fillvalue=0", ""], ["[1], fill=0"]),
    "itertools.compress": (
        ["'ab', [1, 0]", "'ab', selectors=[0, 1]", "data='ab', selectors=[1, 1]"],
        ["'ab'", "'ab', [1], 2"],
    ),
    "itertools.groupby": (
        ["'aab'", "[1, -1], abs", "[1, -1], key=abs", "iterable=[1], key=None"],
        ["", "[1], abs, 2", "[1], func=abs"],
    ),
    "itertools.tee": (["[1]", "[1], 3"], ["", "[1], n=3", "iterable=[1]", "[1], -1"]),
    "collections.OrderedDict": (["", "[('a', 1)], b=2", "a=1"], ["{}, {}", "5"]),
    "collections.OrderedDict.fromkeys": (
        ["'ab'", "'ab', 1", "'ab', value=1", "iterable='ab'"],
        ["", "'ab', 1, 2", "'ab', v=1"],
    ),
    "collections.defaultdict": (["", "list", "list, [('a', [])], b=2", "None, a=1"], ["5", "list, {}, {}"]),
    "collections.Counter": (["", "'aab'", "a=2", "'aab', a=2", "{'a': 1}", "None", "iterable=3"], ["'a', 'b'", "5"]),
    "collections.deque": (
        ["", "[1, 2]", "[1, 2], 1", "[1, 2], maxlen=1", "maxlen=1", "iterable=[1, 2], maxlen=1", "[1], None"],
        ["[1], 2, 3", "[1], max=1", "[1], maxlen=-1", "5"],
    ),
    "Pair": (["1", "1, 2", "a=1, b=2", "b=1, a=2"], ["", "1, 2, 3", "1, a=2", "1, c=2"]),
    "Pair._make": (["[1, 2]"], ["", "[1]", "[1, 2, 3]", "[1, 2], 3"]),
    "cast": (["int, 'a'", "typ=int, val=1", "int, val=1"], ["int", "int, 1, 2", "int, value=1"]),
    "torch.is_tensor": (["1", "X"], ["", "obj=1", "X, X"]),
    "torch.is_floating_point": (["X", "input=X"], ["", "1", "X, X", "tensor=X"]),
    "torch.is_complex": (["X", "input=X"], ["", "X, X"]),
    "torch.is_grad_enabled": ([""], ["1", "a=1"]),
    "torch.device": (
        ["'cpu'", "type='cpu'", "'cpu', 0", "'cuda', index=1", "type='cuda', index=1"],
        ["", "'cpu', 0, 1", "kind='cpu'"],
    ),
    "torch.nn.functional.pad": (
        ["X, (1, 1)", "X, (1, 1), value=2.0", "input=X, pad=(1, 0), mode='constant'"],
        ["X", "X, (1, 1), fill=2"],
    ),
    "contextlib.nullcontext": ([], ["1, 2", "result=1"]),
    "contextlib.closing": ([], ["", "1, 2", "cm=1"]),
    "contextlib.suppress": ([], ["exceptions=KeyError"]),
    "contextlib.ExitStack": ([], ["1", "a=1"]),
    "torch.no_grad": ([], ["1", "a=1", "None", "orig_func=None"]),
    "torch.inference_mode": ([], ["True, False", "enabled=True"]),
    "torch.set_grad_enabled": ([], ["", "True, False", "enabled=True"]),
    "torch.autocast": ([], ["", "'cpu', device_type='cpu'", "'cpu', kind=1"]),
}

#: A container, one of its methods, and the same.
METHODS: dict[tuple[str, str], tuple[list[str], list[str]]] = {
    ("[3, 1]", "append"): (["2"], ["", "1, 2", "object=1"]),
    ("[3, 1]", "extend"): (["[2]", "'ab'"], ["", "[1], [2]", "iterable=[1]", "5"]),
    ("[3, 1]", "insert"): (["0, 2", "-1, 2", "-9, 2", "9, 2"], ["1", "index=0, object=2", "1.5, 2"]),
    ("[3, 1]", "pop"): (["", "0", "-2"], ["index=0", "0, 1", "5", "-3", "1.5"]),
    ("[3, 1]", "remove"): (["1"], ["", "value=1", "7"]),
    ("[3, 1, 3]", "index"): (["1", "3, 1", "3, 1, 3", "3, -1"], ["", "value=1", "3, start=1", "3, 1, 2", "7"]),
    ("[3, 1, 3]", "count"): (["3", "7"], ["", "value=3", "1, 2"]),
    ("[3, -1]", "sort"): (
        ["", "key=abs", "reverse=True", "key=None, reverse=False"],
        ["None", "abs, True", "cmp=abs", "reverse='a'", "key=5"],
    ),
    ("[3, 1]", "clear"): ([""], ["1", "a=1"]),
    ("[3, 1]", "copy"): ([""], ["1", "deep=True"]),
    ("[3, 1]", "reverse"): ([""], ["1"]),
    ("(3, 1, 3)", "index"): (["1", "3, 1"], ["", "value=1", "7", "3, 1, 2"]),
    ("(3, 1, 3)", "count"): (["3"], ["", "value=3"]),
    ("range(5)", "index"): (["3"], ["", "3, 1", "7"]),
    ("{'a': 1}", "get"): (["'a'", "'b'", "'b', 2"], ["", "'a', default=2", "key='a'", "'a', 1, 2"]),
    ("{'a': 1, 'b': 2}", "pop"): (["'a'", "'c', 3"], ["", "'c'", "'a', 1, 2", "'a', default=1", "key='a'"]),
    ("{'a': 1}", "popitem"): ([""], ["last=True", "1"]),
    ("{'a': 1}", "setdefault"): (["'a'", "'b'", "'b', 2"], ["", "'b', default=2", "'b', 1, 2"]),
    ("{'a': 1}", "update"): (["", "{'b': 2}", "[('b', 2)], c=3", "self=4"], ["{}, {}", "5"]),
    ("{'a': 1}", "keys"): ([], ["1", "a=1"]),
    ("{'a': 1}", "clear"): ([""], ["1"]),
    ("{'a': 1}", "copy"): ([""], ["1"]),
    ("{'a': 1}.keys()", "isdisjoint"): (["['b']"], ["", "['b'], ['c']", "other=[]"]),
    ("{1, 2}", "add"): (["3"], ["", "1, 2", "elem=1"]),
    ("{1, 2}", "remove"): (["1"], ["", "7", "1, 2"]),
    ("{1, 2}", "update"): (["[3]", "[3], [4]", ""], ["others=[3]", "5"]),
    ("{1, 2}", "union"): (["[3]", "[3], [4]"], ["other=[3]", "5"]),
    ("{1, 2}", "issubset"): (["[1, 2, 3]"], ["", "[1], [2]", "other=[1]"]),
    ("{1, 2}", "symmetric_difference"): (["[2, 3]"], ["", "[1], [2]"]),
    ("collections.OrderedDict(a=1, b=2)", "popitem"): (["", "last=False", "False"], ["1, 2", "first=True"]),
    ("collections.OrderedDict(a=1, b=2)", "move_to_end"): (
        ["'a'", "'b', last=False", "'b', False", "key='a'"],
        ["", "'c'", "'a', True, 1", "'a', first=True"],
    ),
    ("collections.OrderedDict(a=1)", "pop"): (["'a'", "'b', 2", "'b', default=2", "key='a'"], ["", "'b'", "'a', 1, 2"]),
    ("collections.OrderedDict(a=1)", "setdefault"): (["'b', 2", "'b', default=2", "key='b'"], ["", "'a', 1, 2"]),
    ("collections.Counter('aab')", "most_common"): (["", "1", "n=1", "None"], ["1, 2", "k=1"]),
    ("collections.Counter('aab')", "update"): (["'b'", "b=2", "{'a': 1}, b=1", "iterable=1"], ["'a', 'b'"]),
    ("collections.Counter('aab')", "subtract"): (["'b'", "b=2"], ["'a', 'b'"]),
    ("collections.deque([1, 2])", "append"): (["3"], ["", "1, 2", "x=1"]),
    ("collections.deque([1, 2])", "rotate"): (["", "1", "-1"], ["n=1", "1, 2"]),
    ("collections.deque([1, 2])", "insert"): (["0, 3"], ["1", "index=0, value=3"]),
    ("collections.deque([1, 2])", "index"): (["2", "2, 1"], ["", "value=1", "7"]),
    ("collections.deque([1, 2], 2)", "pop"): ([""], ["0", "index=0"]),
    ("'a b c'", "split"): (
        ["", "' '", "sep=' '", "sep=' ', maxsplit=1", "None, 1", "maxsplit=1"],
        ["' ', 1, 2", "by=' '", "1"],
    ),
    ("'aba'", "replace"): (["'a', 'c'", "'a', 'c', 1"], ["'a'", "old='a', new='c'"]),
    ("'ab'", "center"): (["6", "6, '*'"], ["", "width=6"]),
    ("'ab\\ncd'", "splitlines"): (["", "True", "keepends=True"], ["1, 2", "keep=True"]),
    ("'{} {a}'", "format"): (["1, a=2"], ["", "1"]),
    ("'ab'", "encode"): (["", "'ascii'", "encoding='ascii', errors='strict'"], ["'ascii', 'strict', 1"]),
    ("'-'", "join"): (["['a', 'b']"], ["", "iterable=['a']", "['a'], ['b']"]),
    ("b'ab'", "decode"): (["", "encoding='ascii'"], ["codec='ascii'"]),
    ("(5)", "to_bytes"): (["2, 'big'", "length=2, byteorder='big'"], ["-1", "2, 'middle'"]),
    ("(5)", "bit_length"): ([""], ["1", "a=1"]),
    ("(2.5)", "is_integer"): ([""], ["1"]),
    ("Pair(1, 2)", "_replace"): (["", "a=3"], ["3", "c=3"]),
    ("Pair(1, 2)", "_asdict"): ([""], ["1", "a=1"]),
    ("slice(1, None)", "indices"): (["5"], ["", "5, 6", "length=5"]),
    ("x.shape", "numel"): ([""], ["1"]),
    ("x", "size"): (["", "0", "dim=0", "-1"], ["0, dim=0", "axis=0", "3"]),
    ("x", "storage_offset"): ([""], ["1", "a=1"]),
    ("x", "stride"): (["", "0", "dim=0"], ["0, dim=0"]),
    ("x", "numel"): ([""], ["1", "a=1"]),
    ("contextlib.ExitStack()", "callback"): ([], ["", "callback=len"]),
    ("contextlib.ExitStack()", "enter_context"): ([], ["", "manager=1", "1, 2"]),
}

#: Modules and functions that only the texts of the calls name.
NAMED = (cast, math, operator)

X = torch.arange(3.0)


def spread(function, *args, **kwargs):
    """A call with unpacked arguments."""
    return function(*args, **kwargs)


#: The ways to pass arguments.
WAYS = {"direct": "f({})", "partial": "functools.partial(f, {})()", "unpacked": "spread(f, {})"}


def seen(value: Any) -> Any:
    """The part of a result that is compared."""
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, (list, tuple, collections.deque)):
        return type(value), [seen(item) for item in value], getattr(value, "maxlen", None)
    if isinstance(value, dict):
        return type(value), [(key, seen(item)) for key, item in value.items()]
    if isinstance(value, Iterator):
        return [seen(item) for item in itertools.islice(value, 6)]
    if isinstance(value, functools.partial):
        return seen((value.func, value.args, value.keywords))
    return value if type(value).__module__ in ("builtins", "torch") and not callable(value) else type(value)


def result(function: Any) -> Any:
    """The result of a call, or the exception that it raises."""
    try:
        return seen(function(X))
    except Exception as error:
        return type(error), str(error)


def check(setup: str, arguments: str, is_traced: bool) -> None:
    """Compares the compiled call, made in every way, with the plain one."""
    for way, call in WAYS.items():
        space = dict(globals())
        text = f"def case(x):\n    {setup}\n    result = {call.format(arguments)}\n    return x + 1, result, o\n"
        exec(compile(text, "<case>", "exec"), space)
        log: list[dict[str, Any]] = []
        torch._dynamo.reset()
        compiled = _capture.optimize(space["case"], backend="eager", listener=log.append)
        expected = result(space["case"])
        for _ in range(2):
            assert result(compiled) == expected, (way, text)
        reasons = [event.get("break_reason") or event.get("skipped") for event in log]
        if is_traced:
            assert reasons == [None], (way, text)


@pytest.mark.parametrize("name", CALLS)
def test_function(name):
    """Calls of a function or class."""
    for arguments in CALLS[name][0]:
        check(f"f, o = {name}, None", arguments, True)
    for arguments in CALLS[name][1]:
        check(f"f, o = {name}, None", arguments, False)


@pytest.mark.parametrize(("owner", "name"), METHODS)
def test_method(owner, name):
    """Calls of a method; the container is compared afterwards."""
    for arguments in METHODS[owner, name][0]:
        check(f"o = {owner}; f = o.{name}", arguments, True)
    for arguments in METHODS[owner, name][1]:
        check(f"o = {owner}; f = o.{name}", arguments, False)


def caught(x):
    most: Any = max
    try:
        most(1, 2, default=3)
    except TypeError as error:
        return x + 1, str(error)
    return x - 1, None


def caught_of_a_method(x):
    kept: Any = [3, 1]
    try:
        kept.sort(None)
    except TypeError as error:
        return x + 1, str(error), kept
    return x - 1, None, kept


def printed(x):
    print(1, 2, sep="-", end=";\n")
    return x + 1


def managers(x):
    with contextlib.nullcontext(enter_result=3) as three, contextlib.suppress(KeyError, IndexError):
        x = x + three
    with torch.inference_mode(mode=False), torch.set_grad_enabled(mode=False), torch.no_grad():
        x = x * 2
    with contextlib.ExitStack() as stack:
        two = stack.enter_context(cm=contextlib.nullcontext(enter_result=2))
        stack.callback(print, "left", sep=", ")
    return x + two, torch.is_grad_enabled()


@pytest.mark.parametrize("function", [caught, caught_of_a_method, printed, managers])
def test_as_it_is(function, capsys):
    """Handlers see Python's own errors, effects take all arguments."""
    compiled = _capture.optimize(function, backend="eager")
    for _ in range(2):
        expected, out = result(function), capsys.readouterr().out
        assert (result(compiled), capsys.readouterr().out) == (expected, out)
