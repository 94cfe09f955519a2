"""The shipped detector may not get worse than `models/metrics.yaml` on scenes of worlds that training never saw."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from thirdcard.models.detector.detector_evaluate import exam_figures
from thirdcard.models.publishing import floors_of, shortfalls
from thirdcard.vision.inference.detector import Detector

FLOORS = floors_of("detector")
LABELS = sorted({name.partition(".")[0] for name in FLOORS})


@pytest.fixture(scope="module")
def figures() -> Mapping[str, float]:
    return exam_figures(Detector.open())


@pytest.mark.parametrize("label", LABELS)
def test_detector_keeps_its_floor(figures: Mapping[str, float], label: str) -> None:
    assert figures[f"{label}.objects"] >= 25, "too few to tell"
    asked = {name: floor for name, floor in FLOORS.items() if name.startswith(f"{label}.")}
    assert shortfalls(figures, asked) == []
