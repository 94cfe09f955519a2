"""Weights say under which licence they are given, which version they are, and what their outputs mean."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import yaml

from thirdcard.models.errors import ModelExportError
from thirdcard.models.onnx_metadata import AUTHOR, LICENCE, facts_of, read_facts, stamp
from thirdcard.vision.inference.model_spec import REGISTRY_PATH, ModelSpec, load_model_spec

SHIPPED = sorted(yaml.safe_load(REGISTRY_PATH.read_text(encoding="utf-8")))
SMALLEST = load_model_spec("chip_faces")


def opened(path: Path) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])


def answers(path: Path, spec: ModelSpec) -> np.ndarray:
    shape = [side or 2 for side in spec.input.shape]
    shown = np.random.default_rng(0).random(shape, np.float32)
    return np.asarray(opened(path).run(None, {spec.input.name: shown})[0])


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copyfile(SMALLEST.weights, tmp_path / "copy.onnx"))


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_weights_carry_licence_version_and_classes(name: str) -> None:
    spec = load_model_spec(name, REGISTRY_PATH)
    facts = opened(spec.weights).get_modelmeta().custom_metadata_map
    assert facts["name"] == f"thirdcard {name}"
    assert (facts["license"], facts["author"]) == (LICENCE, AUTHOR)
    assert re.fullmatch(r"\d+\.\d+\.\d+", facts["version"])
    assert tuple(json.loads(facts["classes"])) == spec.classes
    assert read_facts(spec.weights) == facts


def test_stamped_file_answers_as_before_and_keeps_every_other_byte(copy: Path) -> None:
    before, old = answers(copy, SMALLEST), copy.read_bytes()
    stamp(copy, {"a note": "of this test: 8♠"})
    assert opened(copy).get_modelmeta().custom_metadata_map["a note"] == "of this test: 8♠"
    assert copy.read_bytes().startswith(old)
    assert np.array_equal(answers(copy, SMALLEST), before)


def test_facts_of_the_same_name_are_replaced_and_others_stay(copy: Path) -> None:
    stamp(copy, {"note": "first"})
    stamp(copy, facts_of("cards", ["8♠", "back"], "9.9.9"))
    facts = read_facts(copy)
    assert (facts["name"], facts["version"], facts["note"]) == ("thirdcard cards", "9.9.9", "first")
    assert json.loads(facts["classes"]) == ["8♠", "back"]
    once = copy.read_bytes()
    stamp(copy, facts_of("cards", ["8♠", "back"], "9.9.9"))
    assert copy.read_bytes() == once


def test_long_texts_are_read_back(copy: Path) -> None:
    stamp(copy, {"long": "x" * 70_000})
    assert read_facts(copy)["long"] == "x" * 70_000


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\x3a\xff\xff\xff\xff\x0f", id="longer than the file"),
        pytest.param(b"\x3a\xff", id="cut"),
        pytest.param(b"\x00\x00", id="no number"),
        pytest.param(b"\x0fplain text", id="unknown kind"),
    ],
)
def test_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.onnx"
    path.write_bytes(content)
    with pytest.raises(ModelExportError, match=r"other\.onnx: is no ONNX file"):
        stamp(path, {"license": LICENCE})
    assert path.read_bytes() == content
