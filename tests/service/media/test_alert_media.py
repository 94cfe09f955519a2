"""Evidence: named after the alert, cut around it, with the area in question and the stack before and after."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.service.watch_fakes import CHANGE_S, SIZE_WH_PX, make_alert, write_table, write_video
from thirdcard.calibration.history import CameraHistory
from thirdcard.service.config.table_file import load_table
from thirdcard.service.media.alert_media import EvidenceKeeper, format_evidence
from thirdcard.service.media.overlay import SHADE, Outline, draw_overlay


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recording")
    write_table(folder)
    write_video(folder / "video.mp4")
    return folder


def keeper_of(folder: Path, out: Path, video: str = "video.mp4") -> EvidenceKeeper:
    table = load_table(folder / "table.yaml")
    return EvidenceKeeper(
        video=folder / video, layout=table.layout, camera=CameraHistory(table.cameras[0].calibration), folder=out
    )


def test_evidence_is_named_after_round_code_and_time(folder: Path, tmp_path: Path) -> None:
    kept = keeper_of(folder, tmp_path).keep(make_alert(t=7.04, round=4), noticed_at=8.0)
    assert kept.clip == "clips/0004-late_bet.placed-7.0.mp4"
    assert kept.still == "clips/0004-late_bet.placed-7.0.jpg"
    assert all((tmp_path / name).is_file() for name in (kept.clip, kept.still, kept.before, kept.after) if name)


def test_evidence_of_two_alerts_alike_does_not_share_files(folder: Path, tmp_path: Path) -> None:
    keeper = keeper_of(folder, tmp_path)
    first, second = (keeper.keep(make_alert(), noticed_at=8.0) for _ in range(2))
    assert {first.clip, first.still}.isdisjoint({second.clip, second.still})


def test_evidence_covers_the_time_around_the_fault(folder: Path, tmp_path: Path) -> None:
    kept = keeper_of(folder, tmp_path).keep(make_alert(t=7.0), noticed_at=7.5)
    assert kept.from_s <= 2.0
    assert kept.to_s >= 12.0


def test_clip_goes_on_until_the_fault_was_noticed(folder: Path, tmp_path: Path) -> None:
    kept = keeper_of(folder, tmp_path).keep(make_alert(t=2.0), noticed_at=11.0)
    assert kept.to_s >= 11.9


def test_before_is_dark_and_after_is_bright(folder: Path, tmp_path: Path) -> None:
    kept = keeper_of(folder, tmp_path).keep(make_alert(t=CHANGE_S), noticed_at=8.0)
    assert kept.before and kept.after
    before, after = (cv2.imread(str(tmp_path / name)) for name in (kept.before, kept.after))
    assert before is not None and after is not None
    assert before.shape == after.shape
    assert before.max() < 90 < 200 < after.max()


def test_a_misdeal_has_no_before_and_after(folder: Path, tmp_path: Path) -> None:
    alert = make_alert(code="misdeal.wrong_result", area=None, seat=None)
    kept = keeper_of(folder, tmp_path).keep(alert, noticed_at=8.0)
    assert kept.before is None and kept.after is None
    assert "before" not in format_evidence(kept)


def test_still_keeps_its_size_and_shows_the_area_and_what_was_seen(folder: Path, tmp_path: Path) -> None:
    keeper = keeper_of(folder, tmp_path)
    card = Outline(polygon_mm=((350, 120), (413, 120), (413, 208), (350, 208)), text="7H")
    plain = cv2.imread(str(tmp_path / str(keeper.keep(make_alert(area=None, t=6.0), noticed_at=8.0).still)))
    drawn = cv2.imread(
        str(tmp_path / str(keeper.keep(make_alert(t=6.0), noticed_at=8.0, seen=lambda t: (card,)).still))
    )
    assert plain is not None and drawn is not None
    assert drawn.shape == (SIZE_WH_PX[1], SIZE_WH_PX[0], 3)
    assert cv2.absdiff(plain, drawn).max() > 100


def test_an_area_that_the_layout_lacks_leaves_the_still_plain(folder: Path, tmp_path: Path) -> None:
    kept = keeper_of(folder, tmp_path).keep(make_alert(area="s9-tie"), noticed_at=8.0)
    assert kept.still is not None and kept.before is None


def test_evidence_of_a_video_that_is_gone_is_left_out_and_told(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept = keeper_of(folder, tmp_path, "gone.mp4").keep(make_alert(), noticed_at=8.0)
    assert (kept.clip, kept.still, kept.before) == (None, None, None)
    assert "gone.mp4" in caplog.text


def test_format_evidence_names_only_what_is_there(folder: Path, tmp_path: Path) -> None:
    kept = keeper_of(folder, tmp_path).keep(make_alert(), noticed_at=8.0)
    assert set(format_evidence(kept)) == {"clip", "still", "before", "after", "from", "to"}


@pytest.mark.parametrize("centre", [(160, 90), (0, 0), (319, 191), (4, 189)])
def test_what_is_in_question_stays_bright_and_all_else_is_darker(folder: Path, centre: tuple[int, int]) -> None:
    table = load_table(folder / "table.yaml")
    calibration = table.cameras[0].calibration
    picture = np.full((SIZE_WH_PX[1], SIZE_WH_PX[0], 3), 200, np.uint8)
    corners = [(centre[0] + x, centre[1] + y) for x, y in ((-30, -20), (30, -20), (30, 20), (-30, 20))]
    polygon = tuple((float(x), float(y)) for x, y in calibration.layout_from_image(corners))
    bare = replace(table.layout, areas=())
    drawn = draw_overlay(picture, calibration, bare, [Outline(polygon_mm=polygon, in_question=True)])
    inside = drawn[max(centre[1] - 8, 0) : centre[1] + 8, max(centre[0] - 8, 0) : centre[0] + 8]
    rows, columns = np.indices(picture.shape[:2])
    far = np.maximum(np.abs(rows - centre[1]) - 20, np.abs(columns - centre[0]) - 30) > 30
    assert (inside == 200).all()
    assert (drawn[far] == round(200 * SHADE)).all()
    rim = np.unique(drawn[:, :, 0])
    assert len(rim) > 3, "the rim is soft"
