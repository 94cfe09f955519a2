"""The shipped detector may not get worse than `models/metrics.yaml` on scenes of worlds that training never saw."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from thirdcard.datasets.decks.deck import deck_names, load_deck
from thirdcard.datasets.scene.random_scene import random_scene
from thirdcard.datasets.scene.renderer import SceneRenderer
from thirdcard.datasets.scene.tiles import label_lines, school_tiles
from thirdcard.datasets.scene.worlds import random_world
from thirdcard.models.detector.detector_evaluate import Match, Sample, match, parse_labels, summarise
from thirdcard.models.detector.detector_school import taught_lines
from thirdcard.vision.inference.detector import Detector
from thirdcard.vision.inference.model_spec import REGISTRY_PATH
from thirdcard.vision.plane.tiling import holds

WORLDS, SCENES, TILES = 14, 2, 4
SEED = 77


def draw_matches(detector: Detector) -> list[Match]:
    """Detections held against truth, on tiles drawn here."""
    matches = []
    for world_number in range(WORLDS):
        rng = np.random.default_rng([SEED, world_number])
        world = random_world(rng, "held_out", deck_names("held_out", None))
        deck = load_deck(world.deck)
        renderer = SceneRenderer(world, deck=deck)
        for _ in range(SCENES):
            scene = random_scene(world, rng, faces=deck.cards)
            for tile in school_tiles(world, scene, rng, count=TILES, renderer=renderer):
                truth = parse_labels(taught_lines(label_lines(tile.boxes).splitlines()), 320, 320)
                found = detector.detect(tile.image_hw3, (0.0, 0.0), 1.0)
                inside = holds((0.0, 0.0, 320.0, 320.0), found.centres_mm)
                matches.append(match(Sample(Path("drawn"), tile.image_hw3, truth), found.take(inside)))
    return matches


@pytest.fixture(scope="module")
def figures() -> Mapping[str, Mapping[str, float]]:
    detector = Detector.open()
    classes: Mapping[str, Mapping[str, float]] = summarise(draw_matches(detector), detector.score)["classes"]
    return classes


FLOORS: dict[str, Any] = yaml.safe_load((REGISTRY_PATH.parent / "metrics.yaml").read_text(encoding="utf-8"))["detector"]


@pytest.mark.parametrize("label", list(FLOORS))
def test_detector_keeps_its_floor(figures: Mapping[str, Mapping[str, float]], label: str) -> None:
    found = figures[label]
    assert found["objects"] >= 25, "too few to tell"
    for name, floor in FLOORS[label].items():
        if name.endswith("_mm"):
            assert found[name] <= floor, name
        else:
            assert found[name] >= floor, name
