"""Training: losses that are differentiated, gradients read, and steps of optimisers."""

from __future__ import annotations

from typing import Any

from pybind.tests.dynamo.fuzz.rows import Row, Theme


def trainer(namespace: dict[str, Any], t: Any, number: int, variant: int) -> Any:
    """A model with its optimiser as an argument."""
    return namespace["Trainer"](number % 3, variant)


TRAINING = Theme(
    kinds={"trainer": 1},
    literals={"trainer": "g_trainer"},
    arguments={"trainer": trainer},
    definitions="""\
class Model(torch.nn.Module):
    def __init__(self, scale=1.0):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([scale]))
        self.bias = torch.nn.Parameter(torch.tensor([0.5]))
        self.register_buffer("mean", torch.zeros(1))

    def forward(self, x):
        if self.training:
            with torch.no_grad():
                self.mean.mul_(0.5).add_(x.detach().mean() * 0.5)
        return (x - self.mean) * self.weight + self.bias


def optimiser(parameters, which):
    if which == 0:
        return torch.optim.SGD(parameters, lr=0.1)
    if which == 1:
        return torch.optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=0.01, nesterov=True)
    return torch.optim.RMSprop(parameters, lr=0.05)


class Trainer:
    def __init__(self, which=0, variant=0):
        self.model = Model(1.0 + variant)
        self.opt = optimiser(self.model.parameters(), which)
        self.losses = []
        self.steps = 0

    def step(self, x):
        self.opt.zero_grad()
        loss = (self.model(x) ** 2).mean()
        loss.backward()
        self.opt.step()
        self.steps += 1
        if len(self.losses) < 4:
            self.losses.append(loss.detach())
        return loss.detach()

    def loss(self, x):
        return self.model(x).abs().sum()


g_trainer = Trainer(1)
g_leaf = torch.tensor(2.0, requires_grad=True)
""",
    expressions={
        "trainer": (Row("global trainer", 1, "g_trainer"),),
        "int": (
            Row("steps", 0.7, "@trainer.steps"),
            Row("losses", 0.5, "len(@trainer.losses)"),
            Row("groups", 0.3, "len(@trainer.opt.param_groups)"),
        ),
        "bool": (
            Row("has gradient", 1, "(⟨@trainer.model.weight g_leaf⟩.grad is None)"),
            Row("graph needed", 0.7, "⟨@any @trainer.model.weight⟩.⟨requires_grad is_leaf⟩"),
            Row("has grad_fn", 0.4, "(@any.grad_fn is None)"),
        ),
        "float": (Row("learning rate", 0.5, "@trainer.opt.param_groups[0]['lr']"),),
        "tensor": (
            Row("model called", 3, "@trainer.model($same)"),
            Row("leaf", 1, "($same * g_leaf)"),
            Row("gradient by function", 0.7, "torch.autograd.grad(($same * g_leaf).sum(), g_leaf)[0].expand($shape)"),
            Row("detached", 0.5, "$same.detach()"),
            Row("gradient", 0.5, "(@same.grad if @same.grad is not None else $same)"),
            Row("gradient of function", 0.2, "torch.func.grad(lambda q: (q ** 2).sum())($same.detach())"),
        ),
    },
    statements=(
        Row("step", 1.5, "§l = @trainer.step($any)\nprint(§l.shape)"),
        Row("loss backward", 1.2, "@trainer.loss($any).backward()"),
        Row(
            "loss backward step",
            1,
            """\
@trainer.opt.zero_grad(⟨set_to_none=True set_to_none=False⟩)
@trainer.loss($any).backward()
@trainer.opt.step()""",
        ),
        Row(
            "backward twice",
            0.5,
            "§l = (@any * g_leaf).sum()\n§l.backward(retain_graph=True)\n§l.backward()\nprint(g_leaf.grad is None)",
        ),
        Row("backward of output", 0.7, "§y = ($any * g_leaf).sum()\nif §y.requires_grad:\n    §y.backward()"),
        Row("backward with gradient", 0.4, "§y = @any * g_leaf\n§y.backward(torch.ones_like(§y))"),
        Row("optimiser step", 0.6, "@trainer.opt.step()"),
        Row(
            "gradient cleared", 0.5, "⟨@trainer.opt.zero_grad() @trainer.model.zero_grad() setattr(g_leaf,'grad',None)⟩"
        ),
        Row("gradient changed", 0.5, "if g_leaf.grad is not None:\n    g_leaf.grad.⟨mul_(0.5) zero_() add_(1)⟩"),
        Row(
            "gradients clipped",
            0.4,
            "torch.nn.utils.clip_grad_⟨norm_(@trainer.model.parameters(),1.0) value_(@trainer.model.parameters(),0.5)⟩",
        ),
        Row("rate changed", 0.4, "@trainer.opt.param_groups[0]['lr'] = ⟨0.05 0.2⟩"),
        Row(
            "update by hand",
            0.6,
            """\
with torch.no_grad():
    for §p in @trainer.model.parameters():
        if §p.grad is not None:
            §p -= 0.1 * §p.grad
            §p.grad = None""",
        ),
        Row(
            "requires_grad set",
            0.4,
            """\
§t = $any.detach().clone().requires_grad_()
(§t * 3).sum().backward()
print(§t.grad.shape, §t.is_leaf)""",
        ),
        Row("tensor hook", 0.3, "§t = @any * g_leaf\n§t.register_hook(lambda g: g * 2)\n§t.sum().backward()"),
        Row(
            "backward without graph",
            0.3,
            "try:\n    $any.detach().sum().backward()\nexcept RuntimeError as §e:\n    print(type(§e).__name__)",
        ),
        Row("retain grad", 0.3, "§t = @any * g_leaf\n§t.retain_grad()\n§t.sum().backward()\nprint(§t.grad.shape)"),
    ),
    changes=(
        Row("leaf frozen", 0.5, "g_leaf.requires_grad_($bool)"),
        Row("leaf gradient", 0.7, "g_leaf.grad = ⟨None torch.tensor(1.0)⟩"),
        Row("rate", 0.6, "g_trainer.opt.param_groups[0]['lr'] = ⟨0.05 0.5⟩"),
        Row("trainer mode", 0.6, "g_trainer.model.⟨eval() train()⟩"),
        Row("trainer gradients", 0.5, "g_trainer.opt.zero_grad()"),
        Row("optimiser replaced", 0.5, "g_trainer.opt = optimiser(g_trainer.model.parameters(), $small)"),
    ),
)
