"""Set-up: whatever a command of `./x` needs and this machine lacks. Standard library only.

`python -m tools.setup VENV [TOOL...]`, such as `nextest` or `package`. Each step looks first whether it is
done, by a stamp that holds the hash of what it was done from; a second run takes a fraction of a second.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from tools.ui import ROOT, StepFailed, read_or_empty, run_step, say

LLVM_PREFIX = Path(os.environ.get("LLVM_SYS_191_PREFIX", "/usr/lib/llvm-19"))
LLVM_PACKAGES = ["llvm-19-dev"]
#: Archives that LLVM's own are linked with, for wheels.
WHEEL_PACKAGES = ["libzstd-dev", "zlib1g-dev"]
VULKAN_PACKAGE = "mesa-vulkan-drivers"
CARGO_TOOLS = ROOT / "target" / "tools"
CARGO_VERSIONS = {"cargo-nextest": "0.9.143", "mdbook": "0.5.4"}


def main() -> int:
    """Runs the steps that every command needs, then those named."""
    venv, *wanted = Path(sys.argv[1]), *sys.argv[2:]
    steps: dict[str, Callable[[], None]] = {
        "nextest": lambda: cargo_tool("cargo-nextest"),
        "mdbook": lambda: cargo_tool("mdbook"),
        "c++": lambda: None,
        "vulkan": lambda: None,
        "wheel": lambda: None,
        "bare": lambda: None,
        "package": lambda: package(venv),
        "sweep": lambda: package(venv, "sweep"),
    }
    try:
        system_packages(wanted)
        if "vulkan" in wanted:
            vulkan()
        virtual_environment(venv)
        requirements(venv)
        for name in wanted:
            steps[name]()
    except StepFailed:
        return 1
    return 0


def system_packages(wanted: Sequence[str]) -> None:
    """Debian's packages: LLVM, and the compilers and Python modules that a bare machine may lack."""
    missing = missing_llvm()
    if shutil.which("cc") is None:
        missing += ["gcc", "libc6-dev"]
    if {"c++", "wheel"} & set(wanted) and shutil.which("g++") is None:
        missing += ["g++"]
    if "wheel" in wanted and on_debian():
        missing += [name for name in WHEEL_PACKAGES if not is_installed(name)]
    if "bare" in wanted and shutil.which("debootstrap") is None:
        missing += ["debootstrap"]
    if not has_module("ensurepip"):
        missing += [f"python3.{sys.version_info.minor}-venv"]
    if not missing:
        return
    if not has_apt():
        say(f"[setup] these are needed, and there is no apt-get to install them with: {' '.join(missing)}")
        say("[setup] LLVM 19 may lie anywhere: set LLVM_SYS_191_PREFIX to its prefix")
        raise StepFailed("system packages")
    apt_install(missing)


def vulkan() -> None:
    """A Vulkan loader and a driver that needs no GPU, for WebGPU; where they cannot be had, it is skipped."""
    if not on_debian() or is_installed(VULKAN_PACKAGE):
        return
    if not has_apt():
        say(f"[setup] {VULKAN_PACKAGE} is missing, and there is no apt-get: the tests that need an adapter are skipped")
        return
    try:
        apt_install([VULKAN_PACKAGE])
    except StepFailed:
        say(f"[setup] {VULKAN_PACKAGE} could not be installed: the tests that need an adapter are skipped")


def has_apt() -> bool:
    """True where Debian's packages can be installed."""
    return on_debian() and shutil.which("apt-get") is not None


def apt_install(packages: list[str]) -> None:
    """Installs Debian's packages."""
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    run_step("package lists (apt)", [*sudo, "apt-get", "update"], quiet)
    install = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    run_step(f"{' '.join(packages)} (apt)", [*sudo, "env", "DEBIAN_FRONTEND=noninteractive", *install])


def on_debian() -> bool:
    """True where Debian's package database can be asked."""
    return shutil.which("dpkg-query") is not None


def missing_llvm() -> list[str]:
    """LLVM's packages that are not installed; none where LLVM has come by another way."""
    own = "LLVM_SYS_191_PREFIX" in os.environ or not on_debian()
    if own and (LLVM_PREFIX / "bin" / "llvm-config").exists():
        return []
    return [name for name in LLVM_PACKAGES if not is_installed(name)]


