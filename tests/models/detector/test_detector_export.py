"""An exported detector tells the boxes of its checkpoint in pictures of any size; needs the `train` extra."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thirdcard.vision.inference.model_spec import REGISTRY_PATH, load_model_spec
from thirdcard.vision.inference.oriented_boxes import decode
from thirdcard.vision.inference.session import ModelSession

torch = pytest.importorskip("torch")
pytest.importorskip("onnxslim")
pytest.importorskip("ultralytics")


@pytest.fixture(scope="module")
def network() -> Any:
    """The detector's network with the shipped weights."""
    from ultralytics.nn.tasks import OBBModel

    from thirdcard.models.detector.detector_train import NET
    from thirdcard.models.warm_start import start_from_onnx

    net = OBBModel(cfg=str(NET), ch=3, nc=5, verbose=False)
    start_from_onnx(net, load_model_spec("detector").weights, torch.rand(2, 3, 320, 320))
    net = net.float().eval().fuse(verbose=False)
    net.model[-1].export, net.model[-1].format = True, "onnx"
    return net


def test_opened_network_tells_the_boxes_of_its_checkpoint(
    network: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from thirdcard.models.detector import detector_export

    shutil.copy(REGISTRY_PATH, tmp_path / "registry.yaml")
    monkeypatch.setattr(detector_export, "load_network", lambda _: network)
    detector_export.export(tmp_path / "last.pt", tmp_path / "weights", tmp_path / "registry.yaml")
    session = ModelSession.open(load_model_spec("detector", tmp_path / "registry.yaml"))
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
    from onnx import TensorProto, helper

    from thirdcard.models.detector.detector_head import open_up

    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3, 8, 8]) for name in ("images", "boxes")]
    graph = helper.make_graph([helper.make_node("Relu", ["images"], ["boxes"])], "other", ends[:1], ends[1:])
    with pytest.raises(ValueError, match=r"last convolutions = \[\]; must be cv2, cv3 and cv4 of each grid"):
        open_up(helper.make_model(graph), "raw")
