"""`thirdcard enrol cards`: what is enrolled, what is refused, and the table that names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from tests.calibration.cameras import camera_over
from tests.service.config.test_config import write_table
from thirdcard.calibration.camera import save_calibration
from thirdcard.calibration.layout import load_layout
from thirdcard.datasets.decks.deck import load_deck
from thirdcard.service.cli.entry import app
from thirdcard.service.config.table_file import load_table
from thirdcard.service.media.stills import save_picture
from thirdcard.service.ports.errors import TableError
from thirdcard.service.watch.factory import open_eyes, sharpened
from thirdcard.vision.inference.enrolled_reader import SharpReader
from thirdcard.vision.inference.model_spec import load_model_spec

LABELS = load_model_spec("reader").classes


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["enrol", "cards", *map(str, arguments)])


@pytest.fixture
def faces(tmp_path: Path) -> Path:
    """A folder with pictures of a drawn deck's faces."""
    folder = tmp_path / "faces"
    folder.mkdir()
    deck = load_deck("machine:8001")
    for label in LABELS[:52]:
        save_picture(folder / f"{label}.jpg", np.ascontiguousarray(deck.face(label)[..., 2::-1]))
    save_picture(folder / "back.jpg", np.ascontiguousarray(deck.back()[..., 2::-1]))
    return folder


def test_folder_of_faces_is_enrolled_and_a_table_reads_with_it(faces: Path, tmp_path: Path) -> None:
    save_calibration(tmp_path / "overhead.yaml", camera_over(load_layout("mini-7", tmp_path)))

    told = run(faces, "--out", tmp_path / "cards.yaml", "--drawn", tmp_path / "cards.jpg")
    table = load_table(write_table(tmp_path, ("cards",), {"deck": "cards.yaml"}))

    assert told.exit_code == 0 and "Enrolled: 52 of 52 faces, with the back" in told.output
    assert (tmp_path / "cards.jpg").is_file()
    reader = sharpened(table, open_eyes()).reader
    assert isinstance(reader, SharpReader) and len(reader.deck.faces) == 53


@pytest.mark.parametrize(
    ("make", "arguments", "text"),
    [
        pytest.param("photo.jpg", (), "photo.jpg: a photograph needs --table", id="photograph without a table"),
        pytest.param("AS.jpg", ("folder",), "1 pictures of cards; must be at least 26", id="one face"),
        pytest.param("1S.jpg", ("folder",), "name = 1S; must be a card such as AS or 10H", id="no card"),
        pytest.param(None, (), "nowhere.mp4: no such file or folder", id="nothing there"),
    ],
)
def test_what_cannot_be_enrolled_is_refused(
    make: str | None, arguments: tuple[str, ...], text: str, tmp_path: Path
) -> None:
    source = tmp_path / (make or "nowhere.mp4")
    if make:
        save_picture(source, np.zeros((60, 40, 3), np.uint8))

    told = run(tmp_path if arguments else source, "--out", tmp_path / "cards.yaml")

    assert told.exit_code == 2 and text in " ".join(told.output.split())
    assert not (tmp_path / "cards.yaml").exists()


def test_table_that_names_no_deck_file_is_refused(tmp_path: Path) -> None:
    save_calibration(tmp_path / "overhead.yaml", camera_over(load_layout("mini-7", tmp_path)))
    cards: dict[str, Any] = {"deck": "cards.yaml"}

    with pytest.raises(TableError) as caught:
        load_table(write_table(tmp_path, ("cards",), cards))

    assert "cards.deck = cards.yaml; no such file" in str(caught.value)