def is_installed(package_name: str) -> bool:
    """True if Debian's package database says so."""
    if not on_debian():
        return False
    query = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package_name]
    answer = subprocess.run(query, capture_output=True, text=True, check=False)
    return answer.stdout.strip() == "installed"


def has_module(name: str) -> bool:
    """True if this interpreter can import the module."""
    from importlib.util import find_spec

    return find_spec(name) is not None


def virtual_environment(venv: Path) -> None:
    """A virtual environment of the interpreter that runs this file."""
    if not (venv / "bin" / "python").exists():
        run_step(f"virtual environment {venv.relative_to(ROOT)}", [sys.executable, "-m", "venv", str(venv)])


def requirements(venv: Path) -> None:
    """The pinned packages of tools/requirements.txt."""
    listed = ROOT / "tools" / "requirements.txt"

    def install() -> None:
        # Without --no-compile pip would spend half its time on byte code of modules that nobody imports.
        pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "--no-compile", "--disable-pip-version-check"]
        run_step("torch and tools (pip)", [*pip, "-r", str(listed)])

    once(venv / ".stamp-requirements", digest([listed]), install)


def cargo_tool(name: str) -> None:
    """A tool from crates.io, unless there is one on PATH. Built without optimisation: that halves the wait."""
    version = CARGO_VERSIONS[name]
    if shutil.which(name) is not None:
        return

    def install() -> None:
        features = ["--no-default-features", "--features", "search"] if name == "mdbook" else []
        command = ["cargo", "install", name, "--version", version, "--locked", "--debug", *features]
        env = {"CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_TARGET_DIR": str(CARGO_TOOLS / "build")}
        run_step(f"{name} {version} (cargo install)", [*command, "--root", str(CARGO_TOOLS)], env)
        shutil.rmtree(CARGO_TOOLS / "build", ignore_errors=True)

    once(CARGO_TOOLS / f".stamp-{name}", version, install)


def package(venv: Path, *features: str) -> None:
    """The Python package, optimised, into the virtual environment."""
    stamp = venv / ".stamp-package"

    def key() -> str:
        return digest(package_sources()) + library_state() + ",".join(features)

    if read_or_empty(stamp) == key():
        return
    stamp.unlink(missing_ok=True)
    python = venv / "bin" / "python"
    command = [str(venv / "bin" / "maturin"), "develop", "--release", "--manifest-path", "pybind/Cargo.toml"]
    if features:
        command += ["--features", ",".join(("extension-module", *features))]
    env = {"VIRTUAL_ENV": str(venv), "PYO3_PYTHON": str(python), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    run_step("rust_inductor (maturin develop --release)", command, env)
    stamp.write_text(key())


def package_sources() -> list[Path]:
    """Every file that the extension module is built from."""
    crates = sorted(manifest.parent for manifest in ROOT.glob("*/Cargo.toml"))
    sources = [path for crate in crates for path in sorted((crate / "src").rglob("*")) if path.is_file()]
    builds = [path for crate in crates for path in (crate / "Cargo.toml", crate / "build.rs", crate / "pyproject.toml")]
    shared = [ROOT / "Cargo.toml", ROOT / "Cargo.lock", ROOT / ".cargo" / "config.toml"]
    return [path for path in [*sources, *builds, *shared] if path.exists()]


def library_state() -> str:
    """Tells the installed library from one that another build has put in its place."""
    libraries = sorted((ROOT / "pybind" / "python").rglob("*.so"))
    return "".join(f"\n{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in libraries)


def digest(paths: Iterable[Path]) -> str:
    """The hash of some files, by their names and contents, and of this interpreter's version."""
    hasher = hashlib.sha256(sys.version.encode())
    for path in paths:
        hasher.update(f"\0{path.relative_to(ROOT)}\0".encode())
        hasher.update(path.read_bytes())
    return hasher.hexdigest()


def once(stamp: Path, key: str, action: Callable[[], None]) -> None:
    """Does something unless the stamp says that it was done for the same key."""
    if read_or_empty(stamp) == key:
        return
    stamp.unlink(missing_ok=True)
    action()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(key)


if __name__ == "__main__":
    sys.exit(main())
