"""Paths of the repository's own files, for tests that read them."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The root of the repository."""
DEMO = ROOT / "datasets" / "demo"
"""The recording that comes with the repository."""
SCRIPTS = ROOT / "datasets" / "scripts"
"""The scenario scripts that come with the repository."""
DEMO_TABLE = DEMO / "table.yaml"
"""The table file of the shipped recording."""
