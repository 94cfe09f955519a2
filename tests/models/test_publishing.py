"""Where a trained model goes, and that a worse one goes nowhere."""

from __future__ import annotations

import argparse
import hashlib
import shutil
from pathlib import Path

import pytest

from thirdcard.models.errors import BelowFloorsError, ModelExportError
from thirdcard.models.publishing import (
    Destination,
    Draft,
    add_destination,
    destination_of,
    floors_of,
    shortfalls,
    write_entry,
)
from thirdcard.vision.inference.chip_faces import ChipFaceReader
from thirdcard.vision.inference.model_spec import MODELS_VARIABLE, REGISTRY_PATH, load_model_spec

SHIPPED = load_model_spec("chip_faces")
GOOD = {"right": 0.9, "sure": 0.6, "right_when_sure": 0.99}


def told(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_destination(parser)
    return parser.parse_args(arguments)


def publish(home: Path, figures: dict[str, float] | None, *options: str) -> str:
    """The shipped reader of chips' faces, as if it had just been trained."""
    with Draft("chip_faces", destination_of(told("--home", str(home), *options), {})) as draft:
        shutil.copyfile(SHIPPED.weights, draft.path)
        draft.declare((SHIPPED.input, SHIPPED.output), SHIPPED.classes, {"temperature": 2.0})
        return draft.publish(figures, "chip_faces")


def test_environment_goes_before_home(tmp_path: Path) -> None:
    assert destination_of(told("--home", "h"), {}).registry == Path("h/models/registry.yaml")
    named = destination_of(told("--home", "h"), {MODELS_VARIABLE: str(tmp_path)})
    assert (named.registry, named.weights_dir) == (tmp_path / "registry.yaml", tmp_path / "weights")


@pytest.mark.parametrize(
    ("arguments", "folder", "text"),
    [
        pytest.param((), "", f"where to.*--home DIR.*{MODELS_VARIABLE}", id="nowhere"),
        pytest.param(("--registry", "r.yaml"), "", "--weights-dir and --registry go together", id="registry_alone"),
        pytest.param(("--weights-dir", "w"), "", "--weights-dir and --registry go together", id="weights_alone"),
        pytest.param((), str(REGISTRY_PATH.parent), "holds the package's own models", id="package"),
        pytest.param(("--no-exam", "--home", "h"), "", "--no-exam leaves the model unmeasured; add --force", id="exam"),
    ],
)
def test_destination_that_is_not_clear_is_refused(arguments: tuple[str, ...], folder: str, text: str) -> None:
    with pytest.raises(ModelExportError, match=text):
        destination_of(told(*arguments), {MODELS_VARIABLE: folder})


def test_developer_names_both_files_of_the_package(tmp_path: Path) -> None:
    both = ("--weights-dir", str(tmp_path / "w"), "--registry", str(tmp_path / "r.yaml"))
    wanted = Destination(weights_dir=tmp_path / "w", registry=tmp_path / "r.yaml")
    assert destination_of(told(*both), {MODELS_VARIABLE: "elsewhere"}) == wanted


def test_good_model_is_found_by_what_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hashlib.sha256(REGISTRY_PATH.read_bytes()).digest()
    assert publish(tmp_path, GOOD).endswith("models/registry.yaml")
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path / "models"))
    spec = load_model_spec("chip_faces")
    assert spec.weights == tmp_path / "models" / "weights" / f"chip_faces-{spec.sha256[:8]}.onnx"
    assert spec.setting("temperature") == 2.0
    ChipFaceReader.open()
    assert load_model_spec("detector").registry == REGISTRY_PATH
    assert hashlib.sha256(REGISTRY_PATH.read_bytes()).digest() == before


@pytest.mark.parametrize(
    ("figures", "text"),
    [
        pytest.param({**GOOD, "sure": 0.2}, "chip_faces: sure = 0.2; must be 0.45 or more: not exported", id="worse"),
        pytest.param(None, "chip_faces: not examined: not exported", id="unmeasured"),
        pytest.param({**GOOD, "right": float("nan")}, "right = nan", id="no_number"),
    ],
)
def test_worse_model_is_refused_unless_forced(tmp_path: Path, figures: dict[str, float] | None, text: str) -> None:
    with pytest.raises(BelowFloorsError, match=text):
        publish(tmp_path, figures)
    assert list(tmp_path.iterdir()) == []
    assert " though " in publish(tmp_path, figures, "--force")
    assert (tmp_path / "models" / "registry.yaml").exists()


def test_lengths_may_not_be_greater_and_shares_not_less() -> None:
    floors = {"within_one": 0.8, "median_off_px": 1.1}
    assert shortfalls({"within_one": 0.8, "median_off_px": 1.1}, floors) == []
    wrong = shortfalls({"within_one": 0.7, "median_off_px": 1.2}, floors)
    assert wrong == ["within_one = 0.7; must be 0.8 or more", "median_off_px = 1.2; must be 1.1 or less"]


def test_floors_of_classes_are_named_by_class() -> None:
    assert floors_of("detector")["cut_card.ap50"] == 0.66


def test_entries_beside_a_new_one_stay(tmp_path: Path) -> None:
    registry = tmp_path / "registry.yaml"
    write_entry(registry, "a", {"weights": "a.onnx"})
    write_entry(registry, "b", {"weights": "b.onnx"})
    assert "a.onnx" in registry.read_text(encoding="utf-8")
