"""The pictures of corrected cards: kept, found again, cut out and labelled; what was changed shows."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from sqlalchemy import delete, update

from tests.service.corrections.conftest import Reviewed
from thirdcard.datasets.decks.cards import CARDS
from thirdcard.models.reader.reader_photos import read_photographs
from thirdcard.service.corrections.export import CardModels, CorrectionExportError, Exported, export_corrections
from thirdcard.service.corrections.verification import verify_corrections
from thirdcard.service.store.round_schema import CorrectionRow
from thirdcard.service.store.schema import ChainLine
from thirdcard.service.store.shift_schema import FootageRow


@pytest.fixture(scope="module")
def eyes() -> CardModels:
    return CardModels.open()


def correct_nine(reviewed: Reviewed) -> int:
    line = reviewed.line(0, type="card_turned", card="9H")
    number: int = reviewed.correct(0, {"kind": "card", "line": line, "card": "6H"}).json()["id"]
    return number


def evidence(reviewed: Reviewed) -> Path:
    return reviewed.room.folder / "evidence"


def test_the_frame_of_a_corrected_card_is_kept(reviewed: Reviewed) -> None:
    number = correct_nine(reviewed)
    picture = cv2.imread(str(evidence(reviewed) / "corrections" / "DEMO" / f"{number:08d}.png"))
    assert picture is not None
    with reviewed.room.database.reading() as session:
        row = session.get_one(CorrectionRow, number)
        note = json.loads(row.picture_note or "")
        assert (row.picture_state, note["before"], note["card"], note["hand"]) == ("kept", "9H", "6H", "player")
        assert verify_corrections(session, evidence(reviewed)) is None
    assert reviewed.round(0)["corrections"][0]["picture"] == "kept"


def test_why_there_is_no_picture_is_said(reviewed: Reviewed) -> None:
    with reviewed.room.database.writing() as session:
        session.execute(delete(FootageRow))
    with reviewed.room.database.reading() as session:
        row = session.get_one(CorrectionRow, correct_nine(reviewed))
        assert (row.picture_state, row.picture_note) == ("failed", "no recording and no alert's clip shows the card")


def test_cards_are_cut_out_as_the_reader_s_lessons_take_them(
    reviewed: Reviewed, eyes: CardModels, tmp_path: Path
) -> None:
    number = correct_nine(reviewed)
    assert export_corrections(reviewed.room.database, evidence(reviewed), tmp_path / "out", eyes) == Exported(1, 0)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    (item,) = manifest["items"]
    assert (manifest["version"], item["correction"], item["before"], item["card"]) == (1, number, "9H", "6H")
    crop = cv2.imread(str(tmp_path / "out" / item["crop"]))
    assert crop is not None
    assert crop.shape == (112, 80, 3)
    assert eyes.reader.read([np.asarray(crop, np.uint8)]).best == ["9H"]
    lessons = read_photographs(tmp_path / "out" / "annotations.json", validation=False)
    assert [CARDS[i] for i in lessons.labels] == ["6H"]


def test_a_correction_that_was_taken_back_teaches_nothing(reviewed: Reviewed, eyes: CardModels, tmp_path: Path) -> None:
    reviewed.take_back(correct_nine(reviewed))
    assert export_corrections(reviewed.room.database, evidence(reviewed), tmp_path / "out", eyes) == Exported(0, 0)


def test_a_frame_that_was_changed_is_not_exported(reviewed: Reviewed, eyes: CardModels, tmp_path: Path) -> None:
    number = correct_nine(reviewed)
    (evidence(reviewed) / "corrections" / "DEMO" / f"{number:08d}.png").write_bytes(b"another")
    with pytest.raises(CorrectionExportError, match="is not what was kept"):
        export_corrections(reviewed.room.database, evidence(reviewed), tmp_path / "out", eyes)
    with reviewed.room.database.reading() as session:
        assert verify_corrections(session, evidence(reviewed)) == f"corrections/DEMO/{number:08d}.png: was changed"


@pytest.mark.parametrize(
    ("change", "fault"),
    [({"why": "another reason"}, "correction 1: was changed"), ({"effects": "{}"}, "correction 1: was changed"),
     ({"taken_back_by": "nobody"}, "correction 1: was changed"), (None, "correction 1: is missing")],
)  # fmt: skip
def test_a_correction_that_was_changed_by_hand_shows(
    reviewed: Reviewed, change: dict[str, str] | None, fault: str
) -> None:
    number = reviewed.correct(0, {"kind": "remove", "line": reviewed.line(0, type="card_removed")}).json()["id"]
    reviewed.take_back(number)
    with reviewed.room.database.writing() as session:
        session.execute(delete(CorrectionRow) if change is None else update(CorrectionRow).values(change))
    with reviewed.room.database.reading() as session:
        assert verify_corrections(session, evidence(reviewed)) == fault
        assert session.query(ChainLine).filter(ChainLine.chain == "corrections/DEMO").count() == 2
