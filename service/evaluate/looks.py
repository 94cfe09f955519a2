"""Read single looks at cards, each by itself: the reader's result before any fusion.

The places of the cards are the true ones, so that only the reader is measured.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.service.evaluate.conditions import LookCounts, TrueCard
from thirdcard.service.evaluate.sights import REST_S, CardInFrame, RecordingConditions
from thirdcard.vision.detections import order_corners
from thirdcard.vision.frames import Frame
from thirdcard.vision.inference.crops import card_crop
from thirdcard.vision.inference.reader import Reader
from thirdcard.vision.video.video import VideoReader

SURE = 0.99
LEAST_VISIBLE = 0.3
"""The least visible share of a card that is read."""
STILL_PX = 1.0
"""A card that moved further since the previous look is in motion, pixels."""


def read_looks(
    cards: Sequence[TrueCard], scene: RecordingConditions, calibration: Calibration, video: str, *, most: int
) -> list[tuple[Mapping[str, str], LookCounts]]:
    """Read at most `most` looks at cards at rest, spread over the recording, each with its conditions."""
    wanted = _spread(_looks(cards, scene), most)
    by_time: dict[float, list[CardInFrame]] = defaultdict(list)
    for sight in wanted:
        by_time[round(sight.t, 3)].append(sight)
    told: list[tuple[Mapping[str, str], LookCounts]] = []
    reader = Reader.open()
    for frame, sights in _frames(video, by_time):
        crops = [card_crop(frame.image, calibration, corners_mm(calibration, sight.corners_px)) for sight in sights]
        seen = [(sight, crop) for sight, crop in zip(sights, crops, strict=True) if crop is not None]
        readings = reader.read([crop for _, crop in seen])
        for (sight, _), label, confidence in zip(seen, readings.best, readings.confidence, strict=True):
            told.append((scene.conditions([sight]), _counts(label == sight.face, float(confidence))))
    return told


def corners_mm(calibration: Calibration, corners_px: NDArray[np.float64]) -> NDArray[np.float64]:
    """(4, 2) mm, clockwise, beginning with a shorter side."""
    return np.asarray(order_corners(calibration.layout_from_image(corners_px)[None])[0], np.float64)


def _counts(is_right: bool, confidence: float) -> LookCounts:
    is_sure = confidence >= SURE
    return LookCounts(right=int(is_right), total=1, sure=int(is_sure), sure_wrong=int(is_sure and not is_right))


def _looks(cards: Iterable[TrueCard], scene: RecordingConditions) -> list[CardInFrame]:
    looks = []
    for card in cards:
        assert card.card.face is not None, "true_cards tells faces"
        sights = scene.of(card.card.face, card.card.t + REST_S, card.to_s)
        for last, sight in pairwise(sights):
            is_still = float(np.abs(sight.corners_px - last.corners_px).max()) < STILL_PX
            if is_still and sight.visible >= LEAST_VISIBLE:
                looks.append(sight)
    return sorted(looks, key=lambda sight: sight.t)


def _spread(looks: Sequence[CardInFrame], most: int) -> list[CardInFrame]:
    if len(looks) <= most:
        return list(looks)
    return [looks[int(i)] for i in np.linspace(0, len(looks) - 1, most)]


def _frames(video: str, wanted: Mapping[float, list[CardInFrame]]) -> Iterator[tuple[Frame, list[CardInFrame]]]:
    times = sorted(wanted)
    if not times:
        return
    with VideoReader(video) as reader:
        due = iter(times)
        t = next(due, None)
        for frame in reader:
            while t is not None and frame.t > t + 0.02:
                t = next(due, None)
            if t is None:
                return
            if abs(frame.t - t) <= 0.02:
                yield frame, wanted[t]
                t = next(due, None)
