"""What an export left in a house's folder."""

from __future__ import annotations

from pathlib import Path

from thirdcard.vision.inference.model_spec import ModelSpec, load_model_spec

UNMEASURED = ("--no-exam", "--force")
"""For networks that have learned for seconds: nobody wants to know how well they do."""


def exported(home: Path, name: str) -> ModelSpec:
    """A model of a house, declared and whole."""
    spec = load_model_spec(name, home / "models" / "registry.yaml")
    spec.check_weights()
    return spec
