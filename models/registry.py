"""Write an entry of `models/registry.yaml`; `vision/inference/model_spec.py` reads it.

Keeps the other entries and the opening comment as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

HEADER = """\
# The models that run, each as its file must be: vision/inference/model_spec.py holds them against this when they open.
# Inputs are RGB, 0 to 1, float32, (batch, 3, height, width), 9 for three; smaller ones where step_px is set.
# Weights: models/weights, named by hash.
"""


def write_entry(registry: Path, name: str, entry: Mapping[str, Any]) -> None:
    """Adds or replaces one model's entry."""
    entries: dict[str, Any] = {}
    if registry.exists():
        entries = yaml.safe_load(registry.read_text(encoding="utf-8")) or {}
    entries[name] = dict(entry)
    text = yaml.safe_dump(entries, sort_keys=True, default_flow_style=None, width=110, allow_unicode=True)
    registry.write_text(HEADER + text, encoding="utf-8")
