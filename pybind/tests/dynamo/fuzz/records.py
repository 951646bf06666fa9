"""Data classes, enumerations, named tuples and subclasses of builtin types."""

from __future__ import annotations

from pybind.tests.dynamo.fuzz.rows import Row, Theme

RECORDS = Theme(
    kinds={"record": 1.5, "color": 0.7, "stack": 0.7, "registry": 0.7},
    literals={
        "record": "Point($int, $int, $same)",
        "color": "Color.⟨RED BLUE⟩",
        "stack": "Stack($ints)",
        "registry": "Registry(a=$int)",
    },
    arguments={
        "record": lambda namespace, t, number, variant: namespace["Point"](number, 2, t, [number]),
        "color": lambda namespace, t, number, variant: list(namespace["Color"])[number % 3],
        "stack": lambda namespace, t, number, variant: namespace["Stack"]([number, 1, 2]),
        "registry": lambda namespace, t, number, variant: namespace["Registry"](a=number, b=2),
    },
    definitions="""\
@dataclasses.dataclass
class Point:
    a: int
    b: int = 2
    t: torch.Tensor = dataclasses.field(default=None, compare=False, repr=False)
    notes: list = dataclasses.field(default_factory=list)
    total: dataclasses.InitVar[int] = None
    kept: int = dataclasses.field(init=False, default=4)

    def __post_init__(self, total):
        if total is not None:
            self.b = total - self.a

    def moved(self, by):
        return dataclasses.replace(self, a=(self.a + by) % 50)


@dataclasses.dataclass(frozen=True, order=True)
class Mark:
    a: int
    b: int = dataclasses.field(default=1, hash=False)
    c: tuple = ()


@dataclasses.dataclass(eq=False, slots=True)
class Slotted:
    a: int
    b: float = 0.5


@dataclasses.dataclass
class Longer(Slotted):
    c: str = "c"
    d: int = dataclasses.field(default=3, kw_only=True)

    @property
    def both(self):
        return self.a + self.d


class Color(enum.Enum):
    RED = 1
    BLUE = 2
    ROSE = 1
    GREEN = 5

    @property
    def doubled(self):
        return self.value * 2

    def mixed(self, other):
        return Color.GREEN if self is not other else self


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5


class Access(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()


class Name(str, enum.Enum):
    A = "a"
    B = "key"


class Pair(typing.NamedTuple):
    first: int
    second: int = 3

    def swapped(self):
        return self._replace(first=self.second, second=self.first)


class Wide(collections.namedtuple("Wide", "x y z", defaults=(1, 2))):
    __slots__ = ()

    def __add__(self, other):
        return self.x + other


class Stack(list):
    limit = 6

    def push(self, item):
        if len(self) < self.limit:
            self.append(item)
        return self

    def __getitem__(self, at):
        return super().__getitem__(at) if isinstance(at, slice) else super().__getitem__(at % max(len(self), 1))


class Registry(dict):
    def __missing__(self, key):
        return len(str(key))

    def __setitem__(self, key, value):
        super().__setitem__(key, value % 31)

    def bump(self, key):
        self[key] = self.get(key, 0) + 1
        return self[key]


class Meters(float):
    def __add__(self, other):
        return Meters(float(self) + other)

    def __repr__(self):
        return f"{float(self)}m"


class Count(int):
    def __new__(cls, value, unit="u"):
        made = super().__new__(cls, value)
        made.unit = unit
        return made

    def __sub__(self, other):
        return Count(int(self) - int(other), self.unit)


class Tag(str):
    def __eq__(self, other):
        return self.lower() == str(other).lower()

    def __hash__(self):
        return hash(self.lower())
""",
    expressions={
        "record": (
            Row("record", 3, "Point($int, $int, $same)"),
            Row("record keywords", 1, "Point(b=$int, a=$int, t=$same)"),
            Row("record init var", 0.7, "Point($int, t=$same, total=$int)"),
            Row("replace", 1, "dataclasses.replace(@record, a=$int)"),
            Row("record method", 0.7, "@record.moved($int)"),
            Row("record copy", 0.5, "copy.⟨copy deepcopy⟩(@record)"),
        ),
        "color": (
            Row("enum member", 2, "Color.⟨RED BLUE ROSE GREEN⟩"),
            Row("enum by value", 1, "Color(⟨1 2 5 $small⟩)"),
            Row("enum by name", 0.7, "Color[⟨'RED' 'ROSE' 'BLUE' $str⟩]"),
            Row("enum method", 0.7, "@color.mixed($color)"),
            Row("enum item", 0.4, "list(Color)[⟨0 1 -1⟩]"),
        ),
        "stack": (
            Row("list subclass", 2, "Stack($ints)"),
            Row("list subclass method", 1, "@stack.push($int)"),
            Row("list subclass comprehension", 0.5, "Stack(q for q in $ints)"),
            Row("list subclass copy", 0.5, "copy.copy(@stack)"),
        ),
        "registry": (
            Row("dict subclass", 2, "Registry(⟨a=$int {'a':$int,'b':1}⟩)"),
            Row("dict subclass copy", 0.5, "Registry(@registry)"),
            Row("dict subclass fromkeys", 0.3, "Registry.fromkeys($str[:3], $int)"),
            Row("dict subclass union", 0.3, "Registry(@registry | $table)"),
        ),
        "int": (
            Row("record field", 2, "@record.⟨a b kept⟩"),
            Row("record total", 0.3, "sum(dataclasses.astuple(Mark($int, $int))[:2])"),
            Row("asdict", 0.5, "dataclasses.asdict(Mark($int, c=($int, $int)))['a']"),
            Row("fields", 0.4, "len(dataclasses.fields(@record))"),
            Row("slotted", 0.5, "Slotted($int).a"),
            Row("slotted derived", 0.5, "Longer($int, d=$int).both"),
            Row("frozen in set", 0.5, "len({Mark($int, 1), Mark($int, 2)})"),
            Row("frozen in dict", 0.5, "{Mark($int): 3, Mark(2): 4}.get(Mark($int), $int)"),
            Row("enum value", 1, "@color.⟨value doubled⟩"),
            Row("int enum", 1, "(Level.⟨LOW HIGH⟩ ⟨+ - *⟩ $int)"),
            Row("int enum by value", 0.3, "Level(⟨1 5⟩).value"),
            Row("flag", 0.7, "(Access.READ ⟨| & ^⟩ Access.⟨READ WRITE⟩).value"),
            Row("len of enum", 0.3, "len(⟨Color Level Access⟩)"),
            Row("enum in dict", 0.5, "{Color.RED: $int, Color.BLUE: 2}.get(@color, 7)"),
            Row("str enum index", 0.4, "@table.get(Name.⟨A B⟩, $int)"),
            Row("named tuple", 1, "Pair($int).⟨first second swapped().first _replace(first=$int).first⟩"),
            Row("named tuple item", 0.7, "Pair(second=$int, first=$int)[⟨0 1 -1⟩]"),
            Row("named tuple sum", 0.5, "sum(⟨Pair Wide⟩($int, $int))"),
            Row("named tuple subclass", 0.5, "(Wide($int, z=$int) + $int)"),
            Row("named tuple subclass item", 0.3, "Wide._make([$int, 2, 3]).⟨x y z⟩"),
            Row("named tuple methods", 0.3, "Pair($int, $int).⟨count($int) index($int) __len__()⟩"),
            Row("list subclass item", 1, "@stack[⟨0 -1 $int⟩]"),
            Row("list subclass sum", 0.5, "sum(@stack)"),
            Row("list subclass len", 0.5, "(len(@stack) + Stack.limit)"),
            Row("list subclass pop", 0.3, "@stack.pop()"),
            Row("dict subclass missing", 1, "@registry[$str]"),
            Row("dict subclass get", 0.5, "@registry.⟨get($str,1) bump('a') setdefault($str,$int)⟩"),
            Row("int subclass", 0.7, "(Count($int) ⟨+ - * //⟩ ⟨$positive Count($positive)⟩)"),
            Row("int subclass compare", 0.3, "int(Count($int) ⟨== <⟩ $int)"),
            Row("str subclass in dict", 0.4, "{Tag('A'): $int}.get(⟨Tag('a') 'a' $str⟩, 5)"),
        ),
        "float": (
            Row("float subclass", 0.7, "float(Meters($float) ⟨+ - *⟩ $float)"),
            Row("slotted float", 0.3, "Slotted(1, $float).b"),
        ),
        "bool": (
            Row("compare records", 1, "(@record ⟨== != is⟩ @record)"),
            Row("compare frozen", 1, "(Mark($int, $int) ⟨== < <= > >=⟩ Mark($int, $int))"),
            Row("is dataclass", 0.3, "dataclasses.is_dataclass(⟨@record Mark @int⟩)"),
            Row("compare enums", 1, "(@color ⟨is == != ==⟩ Color.⟨RED GREEN⟩)"),
            Row("compare int enum", 0.5, "(Level.LOW ⟨< == >=⟩ $int)"),
            Row("flag in", 0.4, "(Access.READ in (Access.READ ⟨| &⟩ Access.WRITE))"),
            Row("enum in", 0.4, "(@color in (Color.RED, Color.GREEN))"),
            Row("enum isinstance", 0.4, "isinstance(⟨@color Level.LOW Name.A⟩, ⟨Color int str enum.Enum⟩)"),
            Row("str enum equal", 0.4, "(Name.A == $str)"),
            Row("compare named tuples", 0.5, "(Pair($int) ⟨== < !=⟩ ⟨Pair($int,$int) ($int,3)⟩)"),
            Row("str subclass equal", 0.5, "(Tag($str) ⟨== !=⟩ ⟨$str Tag($str)⟩)"),
            Row("list subclass equal", 0.5, "(@stack ⟨== !=⟩ ⟨$ints @stack⟩)"),
            Row("dict subclass equal", 0.4, "(@registry ⟨== !=⟩ ⟨$table @registry⟩)"),
            Row("builtin subclass isinstance", 0.4, "isinstance(⟨@stack @registry Count(1)⟩, ⟨list dict int Stack⟩)"),
        ),
        "str": (
            Row("record repr", 1, "repr(⟨@record Mark($int,$int) Longer($int,$float)⟩)"),
            Row("enum text", 1, "⟨str repr format⟩(⟨@color Level.LOW Name.A Access.READ⟩)"),
            Row("enum name", 0.7, "@color.name"),
            Row("enum f-string", 0.5, "f'{@color} {Level.HIGH} {Name.B} {Level.LOW:>3}'"),
            Row("named tuple repr", 0.6, "repr(⟨Pair($int) Wide($int)⟩)"),
            Row("float subclass text", 0.5, "f'{Meters(@float)} {Meters(@float)!r}'"),
            Row("int subclass unit", 0.4, "(Count($int, $str) - 1).unit"),
            Row("names of enum", 0.3, "' '.join(m.name for m in ⟨Color Level⟩)"),
            Row("names of all", 0.3, "' '.join(Color.__members__)"),
            Row("names of fields", 0.3, "' '.join(f.name for f in dataclasses.fields(Mark))"),
            Row("str subclass", 0.4, "(Tag($str) + $str).upper()"),
        ),
        "ints": (
            Row("named tuple to list", 0.5, "[*Pair($int, $int)]"),
            Row("named tuple unpacked", 0.4, "[p - q for p, q in [Pair($int), Pair($int, 1)]]"),
            Row("notes of record", 0.7, "@record.notes"),
            Row("sorted frozen", 0.5, "[m.a for m in sorted([Mark($int), Mark($int, 0)], reverse=$bool)]"),
            Row("sorted enum", 0.3, "[m.value for m in sorted([Level.HIGH, Level.LOW])]"),
            Row("values of enum", 0.3, "[m.value for m in ⟨Color Level⟩]"),
            Row("list subclass slice", 0.4, "list(@stack[⟨1: ::-1⟩])"),
            Row("dict subclass values", 0.4, "list(@registry.values())[:4]"),
        ),
        "table": (
            Row("asdict all", 0.4, "dataclasses.asdict(Longer($int, 2)).fromkeys('ab', $int)"),
            Row("named tuple asdict", 0.4, "Pair($int, $int)._asdict()"),
        ),
        "tensor": (Row("tensor of record", 2, "@record.t"),),
    },
    statements=(
        Row("record store", 1, "@record.⟨a b kept extra⟩ = $int % 40"),
        Row("record store tensor", 0.7, "@record.t = $same"),
        Row("record augmented", 0.6, "@record.a += $small"),
        Row("record notes", 0.7, "@record.notes.append($int % 9) if len(@record.notes) < 6 else None"),
        Row(
            "frozen store",
            0.5,
            "try:\n    Mark($int).a = 3\nexcept dataclasses.FrozenInstanceError as §e:\n    print(§e)",
        ),
        Row("frozen made", 0.4, "§m = Mark($int, $int)\nprint(§m, hash(§m) == hash(Mark(§m.a)))"),
        Row("stack push", 0.7, "@stack.⟨push($int) reverse() sort() append(1)⟩"),
        Row("stack store", 0.4, "@stack[0] = $int"),
        Row("stack attribute", 0.4, "@stack.limit = $small"),
        Row("registry store", 0.8, "@registry[$str[:8]] = $int"),
        Row("registry update", 0.5, "@registry.update(⟨a=$int {'c':77}⟩)"),
        Row("registry loop", 0.5, "for →str in list(@registry):\n    …"),
        Row("for enum", 0.4, "for →color in Color:\n    …"),
        Row(
            "match enum",
            0.6,
            "match @color:\n    case Color.RED:\n        …\n    case Color.BLUE | Color.GREEN:\n        …",
        ),
        Row(
            "match record",
            0.6,
            """\
match @record:
    case Point(a=0):
        …
    case Point(→int, b=2):
        …
    case _:
        …""",
        ),
        Row(
            "match named tuple",
            0.5,
            """\
match Pair($int, $int):
    case (0, _) | (_, 0):
        …
    case Pair(first=→int) if $bool:
        …""",
        ),
        Row("record printed", 0.5, "print(⟨@record @color @stack @registry⟩)"),
        Row("slotted store", 0.3, "§s = Slotted($int)\n§s.b = $float\nprint(§s.b)"),
        Row("slotted extra", 0.2, "Slotted($int).extra = 1"),
        Row(
            "local data class",
            0.2,
            """\
@dataclasses.dataclass
class §c:
    q: int = 3
print(§c().q, §c(1) == §c(1))""",
        ),
        Row("local named tuple", 0.3, "§c = collections.namedtuple('§c', 'q r')\nprint(§c(1, r=$int).r)"),
    ),
    changes=(
        Row("class default", 0.5, "Point.moved = lambda self, by: self"),
        Row("list subclass limit", 0.4, "Stack.limit = $small"),
        Row("dict subclass missing", 0.4, "Registry.__missing__ = lambda self, key: $small"),
    ),
)
