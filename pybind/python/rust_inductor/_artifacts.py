"""Compiled code in one file, for other machines: a fleet that loads it compiles no kernel."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from hmac import compare_digest
from pathlib import Path

from rust_inductor import _native


@dataclass(frozen=True)
class Entry:
    """A piece of compiled code in an artifact."""

    #: A hash of all that it follows from.
    key: str
    #: Its kind, and the machines on which it is found again.
    label: str
    #: Its size.
    bytes: int


@dataclass(frozen=True)
class Artifact:
    """The contents of an artifact."""

    #: BLAKE3 of the file but for its last bytes, which are this digest: 64 hexadecimal digits.
    digest: str
    #: The version of this package that made it, which alone can load it.
    build: str
    #: Its entries, in the order of their keys: artifacts of the same work are the same.
    entries: tuple[Entry, ...]

    def __str__(self) -> str:
        rows = [f"{entry.bytes:9}  {entry.key[:16]}  {entry.label}" for entry in self.entries]
        total = sum(entry.bytes for entry in self.entries)
        head = [f"digest {self.digest}", f"made by rust_inductor {self.build}"]
        return "\n".join([*head, *rows, f"{total:9}  bytes in {len(rows)} entries"])


def save(path: str | os.PathLike[str]) -> Artifact:
    data, artifact = save_bytes()
    path = Path(path)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        unfinished.write_bytes(data)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return artifact


def read(path: str | os.PathLike[str]) -> Artifact:
    return contents(Path(path).read_bytes())


def save_bytes() -> tuple[bytes, Artifact]:
    data = _native.save_artifact()
    return data, contents(data)


def load(data: bytes, digest: str | None = None) -> Artifact:
    artifact = contents(data)
    if digest is not None and not compare_digest(artifact.digest, digest.lower()):
        message = f"the artifact's digest is {artifact.digest}, not {digest}"
        raise ValueError(message)
    if not _native.load_artifact(data):
        warn(f"the artifact was made by rust_inductor {artifact.build}, another version; it is not used")
    elif labels := foreign(artifact):
        warn(f"the artifact's code is not for this processor ({_native.host_label()}), but: {'; '.join(labels)}")
    return artifact


def contents(data: bytes) -> Artifact:
    digest, build, entries = _native.read_artifact(data)
    return Artifact(digest, build, tuple(Entry(*entry) for entry in entries))


def foreign(artifact: Artifact) -> list[str]:
    """The labels of code for processors, where none is for this one."""
    labels = sorted({entry.label for entry in artifact.entries if entry.label.startswith("CPU code")})
    return [] if _native.host_label() in labels else labels


def warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=4)
