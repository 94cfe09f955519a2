"""The trainings of gauge, comparer and the reader of chips' faces, from drawn stacks to the files that run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.training.exported import UNMEASURED, exported
from thirdcard.models.onnx_file import compare, write_onnx
from thirdcard.models.stacks import (
    change_export,
    change_school,
    change_train,
    chip_faces_export,
    chip_faces_school,
    chip_faces_train,
    height_export,
    height_school,
    height_train,
)
from thirdcard.models.stacks.change_net import ComparerNet
from thirdcard.models.stacks.change_school import MARGIN_PX, TRUTH
from thirdcard.models.stacks.change_train import Looks, varied
from thirdcard.models.stacks.height_net import GaugeNet
from thirdcard.models.stacks.stack_lessons import Relight
from thirdcard.models.training_loop import load_average
from thirdcard.vision.inference.chip_faces import ChipFaceReader
from thirdcard.vision.inference.model_spec import load_model_spec
from thirdcard.vision.inference.stack_change import FATES, HEIGHT_PX, WIDTH_PX, StackComparer
from thirdcard.vision.inference.stack_height import StackGauge


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stacks of one world to learn from, and of one held out."""
    folder = tmp_path_factory.mktemp("school")
    for split in ("train", "held_out"):
        change_school.main(["--out", str(folder), "--worlds", "1", "--moments", "2", "--split", split])
    return folder


@pytest.fixture(scope="module")
def validation(school: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The held-out world alone."""
    folder = tmp_path_factory.mktemp("validation")
    for path in school.glob("held_out-*.npz"):
        (folder / path.name).symlink_to(path)
    return folder


def test_gauge_is_taught_and_exported(school: Path, tmp_path: Path) -> None:
    run = ["--school", str(school), "--minutes", "0.05", "--batch", "8", "--out", str(tmp_path)]
    height_train.main(run)
    export = [str(tmp_path / "last.pt"), "--home", str(tmp_path), "--floor-mm", "0.8", "--scales", "2.0"]
    height_export.main([*export, *UNMEASURED])
    spec = exported(tmp_path, "gauge")
    assert spec.settings == {"floor_mm": 0.8, "scales": 2.0}
    difference_px = compare(
        load_average(tmp_path / "last.pt", GaugeNet()), spec.weights, height_export.TENSORS[0].shape
    )
    assert difference_px < 0.02
    assert StackGauge.open(spec).read([np.zeros((128, 80, 3), np.uint8)]).shape == (1, 6)


def test_gauge_that_begins_with_the_shipped_one_tells_as_it_does(school: Path, tmp_path: Path) -> None:
    shipped = load_model_spec("gauge").weights
    height_train.main(
        ["--school", str(school), "--minutes", "0", "--batch", "16", "--out", str(tmp_path), "--from", str(shipped)]
    )
    difference_px = compare(load_average(tmp_path / "last.pt", GaugeNet()), shipped, height_export.TENSORS[0].shape)
    assert difference_px < 0.05


def test_comparer_is_taught_and_exported_beside_the_shipped_ones(
    school: Path, validation: Path, tmp_path: Path
) -> None:
    shipped = str(load_model_spec("comparer").weights)
    run = ["--school", str(school), "--minutes", "0.05", "--batch", "8", "--out", str(tmp_path), "--rate", "0.0005"]
    change_train.main([*run, "--from", shipped, "--part", "networks.1"])
    export = [str(tmp_path / "last.pt"), "--pairs", str(validation), "--home", str(tmp_path)]
    change_export.main([*export, "--with", shipped, *UNMEASURED])
    spec = exported(tmp_path, "comparer")
    assert set(spec.settings) == {"temperature", "comparison", "leaning", "least_same"}
    assert StackComparer.open(spec).read([np.zeros((HEIGHT_PX, WIDTH_PX, 9), np.uint8)]).shape == (1, len(FATES))


def test_reader_of_chip_faces_is_taught_and_exported(tmp_path: Path) -> None:
    school = ["--school", str(tmp_path / "school")]
    for split in ("train", "held_out"):
        chip_faces_school.main(["--out", school[1], "--worlds", "3", "--moments", "1", "--split", split])
    chip_faces_train.main([*school, "--minutes", "0.05", "--batch", "8", "--out", str(tmp_path)])
    chip_faces_export.main([str(tmp_path / "last.pt"), *school, "--home", str(tmp_path), *UNMEASURED])
    ChipFaceReader.open(exported(tmp_path, "chip_faces"))


def test_training_without_a_school_says_who_draws_it(tmp_path: Path) -> None:
    for script, writer in (
        (height_train, "change_school"),
        (change_train, "change_school"),
        (chip_faces_train, "chip_faces_school"),
    ):
        with pytest.raises(FileNotFoundError, match=rf"no train-\*\.npz; thirdcard\.models\.stacks\.{writer} writes"):
            script.main(["--school", str(tmp_path)])


def test_network_of_the_comparer_is_small(tmp_path: Path) -> None:
    network = ComparerNet().eval()
    assert sum(each.numel() for each in network.parameters()) < 400_000
    write_onnx(network, tmp_path / "comparer.onnx", change_export.TENSORS)
    assert (tmp_path / "comparer.onnx").stat().st_size < 3_000_000


def test_lessons_turn_time_and_sides_round_with_their_truth() -> None:
    size = (HEIGHT_PX + 2 * MARGIN_PX, WIDTH_PX + 2 * MARGIN_PX, 3)
    before, after, moved = (np.full(size, level, np.uint8) for level in (0, 200, 210))
    truth = np.zeros((64, len(TRUTH)), np.float32)
    truth[:, TRUTH.index("added")], truth[:, TRUTH.index("chip_px")] = 2, 1.5
    pictures, fate, change = varied([Looks(before, after, moved)] * 64, truth, np.random.default_rng(0))
    is_forth = pictures[:, 0, 0, 0] == 0
    assert 10 < is_forth.sum() < 54
    assert pictures[is_forth][0, 0, 0].tolist() == [0] * 3 + [200] * 3 + [210] * 3
    assert pictures[~is_forth][0, 0, 0].tolist() == [210] * 3 + [0] * 6
    assert (fate == np.where(is_forth, FATES.index("more"), FATES.index("fewer"))).all()
    assert change == pytest.approx(np.where(is_forth, 3.0, -3.0))


def test_looks_are_shifted_and_mirrored_with_their_truth() -> None:
    margin = height_school.MARGIN_PX
    crops = np.zeros((40, 128 + 2 * margin, 80 + 2 * margin, 3), np.uint8)
    crops[:, margin + 70, margin + 30] = 255
    truth = np.tile(np.array([5.0, 30.5 - 40.0, 70.5 - 64.0], np.float32), (40, 1))
    pictures, moved = height_train.varied(crops, truth, np.random.default_rng(1))
    for picture, (displacement, x, y) in zip(pictures, moved, strict=True):
        row, column = np.unravel_index(picture[:, :, 0].argmax(), picture.shape[:2])
        assert (displacement, column + 0.5 - 40.0, row + 0.5 - 64.0) == pytest.approx((5.0, x, y))


def test_light_changes_what_is_shown_and_not_what_it_is() -> None:
    light = Relight(change_train.pair_light, seed=1)
    pictures = torch.full((4, 12, 8, 9), 128, dtype=torch.uint8)
    shown = light.relit(pictures)
    assert shown.shape == (4, 9, 12, 8)
    assert 0.2 < float(shown.mean()) < 0.9
    assert float(shown.std()) > 0.0
    assert int(pictures.min()) == int(pictures.max()) == 128
