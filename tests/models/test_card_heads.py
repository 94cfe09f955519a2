"""Each model's card begins with a head that model hubs read, and names the weights that run."""

from __future__ import annotations

import pytest
import yaml

from tests.repository import ROOT

REGISTRY = yaml.safe_load((ROOT / "models" / "registry.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_card_has_a_head_with_licence_and_weights(name: str) -> None:
    text = (ROOT / "models" / "cards" / f"{name}.md").read_text(encoding="utf-8")
    head = yaml.safe_load(text.split("---\n")[1])
    assert (head["license"], head["library_name"]) == ("agpl-3.0", "onnxruntime")
    assert head["model_file"] == f"models/weights/{REGISTRY[name]['weights']}"
    assert head["pipeline_tag"]
