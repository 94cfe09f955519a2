"""The files of an export in a house's folder."""

from __future__ import annotations

from pathlib import Path

from thirdcard.vision.inference.model_spec import ModelSpec, load_model_spec

UNMEASURED = ("--no-exam", "--force")
"""For networks trained for seconds, whose accuracy does not matter."""


def exported(home: Path, name: str) -> ModelSpec:
    """A model of a house, after a check of its declaration and weights."""
    spec = load_model_spec(name, home / "models" / "registry.yaml")
    spec.check_weights()
    return spec
