"""Where the repository's own files lie, for tests that read them."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The repository."""
DEMO = ROOT / "datasets" / "demo"
"""The recording that comes with it."""
SCRIPTS = ROOT / "datasets" / "scripts"
"""The scenario scripts that come with it."""
DEMO_TABLE = DEMO / "table.yaml"
"""Its table."""
