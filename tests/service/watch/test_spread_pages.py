"""What becomes of a spread that was seen: its line, its picture, its place in the report and in the closing words."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.service.watch_fakes import make_findings, write_table, write_video
from thirdcard.service.watch.recording_run import prepare_folder
from thirdcard.service.watch.recordings import find_recording
from thirdcard.service.watch.report import write_report
from thirdcard.service.watch.spread_output import SPREADS_NAME, ShownSpread, SpreadKeeper, shown_spreads
from thirdcard.service.watch.wording import closing_words
from thirdcard.vision.spread.spread_reading import SeenCard, SeenRow, Strip
from thirdcard.vision.spread.spread_watch import SpreadSight

FACES = [rank + suit for suit in "CDHS" for rank in ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")]


def sight_of(faces: list[str], image_wh_px: tuple[int, int]) -> SpreadSight:
    """A ribbon of these cards, the five of diamonds unlike its kind."""
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array([31.5, 44.0])
    cards = tuple(
        SeenCard(
            Strip(np.array([300.0 + 30 * n, 500.0]) + signs, (0.0, 0.5), True), face, 0.99, face, is_odd=face == "5D"
        )
        for n, face in enumerate(faces)
    )
    image = np.full((image_wh_px[1], image_wh_px[0], 3), 90, np.uint8)
    return SpreadSight(4.0, 9.0, (SeenRow(cards, True, 30.0),), image)


@pytest.fixture
def shown(tmp_path: Path) -> tuple[SpreadKeeper, ShownSpread]:
    folder = tmp_path / "recording"
    folder.mkdir()
    write_video(folder / "video.mp4")
    write_table(folder)
    recording = find_recording(str(folder))
    out = tmp_path / "out"
    prepare_folder(out, recording)
    size = tuple(int(side) for side in recording.table.cameras[0].calibration.image_size_wh_px)
    sight = sight_of([face for face in FACES if face != "7C"], (size[0], size[1]))
    return SpreadKeeper(recording, out), shown_spreads([sight])[0]


def test_spread_is_kept_as_a_line_and_a_picture(shown: tuple[SpreadKeeper, ShownSpread]) -> None:
    keeper, seen = shown

    spread = keeper.keep(seen)

    line = json.loads((keeper.folder / SPREADS_NAME).read_text(encoding="utf-8"))
    assert line["decks"][0]["missing"] == ["7C"] and line["decks"][0]["foreign"] == ["5D"]
    assert line["still"] == spread.still == "clips/0000-spread-4.0.jpg"
    assert cv2.imread(str(keeper.folder / line["still"])) is not None


def test_next_watch_into_the_same_folder_begins_without_the_last_one_s_spreads(
    shown: tuple[SpreadKeeper, ShownSpread],
) -> None:
    keeper, seen = shown
    keeper.keep(seen)

    prepare_folder(keeper.folder, keeper.recording)

    assert not (keeper.folder / SPREADS_NAME).exists()
    assert list((keeper.folder / "clips").iterdir()) == []


def test_spread_stands_in_the_report_and_in_the_closing_words(shown: tuple[SpreadKeeper, ShownSpread]) -> None:
    keeper, seen = shown
    findings = make_findings(spreads=(keeper.keep(seen),))

    write_report(keeper.folder / "report.html", findings)

    said = "Spread of 1 deck: deck 1 lacks 7C, has a foreign card in the place of 5D."
    page = (keeper.folder / "report.html").read_text(encoding="utf-8")
    assert said in page and "Opening spread" in page
    assert page.count("data:image/jpeg;base64,") >= 1
    assert any(line.endswith(said) for line in closing_words(findings))
