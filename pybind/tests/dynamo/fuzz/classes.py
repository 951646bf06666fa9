"""Objects of the program's own classes, and what is done with them."""

from __future__ import annotations

from pybind.tests.dynamo.fuzz.expressions import fill
from pybind.tests.dynamo.fuzz.rows import Row, Theme
from pybind.tests.dynamo.fuzz.scope import Kind, Scope


def construct(scope: Scope, kind: Kind) -> str:
    """A call of one of the classes."""
    form = scope.rng.choice(("{}($same, $int)", "{}($same)", "{}(n=$int, t=$same)", "{}(*($same, $int))"))
    return fill(scope, form.format(scope.rng.choice(scope.classes)), kind)


CLASSES = Theme(
    kinds={"obj": 4},
    arguments={"obj": lambda namespace, t, number, variant: namespace["make_object"](t, number, variant)},
    definitions="""\
class Doubled:
    def __init__(self, name):
        self.name = name

    def __get__(self, owner, kind=None):
        return 5 if owner is None else getattr(owner, self.name) * 2


class Clipped:
    def __init__(self, most):
        self.most = most

    def __set_name__(self, kind, name):
        self.name = "_" + name

    def __get__(self, owner, kind=None):
        if owner is None:
            return self
        return getattr(owner, self.name, 1)

    def __set__(self, owner, value):
        setattr(owner, self.name, min(value, self.most))

    def __delete__(self, owner):
        print("delete", self.name)


class Registered:
    count = 0

    def __get__(self, owner, kind=None):
        Registered.count = (Registered.count + 1) % 10
        return Registered.count


def traced(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        print(function.__name__, len(args), sorted(kwargs))
        return function(*args, **kwargs)

    return inner
""",
    expressions={
        "obj": (
            Row("construct object", 6, construct),
            Row("object or object", 0.4, "($obj if $bool else $obj)"),
            Row("copy object", 0.4, "copy.⟨copy deepcopy⟩(@obj)"),
            Row("class of object called", 0.3, "type(@obj)($same, $int)"),
        ),
        "int": (
            Row("object attribute", 3, "@obj.⟨n k⟩"),
            Row("object method", 3, "@obj.calc($int)"),
            Row("object method keywords", 1, "@obj.calc(⟨i=$small,by=2 $int,by=$small *[$int] **{'i':$int}⟩)"),
            Row("bound method", 0.5, "(lambda f: f($int))(@obj.calc)"),
            Row("unbound method", 0.3, "type(@obj).calc(@obj, $int)"),
            Row("object operator", 1, "(@obj ⟨+ * @⟩ $int)"),
            Row("object reflected", 1, "($int ⟨+ *⟩ @obj)"),
            Row("object with object", 0.5, "(@obj ⟨+ * @⟩ @obj)"),
            Row("object unary", 0.5, "⟨- ~ abs⟩(@obj)"),
            Row("len of object", 0.5, "len(@obj)"),
            Row("item of object", 0.7, "@obj[⟨0 1 $int $str⟩]"),
            Row("object called", 0.7, "@obj(⟨$int $int,2 $int,by=3⟩)"),
            Row("int of object", 0.4, "⟨int operator.index round⟩(@obj)"),
            Row("index by object", 0.3, "[4, 5, 6][@obj]"),
            Row("sum of object", 0.7, "sum(⟨@obj iter(@obj) reversed(@obj)⟩)"),
            Row("getattr of object", 0.6, "getattr(@obj, ⟨'n' 'k' 'gone' '_k'⟩, $int)"),
            Row("getattr may fail", 0.15, "@obj.⟨gone extra before seen⟩"),
            Row("class attribute", 0.5, "type(@obj).__dict__.get('k', 3).__class__.__name__.__len__()"),
            Row("number of attributes", 0.4, "len(vars(@obj))"),
            Row("max of objects", 0.5, "⟨max min⟩(@obj, @obj).n"),
            Row("max of objects by key", 0.5, "⟨max min⟩([@obj, @obj], key=lambda q: q.n).n"),
            Row("sorted objects", 0.5, "sorted([@obj, @obj, @obj])[0].n"),
            Row("objects in set", 0.5, "len({@obj, @obj})"),
            Row("objects in dict", 0.5, "{@obj: 1, @obj: 2}[@obj]"),
            Row("dir of object", 0.2, "len(dir(@obj)) % 3"),
            Row("divmod of object", 0.2, "divmod(@obj, $int)[0]"),
            Row("power of object", 0.2, "pow(@obj, $int)"),
            Row("operator on object", 0.3, "operator.⟨add mul iadd getitem⟩(@obj, $int)"),
            Row("sum of objects", 0.3, "sum([@obj, @obj])"),
            Row("attribute getter", 0.3, "operator.attrgetter(⟨'n' 'k'⟩)(@obj)"),
            Row("method caller on object", 0.3, "operator.methodcaller('calc', $int)(@obj)"),
            Row("index of object", 0.3, "[@obj, @obj].⟨index count⟩(@obj)"),
        ),
        "bool": (
            Row("compare objects", 1, "(@obj ⟨== != < <= > >=⟩ @obj)"),
            Row("compare object", 0.7, "(@obj ⟨== != < >⟩ $int)"),
            Row("truth of object", 0.7, "bool(@obj)"),
            Row("not object", 0.4, "(not @obj)"),
            Row("in object", 0.7, "($int in @obj)"),
            Row("object in list", 0.7, "(@obj in [@obj, @obj])"),
            Row("same object", 0.7, "(@obj is @obj)"),
            Row("object isinstance", 0.7, "isinstance(@obj, type(@obj))"),
            Row("object issubclass", 0.3, "issubclass(type(@obj), type(@obj))"),
            Row("object hasattr", 0.7, "hasattr(@obj, ⟨'n' 'k' 'extra' '__len__' '__dict__' 'gone'⟩)"),
            Row("object callable", 0.3, "callable(@obj)"),
            Row("hash of object", 0.3, "(hash(@obj) == hash(@obj))"),
            Row("chained objects", 0.3, "(@obj < @obj ⟨< ==⟩ @obj)"),
            Row("same method", 0.3, "(@obj.calc ⟨== is⟩ @obj.calc)"),
        ),
        "str": (
            Row("label", 1, "@obj.label()"),
            Row("str of object", 1, "⟨str repr format⟩(@obj)[:40].split(' at ')[0]"),
            Row("format object", 0.7, "f'{@obj!s:.9}'"),
            Row("format object spec", 0.5, "f'{@obj:⟨>5 03d x⟩}'"),
            Row("class name", 0.4, "type(@obj).__name__"),
            Row("class of names", 0.3, "','.join(c.__name__ for c in type(@obj).__mro__)"),
            Row("names of attributes", 0.4, "' '.join(vars(@obj))"),
            Row("class item", 0.2, "type(@obj)[$int]"),
            Row("percent object", 0.3, "('%s' % @obj).split(' at ')[0]"),
        ),
        "ints": (
            Row("list of object", 0.7, "⟨list sorted⟩(⟨@obj reversed(@obj)⟩)[:4]"),
            Row("unpacked object", 0.5, "[*@obj][:4]"),
            Row("comprehension of object", 0.5, "[q + 1 for q in @obj][:4]"),
            Row("map of method", 0.5, "list(map(@obj.calc, $ints))"),
            Row("sorted by method", 0.4, "sorted($ints, key=@obj.calc)"),
            Row("zip objects", 0.3, "[p + q for p, q in zip(@obj, @obj)][:4]"),
            Row("filter by object", 0.3, "list(filter(@obj, $ints))"),
        ),
        "tensor": (
            Row("tensor of object", 3, "@obj.t"),
            Row("method on tensor", 4, "@obj.apply($same)"),
            Row("tensor with object", 0.3, "($same ⟨* +⟩ @obj)"),
        ),
    },
    statements=(
        Row("object store", 1.5, "@obj.⟨n k⟩ = $int % 23"),
        Row("object store other", 0.6, "@obj.⟨extra before _k⟩ = $int"),
        Row("object store tensor", 1, "@obj.t = $same"),
        Row("object augmented", 1, "@obj.⟨n k⟩ ⟨+= -= *=⟩ $small"),
        Row("object setattr", 0.5, "setattr(@obj, ⟨'n' 'k' 'extra'⟩, $int % 9)"),
        Row("object del", 0.4, "del @obj.⟨k extra before seen⟩"),
        Row("object delattr", 0.2, "delattr(@obj, ⟨'extra' 'n' 'k'⟩)"),
        Row("object item store", 0.6, "@obj[$small] = $int"),
        Row("object item del", 0.3, "del @obj[$small]"),
        Row("object item augmented", 0.3, "@obj[$small] += $small"),
        Row("object in place", 0.7, "§o = @obj\n§o += $small\nprint(§o is @obj, §o.n)"),
        Row("object call statement", 1, "@obj.⟨calc($int) apply($same) label()⟩"),
        Row("object dict", 0.4, "vars(@obj)[⟨'n' 'extra' 'k'⟩] = $small"),
        Row("object dict update", 0.3, "@obj.__dict__.update(n=$small)"),
        Row("object dict pop", 0.2, "vars(@obj).pop(⟨'extra' 'k'⟩, None)"),
        Row("class store", 0.5, "type(@obj).⟨shared k⟩ = $small"),
        Row("class method replaced", 0.3, "type(@obj).calc = lambda self, i, by=1: i + $small"),
        Row("instance method", 0.4, "@obj.calc = lambda i, by=1: i - $small"),
        Row("object of class", 0.3, "@obj.__class__ = type(@obj)"),
        Row("for object", 1, "for →int in @obj:\n    …"),
        Row("for reversed object", 0.3, "for →int in reversed(@obj):\n    …"),
        Row("with object", 1, "with @obj as §e:\n    …"),
        Row("with new object", 0.5, "with $obj:\n    …"),
        Row("if object", 0.7, "if @obj:\n    …\nelse:\n    …"),
        Row("object in object", 0.3, "@obj.other = @obj"),
        Row("objects in list", 0.5, "for §q in [@obj, $obj]:\n    §q.n = §q.calc($small)"),
        Row("object printed", 0.5, "print(@obj.label(), @obj.n)"),
        Row(
            "match object",
            0.5,
            "match @obj:\n    case object(n=0 | 1):\n        …\n    case object(k=§k) if §k > 2:\n        …",
        ),
        Row(
            "local class",
            0.4,
            """\
class §c(type(@obj)):
    k = $small

    def apply(self, x):
        return super().apply(x) + 1
→obj = §c($same, $int)""",
        ),
    ),
    changes=(
        Row("global object", 1, "g_obj.n = $small"),
        Row("global object k", 0.7, "g_obj.k = $small"),
        Row("global object extra", 0.7, "g_obj.extra = $small"),
        Row("class attribute", 1, "type(g_obj).k = $small"),
        Row("class method", 1, "type(g_obj).calc = lambda self, i, by=1: i * $small"),
        Row("class apply", 0.7, "type(g_obj).apply = lambda self, x: x - $small"),
        Row("class str", 0.5, "type(g_obj).__str__ = lambda self: 'changed'"),
        Row("class equality", 0.5, "type(g_obj).__eq__ = lambda self, other: $bool"),
        Row("class length", 0.5, "type(g_obj).__len__ = lambda self: $small"),
        Row("class truth", 0.5, "type(g_obj).__bool__ = lambda self: $bool"),
        Row("class getattr", 0.4, "type(g_obj).__getattr__ = lambda self, name: $small"),
        Row("instance method", 0.5, "g_obj.calc = lambda i, by=1: i"),
        Row("class of object", 0.4, "g_obj.__class__ = type('Other', (type(g_obj),), {'k': $small})"),
        Row("defaults", 0.4, "type(g_obj).calc.__defaults__ = ($small,)"),
    ),
)
