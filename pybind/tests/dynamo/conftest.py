"""Fixtures of the tests of our own Dynamo."""

from __future__ import annotations

from typing import Any

import pytest

from rust_inductor import _aot


@pytest.fixture
def through_aot(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The graphs that go through AOTAutograd from now on."""
    seen: list[Any] = []
    compile_module = _aot.compile_module

    def noted(gm: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(gm)
        return compile_module(gm, *args, **kwargs)

    monkeypatch.setattr(_aot, "compile_module", noted)
    return seen
