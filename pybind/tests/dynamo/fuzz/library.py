"""Builtin functions and methods with all of their arguments, text formats, numbers at their edges, copies, caches."""

from __future__ import annotations

from pybind.tests.dynamo.fuzz.idioms import CHANGES, IDIOMS
from pybind.tests.dynamo.fuzz.rows import Row, Theme

LIBRARY = Theme(
    kinds={"queue": 0.7},
    literals={"queue": "collections.deque($ints, 5)"},
    arguments={"queue": lambda namespace, t, number, variant: namespace["collections"].deque([number, 1, 2], 5)},
    definitions='''\
@functools.lru_cache(maxsize=None)
def cached(a, b=1):
    return a * b + 1


@functools.wraps(max)
def wrapped(*args, **kwargs):
    return max(*args, **kwargs)


def repeated(times):
    def outer(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            result = function(*args, **kwargs)
            for _ in range(times - 1):
                result = function(result, **kwargs)
            return result

        inner.times = times
        return inner

    return outer


@repeated(2)
def advanced(a, by=1):
    """Advances."""
    return (a + by) % 71


@functools.singledispatch
def described(value):
    return f"other {type(value).__name__}"


@described.register
def _described_int(value: int):
    return f"int {value}"


@described.register(list)
def _described_list(value):
    return f"list {len(value)}"


def variadic(a, /, b=2, *rest, c, d=4, **more):
    return a + b * 2 + sum(rest) * 3 + c * 5 + d * 7 + len(more)


def mutable_default(item, kept=[]):
    kept.append(item)
    del kept[:-3]
    return list(kept)


def counted():
    counted.calls = getattr(counted, "calls", 0) + 1
    return counted.calls


g_total = 0


def add_to_total(by):
    global g_total
    g_total = (g_total + by) % 1000
    return g_total
''',
    expressions={
        "queue": (
            Row("deque", 1, "collections.deque($ints, ⟨maxlen=3 5 None⟩)"),
            Row("deque copy", 0.4, "⟨@queue.copy() copy.copy(@queue)⟩"),
        ),
        "int": (
            Row(
                "max by key",
                0.7,
                "⟨max min⟩($ints, key=⟨abs operator.neg str⟩, default=$int)",
            ),
            Row("max of many by key", 0.5, "⟨max min⟩($int, $int, 3, key=⟨operator.neg abs bool⟩)"),
            Row("max default", 0.5, "⟨max min⟩([], default=$int)"),
            Row("max of text", 0.3, "len(⟨max min⟩([$str, $str], key=len))"),
            Row("sum start", 0.7, "sum($ints, start=$int)"),
            Row("sum start of generator", 0.4, "sum((q for q in $ints), $int)"),
            Row("int base", 0.7, "int(⟨'101' '0x1f' 'z' '-7'⟩, ⟨base=2 base=36 0 16⟩)"),
            Row("int from text", 0.4, "int(⟨'12' '_1' '1_000' $str⟩)"),
            Row("power modulo", 0.5, "pow($int, $small, ⟨7 mod=5 -3⟩)"),
            Row("round digits", 0.6, "round($int, ⟨-1 ndigits=-1 ndigits=None 1⟩)"),
            Row("floor division", 0.7, "($int ⟨// %⟩ ⟨-2 -3 3⟩)"),
            Row("big int", 0.6, "((2 ** ⟨62 63 64 70⟩ ⟨+ - ^ |⟩ $int) % 1000003)"),
            Row("bit length", 0.4, "($int).⟨bit_length() bit_count() conjugate() real numerator denominator⟩"),
            Row("shift of big", 0.3, "(($small << 65) >> ⟨63 64⟩)"),
            Row("bool arithmetic", 0.5, "($bool ⟨+ - *⟩ $bool)"),
            Row("hash of constant", 0.4, "(hash(⟨$int $int/4 (1,2) True⟩) % 1009)"),
            Row("cached", 0.7, "cached($int⟨,2 ,b=$int⟩)"),
            Row("wrapped", 0.5, "wrapped($int, $int, key=abs)"),
            Row("repeated", 0.6, "advanced($int⟨,by=$int⟩)"),
            Row("attribute of function", 0.3, "⟨advanced.times len(advanced.__doc__) len(advanced.__name__)⟩"),
            Row(
                "variadic",
                1,
                "variadic($int, ⟨c=$int c=1,b=$int 3,4,5,c=$int c=2,d=1,e=5 *[1,2],c=$int c=1,**{'q':1} **{'c':$int}⟩)",
            ),
            Row("variadic bad", 0.15, "variadic(⟨$int a=1,c=2 1,2 1,c=2,b=3,**{'b':1}⟩)"),
            Row("counted", 0.4, "counted()"),
            Row("add to total", 0.6, "add_to_total($int)"),
            Row("read total", 0.4, "g_total"),
            Row("partial", 0.6, "functools.partial(⟨variadic max advanced⟩, $int⟨,c=3⟩)(⟨$int 1,2⟩)"),
            Row("partial of method", 0.3, "functools.partial(int, base=⟨2 3⟩)('101')"),
            Row("reduce", 0.5, "functools.reduce(⟨operator.add operator.sub max⟩, $ints, $int)"),
            Row("reduce may fail", 0.1, "functools.reduce(operator.add, [])"),
            Row("cmp to key", 0.4, "sorted($ints, key=functools.cmp_to_key(lambda p, q: q - p))[0]"),
            Row("text index", 0.5, "($str).⟨count('a') find('e',1) rfind('a') index('a') __len__()⟩"),
            Row("deque item", 0.7, "@queue[⟨0 -1 $small⟩]"),
            Row("deque methods", 0.5, "@queue.⟨pop() popleft() count(1) index(1)⟩"),
            Row("deque sum", 0.4, "sum(@queue)"),
            Row("counter item", 0.6, "collections.Counter($ints)[$int]"),
            Row("counter total", 0.4, "collections.Counter($str).⟨total() get('a',0)⟩"),
            Row(
                "default dict item",
                0.6,
                "collections.defaultdict(⟨int functools.partial(int,'7')⟩, @table)[$str]",
            ),
            Row("chain map", 0.5, "collections.ChainMap({}, @table, {'z': 1}).get($str, $int)"),
            Row("nested conditional", 0.5, "($int if $bool else $int if $bool else $int)"),
            Row("length of nested", 0.5, "len([[q, r] for q in $ints for r in range(q % 3) if r != 1])"),
            Row("nested dict", 0.4, "{q: {r: q - r for r in range(3)} for q in range(3)}[⟨0 1 2⟩][⟨0 1 2⟩]"),
            Row("slice indices", 0.4, "slice($small, ⟨None 9⟩, ⟨-1 2⟩).indices(5)[⟨0 1 2⟩]"),
            Row("range methods", 0.6, "range($int, 9, ⟨2 3⟩).⟨start stop step index(5) count(3) __len__()⟩"),
            Row("range item", 0.5, "range($small, 20, 3)[⟨-1 0 2⟩]"),
            Row("ord chr", 0.3, "ord(chr(97 + $small))"),
            Row("bytes", 0.4, "⟨len sum max⟩(b'ab' + bytes([$small, 1]))"),
            Row("int from bytes", 0.3, "int.from_bytes(bytes([$small, 1]), ⟨'big' 'little'⟩)"),
            Row("complex", 0.3, "int((complex($int, 2) * ⟨1j (1+1j)⟩).⟨real imag⟩)"),
            Row("math of ints", 0.6, "math.⟨gcd lcm comb perm⟩($small, ⟨4 6⟩)"),
            Row("math of lists", 0.4, "math.prod($ints, start=2) % 997"),
            Row("isqrt", 0.3, "math.⟨isqrt factorial⟩($small)"),
            Row("eval", 0.15, "eval('1 + 2', {})"),
            Row("type call", 0.3, "type($int)(⟨'3' 4⟩)"),
            Row("getattr of module", 0.3, "getattr(math, ⟨'gcd' 'lcm'⟩)(4, 6)"),
            Row("bisect", 0.3, "bisect.⟨bisect bisect_left⟩(sorted($ints), $int)"),
            Row("heap", 0.3, "heapq.⟨nlargest nsmallest⟩(2, $ints)[0]"),
        ),
        "float": (
            Row("edge", 1.5, "⟨math.inf -math.inf math.nan -0.0 1e308 5e-324 float('-inf') float('1e3')⟩"),
            Row("product with edge", 1, "($float * ⟨math.inf -0.0 0.0 1e200⟩)"),
            Row("negative zero", 0.7, "-(0.0 * $float)"),
            Row("max with edge", 0.7, "⟨max min⟩(⟨-0.0 0.0 math.nan⟩, ⟨$float 0 0.0⟩)"),
            Row("round float", 0.8, "round($float, ⟨1 ndigits=2 0 -1⟩)"),
            Row("floor of float", 0.6, "($float ⟨// %⟩ ⟨0.7 -1.5 math.inf 2⟩)"),
            Row("divmod float", 0.4, "divmod($float, ⟨0.7 -2⟩)[⟨0 1⟩]"),
            Row("math of floats", 0.8, "math.⟨copysign fmod hypot atan2 remainder⟩($float, ⟨-0.0 1.5 $float⟩)"),
            Row("math parts", 0.5, "math.⟨modf frexp⟩($float)[0]"),
            Row("math constants", 0.3, "math.⟨pi e tau inf⟩"),
            Row("fsum", 0.4, "math.fsum([0.1, 0.2, $float])"),
            Row("float power", 0.5, "(abs($float) ** ⟨0.5 -1 0⟩)"),
            Row("float from text", 0.4, "float(⟨'nan' '-0' '1_0.5' 'inf'⟩)"),
            Row("int over int", 0.5, "($int / ⟨3 -7⟩)"),
            Row("float of big", 0.3, "float(2 ** ⟨60 80⟩ + 1)"),
            Row("float methods", 0.3, "($float).⟨real imag conjugate()⟩"),
            Row("mean", 0.3, "(sum($ints) / max(len($ints), 1))"),
        ),
        "bool": (
            Row("float edges", 0.8, "($float ⟨== < >= !=⟩ ⟨math.nan math.inf -0.0⟩)"),
            Row("isnan", 0.6, "math.⟨isnan isinf isfinite⟩($float)"),
            Row("is integer", 0.3, "($float).is_integer()"),
            Row("isclose", 0.4, "math.isclose($float, $float, rel_tol=⟨0.1 1e-9⟩)"),
            Row(
                "text tests",
                0.8,
                "($str).⟨isdigit() isupper() startswith('a') endswith(('b','y')) isidentifier() startswith('e',1)⟩",
            ),
            Row("isinstance union", 0.4, "isinstance(⟨@maybe @float @str⟩, ⟨int|str (int,float) int|None⟩)"),
            Row("set relations", 0.5, "($set ⟨< <= > >= ==⟩ $set)"),
            Row("set methods", 0.4, "$set.⟨issubset issuperset isdisjoint⟩($ints)"),
            Row("tuples compared", 0.5, "(($int, $str) ⟨< == >=⟩ ($int, $str))"),
            Row("nested equality", 0.4, "([$ints, {'a': $int}] == [$ints, @table])"),
            Row("is small int", 0.3, "($int == $int)"),
            Row("xor of bools", 0.3, "($bool ^ $bool)"),
            Row("in nested", 0.4, "(($int, 1) in [($int, 1), (2, 1)])"),
            Row("in range", 0.5, "($int in range($small, 9, 2))"),
            Row("in view", 0.4, "(⟨('a',1) ('b',$int)⟩ in @table.items())"),
            Row("deque compared", 0.4, "(@queue ⟨== !=⟩ collections.deque($ints))"),
            Row("counter compared", 0.4, "(collections.Counter($ints) ⟨== <=⟩ collections.Counter($ints))"),
            Row("all of nothing", 0.3, "⟨all any⟩(⟨[] $ints [$bool,$bool]⟩)"),
            Row("callable", 0.3, "callable(⟨cached @int @ints len⟩)"),
            Row("nan in list", 0.3, "(math.nan in [⟨math.nan float('nan') $float⟩])"),
        ),
        "str": (
            Row(
                "split",
                1,
                "str($str.⟨split() split('e',1) split(maxsplit=1) rsplit('a',maxsplit=1) partition('e')⟩)",
            ),
            Row("strip chars", 0.6, "$str.⟨strip('ab') lstrip('k') rstrip('y') removeprefix('a') removesuffix('ey')⟩"),
            Row("justify", 0.6, "$str.⟨ljust(6,'.') center(7) zfill(5) rjust(4) expandtabs(2)⟩"),
            Row("case", 0.5, "$str.⟨capitalize() swapcase() casefold() title()⟩"),
            Row("replace count", 0.4, "$str.replace('e', $str, ⟨1 0 -1⟩)"),
            Row("translate", 0.3, "$str.translate(str.maketrans('ab', ⟨'cd' 'ba'⟩))"),
            Row("join map", 0.5, "'|'.join(map(⟨str repr hex⟩, $ints))"),
            Row("format int", 0.9, "format($int, ⟨'+05d' 'b' '#x' ',' '^7' '_>4' 'e' '.1f' 'n'⟩)"),
            Row("format float", 0.9, "format($float, ⟨'.3e' '+.1f' '10.2f' 'g' '%' ',.2f' '' '08.2f' '.0f'⟩)"),
            Row("format text", 0.6, "format($str, ⟨'>6' '.2' '*^8' '<3.1s'⟩)"),
            Row("format nested", 0.5, "f'{@int:{⟨4 5⟩}}{@float:.{$small}f}'"),
            Row("format debug", 0.4, "f'{@int=} {@str=!s} {@float=:.1f}'"),
            Row("format bool", 0.4, "f'{@bool!s:>6}{@bool:d}{@maybe}'"),
            Row("format list", 0.4, "f'{@ints} {@table} {(1, @int)}'"),
            Row("format by name", 0.4, "'{a[b]} {0.real} {1!r}'.format($int, $str, a=@table)"),
            Row("format map", 0.3, "'{a}'.format_map(@table)"),
            Row("percent", 0.5, "'%5.2f|%-4d|%s|%r|%x|%%' % ($float, $int, $ints, $str, abs($int))"),
            Row("percent by name", 0.4, "'%(a)03d' % @table"),
            Row("hex", 0.4, "⟨hex bin oct⟩($int)"),
            Row("repr float", 0.7, "⟨repr str⟩($float)"),
            Row("ascii", 0.2, "ascii('é' + $str)"),
            Row("chr", 0.3, "chr(97 + $small)"),
            Row("described", 0.5, "described(⟨$int $ints $str None $bool⟩)"),
            Row("text of set", 0.3, "str(sorted($set))"),
            Row("text of dict", 0.5, "str(dict(⟨@table **@table sorted(@table.items())⟩))"),
            Row("text of counter", 0.4, "str(collections.⟨Counter($str) OrderedDict(@table) deque($ints,3)⟩)"),
            Row("text of default dict", 0.3, "str(collections.defaultdict(int, @table))"),
            Row("text of types", 0.3, "repr(⟨int list[int] torch.float32 type(None) int|str⟩)"),
            Row("encoded", 0.3, "repr($str.encode())"),
            Row("min of text", 0.3, "⟨max min⟩($str, $str, key=len)"),
            Row("sorted text", 0.5, "''.join(sorted($str, key=str.lower, reverse=$bool))"),
            Row("function name", 0.4, "⟨cached wrapped advanced variadic⟩.__name__"),
            Row("text of slice", 0.2, "str(slice($int, None))"),
            Row("text of range", 0.3, "str(range($int))"),
            Row("dict items text", 0.4, "str(list(@table.items()))"),
            Row("text from json", 0.3, "json.dumps(@table, sort_keys=$bool)"),
            Row("substituted", 0.2, "re.sub('[aeiou]', ⟨'_' r'<\\\\g<0>>'⟩, $str)"),
        ),
        "ints": (
            Row("sorted by key", 0.8, "sorted($ints, key=⟨abs str operator.neg bool⟩, reverse=$bool)"),
            Row("sorted stable", 0.5, "sorted($ints, key=lambda q: q % 2, reverse=$bool)"),
            Row("enumerate start", 0.6, "[p * q for p, q in enumerate($ints, start=$int)]"),
            Row("zip strict", 0.5, "[p + q for p, q in zip($ints, [1, 2, 3], strict=$bool)]"),
            Row("zip longest", 0.3, "[p - q for p, q in itertools.zip_longest($ints, [1], fillvalue=$int)]"),
            Row("mutable default", 0.6, "mutable_default($int)"),
            Row("slice with step", 0.6, "$ints[⟨-1:0:-1 ::2 -3:-1 1:1 5: ::-2⟩]"),
            Row("deque to list", 0.6, "list(⟨@queue reversed(@queue)⟩)"),
            Row("dict of lists", 0.4, "{q: [q] for q in $ints}.setdefault($int, [7])"),
            Row(
                "group by dict",
                0.4,
                "list(functools.reduce(lambda d, q: d.setdefault(q % 2, []).append(q) or d, $ints, {}).values())[0]",
            ),
            Row("copied", 0.5, "copy.⟨copy deepcopy⟩($ints)"),
            Row("deep copied", 0.4, "copy.deepcopy({'a': $ints})['a']"),
            Row("nested flattened", 0.5, "[r for q in [$ints, [$int]] for r in q if r]"),
            Row("conditional comprehension", 0.5, "[q if q > $int else -q for q in $ints if q != $int]"),
            Row("walrus comprehension", 0.5, "[q + 1 for q in $ints if (q * 2) > $int]"),
            Row("set to list", 0.4, "sorted({*$ints, $int} ⟨| & - ^⟩ $set)"),
            Row("dict keys order", 0.5, "list({q: 1 for q in $ints})"),
            Row("dict fromkeys", 0.4, "list(dict.fromkeys($ints, 0))"),
            Row("most common", 0.4, "[q for q, _ in collections.Counter($ints).most_common(2)]"),
            Row(
                "counter arithmetic",
                0.4,
                "sorted((collections.Counter($ints) ⟨+ - & |⟩ collections.Counter($ints)).elements())[:6]",
            ),
            Row("tuple methods", 0.4, "list(($int, $int) + ($int,) * 2)"),
            Row("bytes to list", 0.3, "list(⟨bytes bytearray⟩([$small, 2]))"),
            Row("list of text", 0.4, "list(map(ord, $str[:4]))"),
            Row("round all", 0.3, "list(map(round, [0.5, 1.5, 2.5]))"),
            Row("islice", 0.4, "list(itertools.islice($ints, 0, None, 2))"),
            Row("filter false", 0.3, "list(itertools.filterfalse(None, $ints))"),
            Row("triple product", 0.3, "[p * q for p, q in itertools.product(range(2), repeat=2)]"),
        ),
        "set": (
            Row("set methods", 0.5, "$set.⟨union difference intersection symmetric_difference⟩($ints)"),
            Row("set copy", 0.3, "@set.copy()"),
            Row("frozen set", 0.3, "set(frozenset($ints))"),
        ),
        "table": (
            Row("dict merge keywords", 0.5, "dict(@table, a=$int)"),
            Row("dict from pairs", 0.4, "dict([('a', $int), ($str, 2)], z=1)"),
            Row("dict sorted", 0.5, "dict(sorted(@table.items(), key=operator.itemgetter(1), reverse=$bool))"),
            Row("dict in place union", 0.3, "(lambda d: d.__ior__({'q': $int}))(dict(@table))"),
            Row("chain map to dict", 0.3, "dict(collections.ChainMap(@table, {'z': $int}))"),
            Row("vars of namespace", 0.4, "vars(types.SimpleNamespace(a=$int, b=2))"),
            Row("locals", 0.1, "(lambda a: locals())($int)"),
        ),
    },
    statements=IDIOMS,
    changes=CHANGES,
)
