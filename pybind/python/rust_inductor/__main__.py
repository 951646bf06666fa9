"""``python -m rust_inductor``: what works on this machine, what is in the cache, and a function explained or timed."""

from __future__ import annotations

import sys

from rust_inductor._command_line import main

sys.exit(main())
