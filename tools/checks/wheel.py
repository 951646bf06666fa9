"""The wheel on a machine that has nothing: `./x test wheel` builds it, installs it into a bare Debian 12, and runs it.

The bare Debian is made by debootstrap, with Python and nothing that compiles. PyTorch and the libraries of models are
those of this virtual environment, which the bare system sees but cannot change. That takes a process with the rights
of root, and CPython 3.11, which is Debian 12's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from tools import wheel
from tools.ui import ROOT, StepFailed, run_step, say

#: The bare system, made once.
BARE = ROOT / "target" / "bare-debian"
#: Its packages beside those that every Debian has.
PACKAGES = "python3,ca-certificates"

#: Mounts what the bare system borrows, in a name space that goes with the process, and runs Python there.
INSIDE = """
set -e
mount --bind "$2" "$1/site"
mount -o remount,bind,ro "$1/site"
mount -t proc proc "$1/proc"
mount -t tmpfs tmpfs "$1/tmp"
mount --bind /dev "$1/dev"
exec chroot "$1" env -i PATH=/usr/bin:/bin HOME=/root PYTHONPATH=/wheel:/site PYTHONDONTWRITEBYTECODE=1 python3 /run.py
"""

#: The program that runs there: three models against eager.
PROGRAM = """
import shutil, time
compilers = [name for name in ("cc", "gcc", "c++", "g++", "clang", "llvm-config", "cargo") if shutil.which(name)]
assert not compilers, compilers

import torch
from torchvision.models import resnet18, resnet50
from transformers import BertConfig, BertModel
import rust_inductor

assert rust_inductor.__file__.startswith("/wheel/"), rust_inductor.__file__
torch.manual_seed(0)

def timed(name, run):
    start = time.perf_counter()
    result = run()
    print(f"{name}: first call in {time.perf_counter() - start:.2f} s", flush=True)
    return result

with torch.no_grad():
    model, image = resnet50().eval(), torch.randn(1, 3, 224, 224)
    compiled = torch.compile(model, backend="rust_inductor")
    ours = timed("ResNet-50, torch.compile", lambda: compiled(image))
    torch.testing.assert_close(ours, model(image), rtol=1e-3, atol=1e-3)

    model, words = BertModel(BertConfig()).eval(), torch.randint(0, 30000, (1, 128))
    compiled = rust_inductor.compile(model)
    ours = timed("BERT-base, rust_inductor.compile", lambda: compiled(words).last_hidden_state)
    torch.testing.assert_close(ours, model(words).last_hidden_state, rtol=1e-3, atol=1e-3)

def step(model, run):
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    loss = run(torch.ones(2, 3, 64, 64)).square().mean()
    loss.backward()
    optimizer.step()
    return loss.item()

ours, theirs = resnet18(), resnet18()
theirs.load_state_dict(ours.state_dict())
compiled = rust_inductor.compile(ours)
losses = [timed("ResNet-18, a step of training", lambda: step(ours, compiled)), step(ours, compiled)]
torch.testing.assert_close(losses, [step(theirs, theirs) for _ in losses], rtol=1e-3, atol=1e-3)
for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
    assert (a - b).norm() <= 1e-2 * b.norm() + 1e-4
print("3 models passed")
"""


def stage() -> tuple[bool, str]:
    """Builds, installs and runs the wheel; passed if the models are as in eager."""
    if (sys.version_info.major, sys.version_info.minor) != (3, 11):
        return False, "Debian 12 has CPython 3.11; the wheel of another one is not run there"
    if os.geteuid() != 0:
        return False, "the bare system needs the rights of root"
    if shutil.which("debootstrap") is None:
        return False, "debootstrap is not installed"
    try:
        bare()
        path = wheel.build(Path(sys.executable))
        install(path)
    except StepFailed:
        return False, ""
    say(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
    (BARE / "run.py").write_text(PROGRAM)
    command = ["unshare", "--mount", "sh", "-c", INSIDE, "sh", str(BARE), sysconfig.get_path("purelib")]
    passed = subprocess.run(command, check=False).returncode == 0
    return passed, f"{path.name}, {path.stat().st_size / 1e6:.1f} MB"


def bare() -> None:
    """The bare system, unless there is one."""
    done = BARE / "site"
    if done.exists():
        return
    shutil.rmtree(BARE, ignore_errors=True)
    command = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", str(BARE)]
    run_step("a bare Debian 12 (debootstrap)", command)
    done.mkdir()


def install(path: Path) -> None:
    """Installs the wheel, and nothing that it would ask for."""
    target = BARE / "wheel"
    shutil.rmtree(target, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-compile", "--disable-pip-version-check"]
    run_step(path.name, [*pip, "--target", str(target), str(path)])
