"""Many askers of one model: batches that are formed, numbers that stay the same, faults that are reported to all."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray

from thirdcard.vision.errors import DetectorError, ModelError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.batching import BatchingSession
from thirdcard.vision.inference.detector import Detector
from thirdcard.vision.inference.model_spec import load_model_spec
from thirdcard.vision.inference.reader import Reader
from thirdcard.vision.inference.session import ModelSession, Provider

ASKERS = 4


def pictures(name: str, count: int) -> list[Image]:
    """Noise of the size that a model takes."""
    height, width = load_model_spec(name).input_hw_px
    return list(np.random.default_rng(7).integers(0, 256, (count, height, width, 3), dtype=np.uint8))


class HeldSession:
    """A session whose first batch waits until all askers stand in line."""

    takes_batches = True

    def __init__(self, session: ModelSession) -> None:
        self.spec, self._session = session.spec, session
        self.may_run = threading.Event()

    def run(self, images: Sequence[Image]) -> NDArray[np.float32]:
        """As the session, once it may."""
        self.may_run.wait(30)
        return self._session.run(images)


class BrokenSession(HeldSession):
    """A session that fails."""

    def run(self, images: Sequence[Image]) -> NDArray[np.float32]:
        """Never gives anything."""
        raise RuntimeError("out of memory\non the device")


@pytest.mark.parametrize("name", ["detector", "reader"])
def test_askers_get_the_rows_of_their_own_pictures_out_of_one_batch(name: str) -> None:
    session = ModelSession.open(load_model_spec(name))
    shown = pictures(name, ASKERS * 2)
    asked = [shown[i : i + 2] for i in range(0, len(shown), 2)]
    held = HeldSession(session)
    with BatchingSession(held, wait_s=5.0, most_pictures=len(shown)) as shared, ThreadPoolExecutor(ASKERS) as pool:
        held.may_run.set()
        told = list(pool.map(shared.run, asked))
    assert shared.batches == [len(shown)]
    for mine, alone in zip(told, (session.run(images) for images in asked), strict=True):
        assert np.array_equal(mine, alone)


def test_detector_finds_the_same_in_a_batch_as_alone() -> None:
    tiles, origins = pictures("detector", 3), [(0.0, 0.0), (100.0, 0.0), (200.0, 0.0)]
    alone = Detector.open(score=0.001)
    with BatchingSession(ModelSession.open(load_model_spec("detector"))) as shared:
        together = Detector(shared, score=0.001, iou=load_model_spec("detector").setting("iou"))
        found = together.detect_tiles(tiles, origins, 1.0)
    assert shared.batches == [3]
    for mine, other in zip(found, alone.detect_tiles(tiles, origins, 1.0), strict=True):
        assert np.array_equal(mine.corners_mm, other.corners_mm)
        assert np.array_equal(mine.score, other.score)


def test_reader_reads_the_same_in_a_batch_as_alone() -> None:
    crops, alone = pictures("reader", 5), Reader.open()
    with BatchingSession(ModelSession.open(load_model_spec("reader"))) as shared:
        together = Reader(shared, temperature=load_model_spec("reader").setting("temperature"))
        assert np.array_equal(together.read(crops).log_probs, alone.read(crops).log_probs)


def test_picture_of_another_size_is_refused_before_it_spoils_the_batch() -> None:
    with (
        BatchingSession(ModelSession.open(load_model_spec("reader"))) as shared,
        pytest.raises(ModelError, match=r"reader: picture shape = \(3, 3, 3\); must be \(112, 80, 3\)"),
    ):
        shared.run([np.zeros((3, 3, 3), np.uint8)])


def test_fault_of_a_batch_is_told_to_who_asked_and_the_next_batch_runs() -> None:
    with BatchingSession(BrokenSession(ModelSession.open(load_model_spec("detector")))) as shared:
        broken = Detector(shared, score=0.3, iou=0.5)
        for _ in range(2):
            with pytest.raises(DetectorError, match="detector: out of memory on the device"):
                broken.detect_tiles(pictures("detector", 1), [(0.0, 0.0)], 1.0)


def test_closed_session_is_told() -> None:
    with BatchingSession(ModelSession.open(load_model_spec("reader"))) as shared:
        pass
    with pytest.raises(ModelError, match="reader: is closed"):
        shared.run(pictures("reader", 1))


def test_provider_that_is_not_there_is_said_and_the_cpu_runs_the_model(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ["CPUExecutionProvider"])
    session = ModelSession.open(load_model_spec("reader"), provider=Provider.CUDA)
    assert "CUDAExecutionProvider is not there: models run on the CPU" in caplog.text
    assert not session.takes_batches
    assert np.array_equal(
        session.run(pictures("reader", 1)), ModelSession.open(load_model_spec("reader")).run(pictures("reader", 1))
    )


def test_askers_of_other_sizes_get_batches_of_their_own() -> None:
    session = ModelSession.open(load_model_spec("detector"))
    rng = np.random.default_rng(3)
    asked = [[rng.integers(0, 256, (side, 320, 3), dtype=np.uint8)] for side in (224, 320, 224, 320)]
    with BatchingSession(session, wait_s=5.0, most_pictures=4) as shared, ThreadPoolExecutor(ASKERS) as pool:
        told = list(pool.map(shared.run, asked))
    assert sorted(shared.batches) == [2, 2]
    for mine, alone in zip(told, (session.run(images) for images in asked), strict=True):
        assert np.array_equal(mine, alone)
