"""Classes that come from `tuple`, `int`, `float`, `str`, `set` and `frozenset`, whose objects hold a value."""

# ruff: noqa: RUF005, SIM300, UP031, UP032 - The operators that are tested.
# mypy: disable-error-code="assignment, attr-defined, comparison-overlap, index, operator, return-value"
from __future__ import annotations

from typing import Any

import pytest
import torch

from pybind.tests.dynamo.counted import check_one_graph
from rust_inductor import _capture


class Pair(tuple[Any, ...]):
    """Methods, a property and an operator of its own."""

    def total(self):
        return self[0] + self[1]

    @property
    def first(self):
        return self[0]

    def __add__(self, other):
        return Pair(a + b for a, b in zip(self, other, strict=True))


class Plain(tuple[Any, ...]):
    """Nothing of its own."""


class Made(tuple[Any, ...]):
    """Made in a way of its own."""

    def __new__(cls, *items):
        made = super().__new__(cls, items)
        made.extra = len(items)
        return made

    def __add__(self, other):
        return Made(*super().__add__(tuple(other)))

    def __lt__(self, other):
        return super().__lt__(other)


class Showing(tuple[Any, ...]):
    """It shows something else than it holds."""

    def __len__(self):
        return 99

    def __iter__(self):
        return iter("zz")

    def __getitem__(self, key):
        return ("item", key)

    def __contains__(self, item):
        return True


class Number(int):
    """A method."""

    def double(self):
        return self * 2


class Answering(int):
    """Operators of its own, on both sides."""

    def __add__(self, other):
        return ("add", int(self), other)

    def __radd__(self, other):
        return ("radd", int(self), other)

    def __mul__(self, other):
        return ("mul",)

    def __lt__(self, other):
        return "less"

    def __bool__(self):
        return False

    def __repr__(self):
        return "Answering!"

    def __index__(self):
        return 7


class Tagged(int):
    """Made with more than its value."""

    def __new__(cls, value, tag):
        made = super().__new__(cls, value)
        made.tag = tag
        return made

    def __init__(self, value, tag):
        self.twice = tag * 2


class Half(float):
    """A method."""

    def half(self):
        return self / 2


class Word(str):
    """A method."""

    __slots__ = ()

    def shout(self):
        return self.upper() + "!"


class Told(str):
    """A text of its own."""

    __slots__ = ()

    def __str__(self):
        return "told"

    def __mod__(self, other):
        return "mod"

    def __rmod__(self, other):
        return "rmod"


class Bag(set[Any]):
    """Methods, and attributes of its objects."""

    def __init__(self, *items):
        super().__init__(items)
        self.tag = len(items)

    def biggest(self):
        return max(self)


class Open(set[Any]):
    """Methods in the place of those of `set`."""

    def __contains__(self, item):
        return True

    def add(self, item):
        super().add(item * 10)

    def __or__(self, other):
        return "or"


class Frozen(frozenset[Any]):
    """A method."""

    def biggest(self):
        return max(self)


class Ending(tuple[Any, ...]):
    """Something is done when it is dropped."""

    def __del__(self):
        pass


class Other:
    """It takes part in operators from the right."""

    def __radd__(self, other):
        return ("radd", type(other).__name__)

    def __rmul__(self, other):
        return ("rmul", type(other).__name__)

    def __eq__(self, other):
        return ("eq", type(other).__name__)

    __hash__ = None


PAIR, PLAIN, MADE, SHOWING = Pair((1, 2)), Plain((1, 2)), Made(1, 2), Showing((1, 2))
NUMBER, ANSWERING, HALF, WORD, TOLD = Number(3), Answering(3), Half(1.5), Word("ab"), Told("ab")
BAG, OPEN, OTHER = Bag(1, 2), Open([1]), Other()


def types(values):
    return [type(value).__name__ for value in values]


def made_tuples(x):
    pair, plain, made = Pair((x, 2)), Plain((1, 2)), Made(x, 2)
    first, second = plain
    plain.name = "n"
    parts = (pair.total(), pair.first, len(pair), [*pair], (pair + (x, 1))[0], (made + (3,)).extra, made.extra)
    return parts, first + second, plain.name, plain[1:], plain + (3,), plain * 2, (0,) + plain, pair, made, plain


def asked_tuples(x):
    plain = Plain((1, 2))
    compared = plain == (1, 2), (1, 2) == plain, plain != [1, 2], plain < (1, 3), Made(1) < (2,), 1 in plain
    keys = {plain: 5}[(1, 2)], {(1, 2): 3}[plain], plain in {(1, 2)}, hash(plain) == hash((1, 2))
    texts = repr(plain), str(plain), f"{plain}", bool(Plain()), isinstance(plain, tuple), type(plain) is Plain
    items = plain.index(2), plain.count(1), sum(plain), sorted(plain), list(zip(plain, plain, strict=True))
    return x + 1, compared, keys, texts, items


