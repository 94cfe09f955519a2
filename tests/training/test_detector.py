"""The detector's training, from drawn tiles to the file that runs, and the head that its export opens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from onnx import TensorProto, helper

from tests.training.exported import UNMEASURED, exported
from thirdcard.datasets.scene import write_school
from thirdcard.models.detector import detector_export, detector_train
from thirdcard.models.detector.detector_head import open_up
from thirdcard.models.detector.ultralytics_setup import prepare
from thirdcard.models.publishing import Destination
from thirdcard.models.warm_start import start_from_onnx
from thirdcard.vision.inference.detector import Detector
from thirdcard.vision.inference.model_spec import load_model_spec
from thirdcard.vision.inference.oriented_boxes import decode
from thirdcard.vision.inference.session import ModelSession


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tiles of one world to check on and of one to learn from."""
    folder = tmp_path_factory.mktemp("school")
    write_school.prepare(folder)
    for world in range(2):
        write_school.run_job(
            write_school.Job(out=folder, split="train", seed=1, index=world, scenes=1, tiles=6, artwork=None)
        )
    return folder


@pytest.fixture(scope="module")
def network() -> Any:
    """The detector's network with the shipped weights."""
    prepare(threads=1)
    from ultralytics.nn.tasks import OBBModel

    net = OBBModel(cfg=str(detector_train.NET), ch=3, nc=5, verbose=False)
    start_from_onnx(net, load_model_spec("detector").weights, torch.rand(2, 3, 320, 320))
    net = net.float().eval().fuse(verbose=False)
    net.model[-1].export, net.model[-1].format = True, "onnx"
    return net


@pytest.mark.parametrize("begins_with_the_shipped_one", [False, True], ids=["anew", "from shipped"])
def test_detector_is_taught_and_exported(school: Path, tmp_path: Path, begins_with_the_shipped_one: bool) -> None:
    start = ["--weights", str(load_model_spec("detector").weights)] if begins_with_the_shipped_one else []
    run = ["--data", str(school), "--out", str(tmp_path / "run"), "--epochs", "1", "--batch", "3"]
    detector_train.main([*run, *start])
    checkpoint = tmp_path / "run" / "run" / "weights" / "last.pt"
    detector_export.main([str(checkpoint), "--home", str(tmp_path), *UNMEASURED])
    found = Detector.open(exported(tmp_path, "detector")).detect(np.zeros((320, 320, 3), np.uint8), (0.0, 0.0), 1.0)
    assert found.corners_mm.shape[1:] == (4, 2)


def test_opened_network_tells_the_boxes_of_its_checkpoint(network: Any, tmp_path: Path) -> None:
    destination = Destination(
        weights_dir=tmp_path / "models" / "weights",
        registry=tmp_path / "models" / "registry.yaml",
        is_examined=False,
        is_forced=True,
    )
    detector_export.export(network, destination)
    session = ModelSession.open(exported(tmp_path, "detector"))
    rng = np.random.default_rng(0)
    for height, width in ((320, 320), (224, 288)):
        picture = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
        rgb = np.ascontiguousarray(picture[..., ::-1].transpose(2, 0, 1)[None], np.float32) / 255
        with torch.no_grad():
            wanted = network(torch.from_numpy(rgb)).numpy()[0]
        best = wanted[4:9].max(axis=0)
        score = float(np.sort(best)[-20:-18].mean())
        found = decode(session.run([picture])[0], (height, width), score=score)
        assert found.score == pytest.approx(best[best >= score], abs=1e-4)
        assert found.centres_mm == pytest.approx(wanted[:2, best >= score].T, abs=0.05)


def test_network_without_such_a_head_is_refused() -> None:
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3, 8, 8]) for name in ("images", "boxes")]
    graph = helper.make_graph([helper.make_node("Relu", ["images"], ["boxes"])], "other", ends[:1], ends[1:])
    with pytest.raises(ValueError, match=r"last convolutions = \[\]; must be cv2, cv3 and cv4 of each grid"):
        open_up(helper.make_model(graph), "raw")
