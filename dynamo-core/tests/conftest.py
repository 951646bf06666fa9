"""Fixtures that the tests of several versions of CPython share."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_round_trip import interpreters


@pytest.fixture(params=interpreters(), ids=lambda found: found[0])
def python(request: pytest.FixtureRequest) -> Path:
    """One of the interpreters."""
    version, path = request.param
    if path is None:
        pytest.skip(f"no CPython {version} here")
    return Path(path)