def showing_tuples(x):
    made = Showing((1, 2))
    return x + 1, len(made), [*made], made[0], 9 in made, made == (1, 2)


def found_tuples(x):
    parts = PAIR.total(), PAIR.first, PLAIN[0], MADE.extra, len(PLAIN), list(PLAIN), PLAIN == (1, 2), {PLAIN: 1}[(1, 2)]
    return x + PAIR.total(), parts, PAIR + (1, 1), PLAIN + (3,), PAIR, PLAIN, MADE


def made_numbers(x):
    number, tagged = Number(3), Tagged(4, "a")
    parts = number + 4, 4 + number, -number, number == 3, number < 4, 2.5 * number, number // 2, [1, 2, 3, 4][number]
    more = str(number), int(number), float(number), bool(Number()), {number: 1}[3], hash(number), range(number)
    made = number.double(), tagged.tag, tagged.twice, number, tagged, Number("ff", 16)
    return x * number + number * x, parts, more, made


def own_operators(x):
    made = Answering(3)
    parts = made + 1, 1 + made, made * 2, 2 * made, 1.5 + made, True + made, made - 1, made < 4, 5 > made, made == 3
    more = bool(made), repr(made), str(made), f"{made}", f"{made:d}", int(made), list(range(9))[made], range(made)
    found = ANSWERING + 1, 1 + ANSWERING, 1.5 + ANSWERING, bool(ANSWERING), list(range(9))[ANSWERING], x + made
    return x + 1, parts, more, found, made * x, x * made


def found_numbers(x):
    parts = NUMBER + 1, NUMBER.double(), NUMBER == 3, HALF.half(), HALF < 2, int(HALF), round(HALF), HALF.is_integer()
    return x * NUMBER, HALF * x, x.reshape(NUMBER, 1), parts, NUMBER, HALF


def made_texts(x):
    word = Word("ab")
    parts = word.shout(), word + "c", "c" + word, word[0], len(word), word == "ab", {word: 1}["ab"], "a" in word
    texts = word.upper(), f"{word}", f"{word:>4}", "%s" % word, "{}".format(word)
    return x + 1, parts, texts, [*word], word * 2, Word(5), Word(b"a", "ascii"), word


def told_texts(x):
    told = Told("ab")
    parts = str(told), f"{told}", told % 3, told == "ab", len(told), told.upper()
    return x + 1, parts, str(TOLD), TOLD % 3, TOLD + "c", told


def found_texts(x):
    parts = WORD.shout(), WORD + "c", WORD[0], len(WORD), WORD == "ab", {"ab": 1}[WORD], f"{WORD}", WORD.startswith("a")
    return x + 1, parts, WORD


def made_sets(x):
    bag = Bag(1, 2)
    bag.add(5)
    bag.discard(1)
    bag |= {7}
    parts = bag.biggest(), bag.tag, 2 in bag, sorted(bag), bag == {2, 5, 7}, len(bag), bag & {2}, bag <= {2, 5, 7, 8}
    return x + 1, parts, bag.union([9]), bag.copy(), types([bag, bag | {1}, bag.copy()]), bag


def set_orders(x):
    bag = Bag(8, 1, 16, 0, 24)
    bag.discard(1)
    bag |= {32, 40, 1}
    return x + 1, list(bag), bag


def sets_of_sizes(x):
    bag = Bag(x.shape[0], "a")
    bag |= {"b"}
    return x + 1, sorted(map(str, bag)), type(bag)


def own_sets(x):
    made = Open()
    made.add(2)
    return x + 1, made | {2}, {2} | made, 9 in made, len(made), made


def found_sets(x):
    return x + BAG.biggest(), 1 in BAG, len(BAG), sorted(BAG), sorted(BAG | {3}), BAG, 99 in OPEN, OPEN | {2}


def frozen_sets(x):
    frozen = Frozen([3, 1])
    parts = frozen | {2}, len(frozen), 3 in frozen, {frozen: 2}[frozenset([1, 3])], sorted(frozen), frozen.biggest()
    return x + 1, parts, types([frozen | {2}]), frozen


def as_arguments(x):
    plain, number = Plain((x, x)), Number(1)
    parts = torch.stack(plain), torch.cat(plain, dim=Number(0)), torch.zeros(Plain((2, 3))), x.reshape(Plain((1, 3)))
    return parts, x[number], x[Number(0) : Number(2)], x.add(x, alpha=Number(2)), x.sum(Number(0)), x * Half(1.5)


def with_others(x):
    return x + 1, Number(5) * OTHER, Number(5) + OTHER, Plain((1,)) == Plain((1,)), Number(1) == Number(1)


def that_match(x):
    match Plain((1, 2)):
        case (a, b):
            x = x + a + b
    match Number(5):
        case int():
            x = x + 1
    match Word("a"):
        case "a":
            x = x + 1
    return x


def numeric_formats(x):
    number, half = Number(3), Half(1.5)
    texts = "%d" % number, "%03d|%x" % (number, number), "%.2f" % half, "%s %d" % (number, ANSWERING), f"{number:03d}"
    return x + 1, texts, "abc"[number - 1], "abc"[Number(1)], b"abc"[Number(0)], "%g" % HALF


