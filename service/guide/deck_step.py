"""The optional part of the fourth step: the house's own cards, enrolled from a spread."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from thirdcard.service.guide.calibration_step import load_fit
from thirdcard.service.guide.cloth_step import load_cloth
from thirdcard.service.guide.drafts import STILL, NewTable, StepError, in_words
from thirdcard.service.watch.factory import build_still_observer, open_eyes
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.enrolled_deck import HouseDeck, save_house_deck
from thirdcard.vision.inference.reader import Reader
from thirdcard.vision.spread.enrolment import deck_from_rows
from thirdcard.vision.video.video import VideoReader

DECK = "cards.yaml"
PICTURES = DECK.replace(".yaml", ".npz")
SKIPPED = 5
"""The number of skipped pictures: the first ones after a key frame are coarser."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckTold:
    """The result of an enrolment."""

    faces: int
    missing: tuple[str, ...]
    """The faces that could not be read with certainty."""

    @property
    def say(self) -> str:
        """The result as a sentence."""
        without = f", without {', '.join(self.missing)}" if self.missing else ""
        return f"{self.faces} of {self.faces + len(self.missing)} faces are enrolled{without}."


def enrol_deck(draft: NewTable, card_mm: tuple[float, float]) -> DeckTold:
    """Read the spread in the camera's present picture, and save its faces.

    Raises:
        StepError: No spread lies there, or too few faces can be read with certainty; an earlier enrolment stays.
        DraftStateError: An earlier step is not done.
    """
    layout, calibration = load_cloth(draft), load_fit(draft)
    with in_words():
        image = _picture(draft)
        rows = build_still_observer(layout, calibration, card_mm, open_eyes()).read_spread(image)
        if not rows:
            raise StepError("The picture shows no spread: lay the cards face up in rows, by suit and in sequence.")
        deck = deck_from_rows(rows, image, calibration, draft.table_id)
    _keep(draft, deck)
    labels = Reader.open().labels[:-2]
    missing = tuple(label for label in labels if label not in deck.faces)
    return DeckTold(faces=len(labels) - len(missing), missing=missing)


def drop_deck(draft: NewTable) -> None:
    """Delete the enrolled cards."""
    draft.take_away(DECK, PICTURES)


def _keep(draft: NewTable, deck: HouseDeck) -> None:
    with tempfile.TemporaryDirectory(dir=draft.folder) as folder:
        save_house_deck(Path(folder) / DECK, deck)
        for name in (PICTURES, DECK):
            draft.put(name, (Path(folder) / name).read_bytes())


def _picture(draft: NewTable) -> Image:
    draft.needed(STILL, "Choose the camera first.")
    camera = draft.read().camera
    assert camera is not None, "it is written after its picture"
    with VideoReader(camera.source, transport=camera.transport) as reader:
        images = [np.asarray(frame.image, np.uint8) for frame in islice(reader, SKIPPED + 1)]
    if not images:
        raise StepError("The camera sends no picture.")
    return images[-1]
