"""The registry of models and the sessions opened by it: every complaint, and a network that is known."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from thirdcard.vision.errors import ModelError
from thirdcard.vision.inference.model_spec import MODELS_VARIABLE, REGISTRY_PATH, check_house_models, load_model_spec
from thirdcard.vision.inference.session import ModelSession

GOOD: dict[str, Any] = {
    "weights": "net.onnx",
    "sha256": "0" * 64,
    "input": {"name": "images", "shape": [None, 3, 8, 6]},
    "output": {"name": "output", "shape": [None, 2]},
    "classes": ["a", "b"],
    "settings": {"score": 0.3},
}


def write_registry(folder: Path, **changes: Any) -> Path:
    entry = {key: value for key, value in {**GOOD, **changes}.items() if value != "absent"}
    path = folder / "registry.yaml"
    path.write_text(yaml.safe_dump({"net": entry}), encoding="utf-8")
    return path


def test_registry_entry_is_read_as_it_stands(tmp_path: Path) -> None:
    spec = load_model_spec("net", write_registry(tmp_path))
    assert spec.weights == tmp_path / "weights" / "net.onnx"
    assert (spec.input_hw_px, spec.classes, spec.setting("score")) == ((8, 6), ("a", "b"), 0.3)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        pytest.param({"wieghts": "x"}, "net.wieghts: unknown or missing key; allowed classes", id="unknown_key"),
        pytest.param({"sha256": "absent"}, "net.sha256: unknown or missing key", id="missing_key"),
        pytest.param({"input": [1, 2]}, r"net.input = \[1, 2\]; must be a mapping", id="input_list"),
        pytest.param({"input": {"name": "x"}}, "net.input.shape: unknown or missing key", id="no_shape"),
        pytest.param(
            {"input": {"name": "x", "shape": [None, 1, 8, 6]}}, r"must be \[null, 3, height, width\]", id="one_channel"
        ),
        pytest.param({"output": {"name": "x", "shape": ["n", 2]}}, "must be a list of whole numbers", id="shape_text"),
    ],
)
def test_registry_entry_that_is_wrong_names_the_key(tmp_path: Path, changes: dict[str, Any], text: str) -> None:
    with pytest.raises(ModelError, match=text):
        load_model_spec("net", write_registry(tmp_path, **changes))


def test_registry_without_the_model_or_without_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="other is missing"):
        load_model_spec("other", write_registry(tmp_path))
    with pytest.raises(ModelError, match="cannot be read"):
        load_model_spec("net", tmp_path / "none.yaml")


def test_setting_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"net.settings.temperature is missing"):
        load_model_spec("net", write_registry(tmp_path)).setting("temperature")


def test_weights_that_are_missing_or_altered_are_refused(tmp_path: Path) -> None:
    spec = load_model_spec("net", write_registry(tmp_path))
    with pytest.raises(ModelError, match="net.weights = net.onnx: no such file; must lie in"):
        ModelSession.open(spec)
    spec.weights.parent.mkdir()
    spec.weights.write_bytes(b"other")
    with pytest.raises(ModelError, match=r"registry.yaml: net.sha256 = 000000000000\.\.\.; net.onnx has d9298a10d1b0"):
        ModelSession.open(spec)


def test_weights_that_are_no_network_are_refused(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"text").hexdigest()
    spec = load_model_spec("net", write_registry(tmp_path, sha256=digest))
    spec.weights.parent.mkdir()
    spec.weights.write_bytes(b"text")
    with pytest.raises(ModelError, match="cannot be opened"):
        ModelSession.open(spec)


@pytest.mark.parametrize(
    ("name", "key", "tensor", "text"),
    [
        pytest.param(
            "detector", "input", {"name": "other", "shape": [None, 3, 320, 320]}, "registry.yaml says other", id="name"
        ),
        pytest.param(
            "comparer", "input", {"name": "pairs", "shape": [None, 9, 64, 64]}, r"pairs.shape = \[", id="size"
        ),
        pytest.param("detector", "output", {"name": "raw", "shape": [None, 37, 2100]}, r"raw.shape = \[", id="output"),
    ],
)
def test_shipped_model_declared_otherwise_is_refused(
    tmp_path: Path, name: str, key: str, tensor: dict[str, Any], text: str
) -> None:
    entry = yaml.safe_load(REGISTRY_PATH.read_text(encoding="utf-8"))[name]
    entry[key] = tensor
    (tmp_path / "weights").symlink_to(REGISTRY_PATH.parent / "weights")
    (tmp_path / "registry.yaml").write_text(yaml.safe_dump({name: entry}), encoding="utf-8")
    with pytest.raises(ModelError, match=text):
        ModelSession.open(load_model_spec(name, tmp_path / "registry.yaml"))


def test_session_takes_pictures_of_its_size_only() -> None:
    session = ModelSession.open(load_model_spec("detector"))
    assert session.run([np.zeros((320, 320, 3), np.uint8)] * 2).shape == (2, 38, 2100)
    assert session.run([np.zeros((64, 320, 3), np.uint8)]).shape == (1, 38, 420)
    with pytest.raises(ModelError, match=r"picture shape = \(100, 320, 3\); must be \(320, 320, 3\)"):
        session.run([np.zeros((100, 320, 3), np.uint8)])


def gauge(**changes: Any) -> str:
    """A registry with a gauge, not quite as it must be."""
    return yaml.safe_dump({"gauge": {**GOOD, **changes}})


def test_model_of_the_house_wins_and_others_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "registry.yaml").write_text(gauge(), encoding="utf-8")
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path))
    assert load_model_spec("gauge").weights == tmp_path / "weights" / "net.onnx"
    assert load_model_spec("reader").registry == REGISTRY_PATH


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param(
            "guage: {}", "registry.yaml: guage: unknown model; allowed chip_faces, cloth_words, co", id="name"
        ),
        pytest.param("[1]", r"registry.yaml = '\[1\]'; must be a mapping of models", id="list"),
        pytest.param("a: [", "registry.yaml: cannot be read", id="not_yaml"),
        pytest.param(gauge(settings={"scales": "2"}), "gauge.settings.scales = '2'; must be a number", id="setting"),
        pytest.param(gauge(settings=3), "gauge.settings = 3; must be a mapping", id="settings"),
        pytest.param(gauge(classes="a"), "gauge.classes = 'a'; must be a list", id="classes"),
        pytest.param(gauge(weights="../x"), "gauge.weights = '../x'; must be text without a slash", id="weights"),
        pytest.param(gauge(), "gauge.weights = net.onnx: no such file", id="no_weights"),
    ],
)
def test_broken_models_of_a_house_are_told_in_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "registry.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=complaint) as caught:
        check_house_models({MODELS_VARIABLE: str(tmp_path)})
    assert str(tmp_path) in str(caught.value)


def test_folder_without_a_registry_is_refused_and_none_is_fine(tmp_path: Path) -> None:
    check_house_models({})
    with pytest.raises(ModelError, match=f"{MODELS_VARIABLE} = {tmp_path}: has no registry.yaml"):
        check_house_models({MODELS_VARIABLE: str(tmp_path)})