def in_place(x):
    pair, number, word, bag = Plain((1,)), Number(3), Word("a"), Bag(1)
    same = bag
    pair += (2,)
    number += 1
    word += "b"
    bag |= {2, 3}
    bag -= {1}
    bag ^= {9}
    plain = {1}
    plain |= bag
    return x + 1, pair, number, word, sorted(bag), bag is same, types([pair, number, word, bag, plain]), plain >= bag


def bits(x):
    number = Number(6)
    parts = ~number, +number, abs(-number), divmod(number, 4), pow(number, 2), number << 1, number | 1, 7 % number
    return x + number, parts, round(HALF), not number, number and 5, number is number, 2**number, max(number, 2)


class Parity(int):
    """Equal to all of the same parity."""

    def __eq__(self, other):
        return int(self) % 2 == int(other) % 2

    def __hash__(self):
        return int(self) % 2


def own_keys(x):
    found = {Parity(1): "a"}[Parity(3)], Parity(1) == 3, Parity(1) in [5], len({Parity(1), Parity(3), Parity(2)})
    return x + 1, found


def bad_values(x):
    try:
        Number("zz")
    except ValueError as error:
        return x + 1, str(error)


CAPTURED = [
    made_tuples,
    asked_tuples,
    showing_tuples,
    found_tuples,
    made_numbers,
    own_operators,
    found_numbers,
    made_texts,
    told_texts,
    found_texts,
    made_sets,
    set_orders,
    sets_of_sizes,
    own_sets,
    found_sets,
    frozen_sets,
    as_arguments,
    with_others,
    that_match,
    numeric_formats,
    in_place,
    bits,
    own_keys,
    bad_values,
]


@pytest.mark.parametrize("function", CAPTURED)
def test_each_is_one_graph(function):
    check_one_graph(function)


def result_types(value):
    items = [result_types(item) for item in tuple.__iter__(value)] if isinstance(value, tuple) else []
    return type(value), items


@pytest.mark.parametrize("function", CAPTURED)
def test_results_have_the_classes_of_plain_python(function):
    x = torch.arange(3.0)
    assert result_types(_capture.optimize(function, backend="eager")(x)) == result_types(function(x))


def left_to_python(x):
    ending = Ending((1, 2))
    return x + ending[0], Plain((1,)) == OTHER, (Plain((1,)) + OTHER)[0]


def that_breaks(x):
    pair, number, bag = Plain((x, 2)), Number(4), Bag(1)
    bag.add(9)
    print(end="")
    return pair[0] + number, pair, number, bag, types([pair, number, bag])


def changes_of_the_callers(x):
    global BAG
    BAG.add(2)
    BAG |= {1}
    return x + 1, sorted(BAG)


def errors(x):
    texts = []
    for operation in (lambda: PLAIN + 3, lambda: PLAIN < 3, lambda: NUMBER + "a", lambda: BAG | 3, lambda: WORD + 1):
        try:
            operation()
        except TypeError as error:
            texts.append(str(error))
    return x + 1, texts


def that_holds_itself(x):
    items: list[Any] = []
    plain = Plain((items, x))
    items.append(plain)
    return plain[1] + 1, plain, items[0] is plain


@pytest.mark.parametrize("function", [left_to_python, that_breaks, changes_of_the_callers, errors, that_holds_itself])
def test_what_is_not_traced_is_as_in_plain_python(function):
    x = torch.arange(3.0)
    assert repr(_capture.optimize(function, backend="eager")(x)) == repr(function(x))


def test_values_of_the_callers_are_guarded():
    def asks(x, value):
        return x + len(str(value)), value, value == 3, repr(value)

    log: list[dict[str, Any]] = []
    compiled = _capture.optimize(asks, backend="eager", listener=log.append)
    values: list[Any] = [Number(3), Number(3), Number(4), 3, Answering(3), Word("abc"), Word("abd")]
    values += [Plain((1, 2)), Plain((1, 3)), Bag(1)]
    for value in [*values, *values]:
        ours, theirs = compiled(torch.ones(3), value), asks(torch.ones(3), value)
        assert repr(ours) == repr(theirs)
        assert ours[1] is value
    # Two of the numbers are equal and of one class.
    assert sum(event["original"] is asks.__code__ for event in log) <= len(values) - 1


def test_a_class_that_changes_is_asked_anew():
    class Later(int):
        pass

    def asks(x, value):
        return x + 1, value + 1, value == 3

    compiled, value, x = _capture.optimize(asks, backend="eager"), Later(3), torch.ones(3)
    assert repr(compiled(x, value)) == repr(asks(x, value))
    Later.__add__ = lambda self, other: "later"
    assert compiled(x, value)[1] == "later"
    Later.__eq__ = lambda self, other: "equal"
    assert compiled(x, value)[2] == "equal"
