"""Modules: parameters, buffers that ``forward`` writes, containers, hooks, modes, and changes between calls."""

from __future__ import annotations

from typing import Any

from pybind.tests.dynamo.fuzz.rows import Row, Theme


def module(namespace: dict[str, Any], t: Any, number: int, variant: int) -> Any:
    """A module as an argument."""
    return namespace["Net"](number % 3, variant)


MODULES = Theme(
    kinds={"module": 2},
    literals={"module": "g_net"},
    arguments={"module": module},
    definitions="""\
class Scale(torch.nn.Module):
    rate = 2

    def __init__(self, by=0.5):
        super().__init__()
        self.by = by
        self.weight = torch.nn.Parameter(torch.tensor(by))
        self.register_buffer("seen", torch.zeros(()))
        self.register_buffer("hidden", torch.ones(()), persistent=False)
        self.register_parameter("absent", None)
        self.calls = 0
        self.log = []

    def forward(self, x, extra=None):
        self.calls += 1
        if self.training:
            self.seen += 1
            self.hidden = self.hidden * 1.5
        if extra is not None:
            x = x + extra
        if len(self.log) < 5:
            self.log.append(x.dim())
        return x * self.weight + self.seen

    def extra_repr(self):
        return f"by={self.by}"


class Shifted(Scale):
    def forward(self, x, *args, **kwargs):
        return super().forward(x, *args, **kwargs) - self.rate

    @property
    def doubled(self):
        return self.by * 2


class Gate(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Scale(0.25)
        self.act = torch.nn.ReLU()
        self.step = 0

    def forward(self, x):
        self.step = (self.step + 1) % 4
        if self.step == 2 and self.training:
            return self.act(x)
        return self.inner(x, extra=self.step)


class Net(torch.nn.Module):
    def __init__(self, number=1, variant=0):
        super().__init__()
        torch.manual_seed(number)
        self.first = Scale(1.0 + number)
        self.layers = torch.nn.ModuleList([Scale(0.5), Shifted(2.0), torch.nn.Identity()][: 2 + (variant != 1)])
        self.chain = torch.nn.Sequential(torch.nn.Tanh(), Gate(), torch.nn.Hardtanh())
        self.named = torch.nn.ModuleDict({"a": torch.nn.Sigmoid(), "b": Shifted()})
        self.gains = torch.nn.ParameterList([torch.nn.Parameter(torch.tensor(1.0 + i)) for i in range(2)])
        self.drop = torch.nn.Dropout(0.0)
        self.shared = self.first
        self.which = "a"
        self.history = {}
        self.train(variant != 2)

    def forward(self, x, flag=False):
        x = self.first(x)
        for i, layer in enumerate(self.layers):
            x = layer(x) + i
        if flag:
            x = self.chain(x)
        x = self.named[self.which](x)
        for gain in self.gains:
            x = x * gain
        if len(self.history) < 4:
            self.history[len(self.history)] = self.training
        return self.drop(x)

    def helper(self, x):
        return self.layers[-1](x) + len(self.layers)


def doubling_hook(module, args, output):
    return output * 2


def noting_hook(module, args, output):
    module.noted = getattr(module, "noted", 0) + 1


def shifting_hook(module, args):
    return (args[0] + 1, *args[1:])


def keyword_hook(module, args, kwargs):
    return args, {**kwargs, "extra": 1}


g_net = Net(1)
""",
    expressions={
        "module": (
            Row("submodule", 1, "@module.⟨first layers[0] layers[-1] chain chain[1] named['a'] shared⟩"),
            Row("module made", 0.4, "⟨Scale Shifted⟩(0.5)"),
            Row("global module", 1, "g_net"),
            Row("module copied", 0.2, "copy.deepcopy(@module)"),
        ),
        "int": (
            Row("module attribute", 1, "getattr(@module, ⟨'calls' 'step' 'noted'⟩, $int)"),
            Row("parameters counted", 0.7, "len(list(@module.⟨parameters() buffers() children() modules()⟩))"),
            Row("sizes of parameters", 0.4, "sum(p.numel() for p in @module.parameters())"),
            Row("global module attribute", 0.7, "g_net.⟨first.calls chain[1].step layers[0].calls⟩"),
            Row("length of container", 0.5, "len(g_net.⟨layers chain named gains⟩)"),
            Row("state counted", 0.3, "len(@module.state_dict())"),
        ),
        "bool": (
            Row("training", 1, "@module.training"),
            Row("module isinstance", 0.6, "isinstance(@module, ⟨Scale torch.nn.Module Net Shifted⟩)"),
            Row("same module", 0.5, "(@module is ⟨@module g_net.first⟩)"),
            Row("module hasattr", 0.5, "hasattr(@module, ⟨'weight' 'extra' 'gone' 'absent'⟩)"),
            Row("name in container", 0.4, "(⟨'a' 'c' $str⟩ in g_net.named)"),
        ),
        "str": (
            Row(
                "names of parameters",
                0.6,
                "' '.join(n for n, _ in @module.named_⟨parameters() buffers() children() modules()⟩)",
            ),
            Row("names of state", 0.3, "' '.join(@module.state_dict())"),
            Row("class of module", 0.5, "' '.join(type(m).__name__ for m in @module.⟨modules() children()⟩)"),
            Row("repr of module", 0.2, "repr(@module)[:60]"),
        ),
        "tensor": (
            Row("module called", 6, "@module($same)"),
            Row("global module called", 2, "g_net($same⟨,flag=$bool ,True⟩)"),
            Row("forward called", 0.7, "@module.forward($same)"),
            Row("scale called", 1, "g_net.first($same, ⟨extra=$int $broad None⟩)"),
            Row("helper called", 0.6, "g_net.helper($same)"),
            Row("parameter", 1, "($same * next(@module.parameters()))"),
            Row("buffer", 1, "($same + g_net.first.⟨seen hidden weight⟩)"),
            Row("buffers added", 0.5, "sum(g_net.buffers(), $same)"),
            Row(
                "functional call",
                0.2,
                "torch.func.functional_call(g_net.first, {'weight': torch.tensor(3.0)}, ($same,))",
            ),
        ),
    },
    statements=(
        Row("training toggled", 0.7, "@module.⟨train() eval() train(False)⟩"),
        Row("module attribute store", 0.8, "@module.⟨extra calls which⟩ = $int"),
        Row("module buffer store", 0.6, "g_net.first.⟨seen hidden⟩ = torch.tensor($float)"),
        Row("module buffer in place", 0.7, "g_net.first.seen.⟨add_($int) zero_() mul_(2) fill_(3)⟩"),
        Row(
            "parameter in place",
            0.5,
            "with torch.no_grad():\n    g_net.first.weight.⟨mul_(0.5) add_(1) copy_(torch.tensor(0.5))⟩",
        ),
        Row("parameter data", 0.3, "g_net.first.weight.data = torch.tensor($float)"),
        Row("parameter replaced", 0.3, "g_net.first.weight = torch.nn.Parameter(torch.tensor($float))"),
        Row("module replaced", 0.3, "g_net.named[⟨'a' 'b' 'c'⟩] = Scale($float)"),
        Row("module appended", 0.3, "g_net.layers.append(Scale(0.1)) if len(g_net.layers) < 4 else None"),
        Row("requires grad", 0.4, "g_net.first.⟨requires_grad_(False) requires_grad_() weight.requires_grad_($bool)⟩"),
        Row(
            "hook inside",
            0.5,
            """\
§h = g_net.first.register_forward_hook(⟨doubling_hook noting_hook⟩)
§t = g_net.first($any)
§h.remove()
print(tuple(§t.shape))""",
        ),
        Row("hook kept", 0.2, "@module.register_forward_pre_hook(shifting_hook)"),
        Row(
            "for modules",
            0.7,
            """\
for §m in ⟨g_net.layers g_net.chain @module.modules() @module.children()⟩:
    print(type(§m).__name__, §m.training)""",
        ),
        Row(
            "for named modules",
            0.5,
            "for §k, §m in ⟨g_net.named.items() @module.named_children()⟩:\n    print(§k, §m.training)",
        ),
        Row(
            "for parameters",
            0.5,
            """\
for §k, §p in @module.named_parameters():
    print(§k, tuple(§p.shape), §p.requires_grad, §p.grad is None)""",
        ),
        Row("module applied", 0.3, "@module.apply(lambda m: setattr(m, 'mark', 1))"),
        Row(
            "local module",
            0.4,
            "class §c(torch.nn.Module):\n    def forward(self, x):\n        return x + $int\n→module = §c()",
        ),
    ),
    changes=(
        Row("global eval", 2, "g_net.⟨eval() train()⟩"),
        Row("submodule mode", 1, "g_net.first.⟨eval() train()⟩"),
        Row("attribute", 1, "g_net.which = ⟨'a' 'b'⟩"),
        Row("attribute added", 0.7, "g_net.first.extra = $small"),
        Row("forward hook", 1, "g_net.first.register_forward_hook(⟨doubling_hook noting_hook⟩)"),
        Row("pre-hook", 0.7, "g_net.layers[0].register_forward_pre_hook(shifting_hook)"),
        Row("keyword hook", 0.5, "g_net.first.register_forward_pre_hook(keyword_hook, with_kwargs=True)"),
        Row("hook of container", 0.5, "g_net.⟨chain named['a']⟩.register_forward_hook(doubling_hook)"),
        Row("layer appended", 0.7, "g_net.layers.append(Scale(1.5))"),
        Row("layer replaced", 0.7, "g_net.layers[0] = ⟨Shifted(0.5) torch.nn.ReLU() Scale(3.0)⟩"),
        Row("layer dropped", 0.5, "del g_net.layers[-1]"),
        Row("parameter replaced", 0.7, "g_net.first.weight = torch.nn.Parameter(torch.tensor($float))"),
        Row("parameter frozen", 0.7, "g_net.first.weight.requires_grad_($bool)"),
        Row("buffer replaced", 0.7, "g_net.first.seen = torch.tensor($float)"),
        Row("forward of instance", 0.5, "g_net.first.forward = lambda x, extra=None: x - 1"),
        Row("forward of class", 0.5, "Scale.forward = lambda self, x, extra=None: x * self.by"),
        Row("class attribute", 0.5, "Scale.rate = $small"),
        Row("double", 0.3, "g_net.double()"),
        Row("shared split", 0.4, "g_net.shared = Scale(4.0)"),
        Row("state loaded", 0.5, "g_net.load_state_dict({k: v * 2 for k, v in g_net.state_dict().items()})"),
        Row("parameter none", 0.3, "g_net.first.absent = torch.nn.Parameter(torch.ones(()))"),
    ),
)
