"""Enrolled cards: saved and loaded, alike and unlike, and how they settle what a reader doubts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from thirdcard.vision.frames import Image
from thirdcard.vision.inference.crops import HEIGHT_PX, WIDTH_PX
from thirdcard.vision.inference.enrolled_deck import (
    EnrolledFace,
    HouseDeck,
    HouseDeckError,
    load_house_deck,
    save_house_deck,
)
from thirdcard.vision.inference.enrolled_reader import LEAST_PROOFS, SharpReader, settled
from thirdcard.vision.inference.model_spec import load_model_spec
from thirdcard.vision.inference.reader import Readings
from thirdcard.vision.inference.similarity import likeness, prepared
from thirdcard.vision.spread.enrolment import deck_from_pictures

LABELS = load_model_spec("reader").classes
WHOLE = slice(6, 74)


def face(seed: int) -> Image:
    """A picture like no other: some dark spots on paper."""
    rng = np.random.default_rng(seed)
    page = np.full((HEIGHT_PX, WIDTH_PX, 3), 240, np.uint8)
    for _ in range(9):
        x, y = rng.integers((12, 16), (WIDTH_PX - 12, HEIGHT_PX - 16))
        cv2.circle(page, (int(x), int(y)), 5, tuple(int(v) for v in rng.integers(0, 200, 3)), -1)
    return page


def deck(first_seed: int = 0) -> HouseDeck:
    return HouseDeck("house", {label: EnrolledFace(face(first_seed + n), WHOLE) for n, label in enumerate(LABELS[:53])})


def test_deck_is_loaded_as_it_was_saved(tmp_path: Path) -> None:
    save_house_deck(tmp_path / "cards.yaml", deck())

    loaded = load_house_deck(tmp_path / "cards.yaml", LABELS)

    assert loaded.name == "house" and set(loaded.faces) == set(LABELS[:53])
    assert (loaded.faces["7H"].crop == deck().faces["7H"].crop).all()
    assert loaded.faces["7H"].columns == WHOLE


def altered(change: Callable[[dict[str, object]], object]) -> Callable[[Path], None]:
    def alter(folder: Path) -> None:
        said = yaml.safe_load((folder / "cards.yaml").read_text(encoding="utf-8"))
        changed = change(said)
        (folder / "cards.yaml").write_text(yaml.safe_dump(changed if changed is not None else said), encoding="utf-8")

    return alter


@pytest.mark.parametrize(
    ("alter", "text"),
    [
        pytest.param(lambda folder: (folder / "cards.yaml").unlink(), "cards.yaml: no such file", id="no file"),
        pytest.param(
            altered(lambda said: said.update(more=1)), "more: unknown or missing key; allowed: back", id="key"
        ),
        pytest.param(altered(lambda said: ["x"]), "must be a mapping of keys to values", id="no mapping"),
        pytest.param(altered(lambda said: said.update(cards=["1S"])), "cards = '1S'; must be a list", id="card"),
        pytest.param(altered(lambda said: said.update(cards=["AS"])), "1 cards; must be at least 26", id="too few"),
        pytest.param(altered(lambda said: said.update(cards=list(LABELS[:40]))), "crops = [53, 112", id="other count"),
        pytest.param(
            lambda folder: (folder / "cards.npz").write_bytes(b"x"), "as the pictures of a deck", id="pictures"
        ),
    ],
)
def test_deck_file_that_cannot_be_used_is_refused(tmp_path: Path, alter: Callable[[Path], object], text: str) -> None:
    save_house_deck(tmp_path / "cards.yaml", deck())
    alter(tmp_path)

    with pytest.raises(HouseDeckError) as caught:
        load_house_deck(tmp_path / "cards.yaml", LABELS)

    assert text in str(caught.value) and "\n" not in str(caught.value)


def test_crop_is_like_its_own_face_shifted_and_in_other_light_and_unlike_others() -> None:
    seen = np.roll(face(1), (2, -2), axis=(0, 1)).astype(np.float32) * 0.7 + 20

    own, other = (likeness(prepared(seen.astype(np.uint8)), prepared(face(seed)), WHOLE) for seed in (1, 2))

    assert own > 0.95 and other < 0.6


def test_card_turned_about_is_like_its_enrolled_face() -> None:
    turned = np.ascontiguousarray(face(3)[::-1, ::-1])

    assert deck().likeness(prepared(turned), LABELS[3]) > 0.95


def test_too_narrow_a_strip_says_nothing() -> None:
    assert np.isnan(likeness(prepared(face(1)), prepared(face(1)), slice(6, 12)))


def test_likeness_settles_a_doubt_and_leaves_the_rest_as_it_was() -> None:
    log_probs = np.log(np.array([0.5, 0.4, 0.1]))

    told = np.exp(settled(log_probs, [0, 1], np.array([0.80, 0.97])))

    assert told.sum() == pytest.approx(1.0)
    assert told[2] == pytest.approx(0.1) and told[1] > 0.85


@pytest.mark.parametrize("alike", [pytest.param([0.5, 0.6], id="like none"), pytest.param([0.9, np.nan], id="unknown")])
def test_likeness_to_none_settles_nothing(alike: list[float]) -> None:
    log_probs = np.log(np.array([0.5, 0.4, 0.1]))

    assert (settled(log_probs, [0, 1], np.array(alike)) == log_probs).all()


class DoubtfulReader:
    """Says of each crop what it is asked to."""

    labels = LABELS
    deck = None

    def __init__(self, log_probs: NDArray[np.float64]) -> None:
        self._log_probs = log_probs

    def read(self, crops: Sequence[Image]) -> Readings:
        return Readings(self._log_probs[: len(crops)], LABELS)


def rows(*shares: dict[str, float]) -> NDArray[np.float64]:
    table = np.full((len(shares), len(LABELS)), 1e-5)
    for row, share in zip(table, shares, strict=True):
        row[[LABELS.index(label) for label in share]] = list(share.values())
    return np.asarray(np.log(table / table.sum(axis=1, keepdims=True)))


@pytest.mark.parametrize(
    ("enrolled", "settles"),
    [pytest.param(deck(), True, id="the deck on the table"), pytest.param(deck(500), False, id="another deck")],
)
def test_deck_is_used_once_it_proved_to_be_the_one_on_the_table(enrolled: HouseDeck, settles: bool) -> None:
    clear = [LABELS[n] for n in range(LEAST_PROOFS)]
    said = rows(*({label: 1.0} for label in clear), {"QC": 0.45, "QS": 0.55})
    crops = [face(LABELS.index(label)) for label in clear] + [face(LABELS.index("QC"))]
    reader = SharpReader(DoubtfulReader(said), enrolled)  # type: ignore[arg-type]

    told = reader.read(crops)

    assert reader.is_proven is settles
    assert told.best[-1] == ("QC" if settles else "QS")
    assert told.best[:-1] == clear


def test_folder_of_pictures_is_enrolled_by_file_names(tmp_path: Path) -> None:
    for n, label in enumerate(LABELS[:30]):
        cv2.imwrite(str(tmp_path / f"{label}.png"), face(n)[9:-9, 6:-6])

    enrolled = deck_from_pictures(tmp_path, LABELS, "house")

    assert len(enrolled.faces) == 30
    assert enrolled.likeness(prepared(face(4)), LABELS[4]) > 0.9


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("1S", "1S.png: name = 1S; must be a card such as AS or 10H, or back", id="no card"),
        pytest.param("AS", "1 pictures of cards; must be at least 26", id="too few"),
    ],
)
def test_folder_of_other_pictures_is_refused(tmp_path: Path, name: str, text: str) -> None:
    cv2.imwrite(str(tmp_path / f"{name}.png"), face(1))

    with pytest.raises(HouseDeckError) as caught:
        deck_from_pictures(tmp_path, LABELS, "house")

    assert text in str(caught.value)
