"""Tells what the garbage collector has found unreachable, before it clears any of it."""

from __future__ import annotations


class Sentinel:
    """An object that notes its own finalization; who alone refers to it asks whether the two are being collected."""

    def __init__(self) -> None:
        self.found = False

    def __del__(self) -> None:
        self.found = True
