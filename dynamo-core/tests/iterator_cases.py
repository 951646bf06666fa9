"""Functions over iterators of `itertools`, which `trace_code.py` runs traced and plain."""

# ruff: noqa
# mypy: ignore-errors

from __future__ import annotations

import itertools
import operator

from cases import LOG, Cases, T, say

CASES = Cases()
case = CASES.case


@case(lambda: (T(1.0),))
def whole(x):
    a = [n for n, _ in zip(itertools.count(2, 3), range(3))]
    b = list(itertools.accumulate([1, 2, 3], operator.mul)), list(itertools.pairwise([1, 2, 3]))
    c = list(itertools.islice(itertools.cycle("ab"), 5)), list(itertools.zip_longest([1], [2, 3], fillvalue=0))
    d = list(itertools.takewhile(lambda n: n < 3, [1, 2, 5])), list(itertools.starmap(operator.sub, [(2, 3)]))
    e = [(key, list(group)) for key, group in itertools.groupby([1, 1, 2])], next(itertools.tee("ab")[0])
    f = operator.itemgetter(1)([1, 2]), operator.attrgetter("shape")(x), operator.methodcaller("count", 1)([1])
    return x * 2, a, b, c, d, e, f, range(10)[2:8:3], slice(1, None).indices(5), list(zip([1], [2], strict=True))


@case(lambda: (T(1.0),))
def broken(x):
    left = [
        itertools.count(3),
        itertools.chain(iter([1, 3]), [2]),
        itertools.accumulate([1, 2, 5], max),
        itertools.takewhile(lambda n: n < 3, [1, 2, 5]),
        itertools.dropwhile(lambda n: n < 2, [1, 2, 5, 1]),
        itertools.compress([1, 2, 3], [1, 1, 1]),
        itertools.zip_longest([1], [2, 3, 4], fillvalue=4),
        itertools.islice(iter([1, 2, 3, 4, 5, 6]), 1, 6, 2),
        zip([1, 2], [2, 3], strict=True),
        itertools.pairwise(iter([1, 2, 4, 8])),
        itertools.chain.from_iterable([[1, 2], (), [3]]),
        itertools.cycle(iter([1, 2, 3])),
        *itertools.tee(iter([1, 2, 3])),
    ]
    y = x + 1
    firsts = [next(one) for one in left]
    say(len(firsts))
    return y * 2, firsts, [list(itertools.islice(one, 3)) for one in left]
