"""A watch from end to end, with a pipeline that replays what the test says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.service.watch_fakes import (
    CHANGE_S,
    LENGTH_S,
    cards,
    make_alert,
    make_progress,
    make_round,
    replay,
    write_table,
    write_video,
)
from thirdcard.rules.game.words import Bet
from thirdcard.rules.log.events import BetsOpened, CameraLost, CardDealt, Side
from thirdcard.rules.round.round import Wager
from thirdcard.service.config.table_file import load_table
from thirdcard.service.watch.film_watch import CardsInFrame, Progress
from thirdcard.service.watch.recording_run import STOPPED, OutputError, shown_wagers, watch_recording
from thirdcard.service.watch.recordings import Recording, find_recording
from thirdcard.service.watch.terminal import SilentView
from thirdcard.vision.observations import CardInSight


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    folder = tmp_path_factory.mktemp("recording")
    write_table(folder)
    write_video(folder / "video.mp4")
    return find_recording(str(folder))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def reports() -> list[Progress]:
    dealt = CardDealt(t=3.0, card_id="c1", hand=Side.PLAYER, card=cards("7H")[0], face_up=True, confidence=0.99)
    return [
        make_progress(2.0, events=(BetsOpened(t=1.0),)),
        make_progress(8.0, events=(dealt,), alerts=(make_alert(),)),
        make_progress(LENGTH_S, rounds=(make_round(1, "7H 2S", "KD 6C 3H", winner="tie"),)),
    ]


def test_watch_writes_log_alerts_rounds_and_report(recording: Recording, tmp_path: Path) -> None:
    watch_recording(recording, tmp_path, SilentView(), source=replay(*reports()))
    assert [line["type"] for line in lines(tmp_path / "events.jsonl")] == ["bets_opened", "card_dealt"]
    assert lines(tmp_path / "rounds.jsonl")[0]["player"] == ["7H", "2S"]
    assert "late_bet.placed" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_alert_line_has_evidence_that_exists_and_when_it_was_noticed(recording: Recording, tmp_path: Path) -> None:
    watch_recording(recording, tmp_path, SilentView(), source=replay(*reports()))
    alert = lines(tmp_path / "alerts.jsonl")[0]
    evidence = alert["evidence"]
    assert isinstance(evidence, dict)
    assert alert["noticed_at"] == 8.0
    assert all((tmp_path / evidence[name]).is_file() for name in ("clip", "still", "before", "after"))


def test_still_is_marked_as_its_own_frame_shows_the_cards_not_as_the_last_report_does(
    recording: Recording, tmp_path: Path
) -> None:
    corners = ((900, 100), (963, 100), (963, 188), (900, 188))
    lies = CardsInFrame(CHANGE_S - 0.1, (CardInSight(corners_mm=corners, face_up=True, label="7H"),))
    gone = CardsInFrame(CHANGE_S + 0.1, ())
    stills = []
    for looks in ((lies, gone), (gone,)):
        told = make_progress(CHANGE_S + 1.0, looks=looks, alerts=(make_alert(),))
        watch_recording(recording, tmp_path, SilentView(), source=replay(told))
        stills.append((tmp_path / lines(tmp_path / "alerts.jsonl")[0]["evidence"]["still"]).read_bytes())
    assert stills[0] != stills[1]


def test_pictures_of_wagers_are_written_and_those_of_a_former_watch_taken_away(
    recording: Recording, tmp_path: Path
) -> None:
    for name in ("changes/a.jpg", "changes/b.jpg"):
        watch_recording(
            recording, tmp_path, SilentView(), source=replay(make_progress(2.0, pictures={name: b"\xff\xd8"}))
        )
    assert [path.name for path in (tmp_path / "changes").iterdir()] == ["b.jpg"]


def test_lines_are_on_disk_while_the_watch_goes_on(recording: Recording, tmp_path: Path) -> None:
    sizes = []

    def source(_: Recording) -> Iterator[Progress]:
        for report in reports():
            yield report
            sizes.append(len(lines(tmp_path / "events.jsonl")))

    watch_recording(recording, tmp_path, SilentView(), source=source)
    assert sizes == [1, 2, 2]


def test_a_crash_leaves_what_was_seen(recording: Recording, tmp_path: Path) -> None:
    def source(_: Recording) -> Iterator[Progress]:
        yield from reports()[:2]
        raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError):
        watch_recording(recording, tmp_path, SilentView(), source=source)
    assert len(lines(tmp_path / "events.jsonl")) == 2
    assert len(lines(tmp_path / "alerts.jsonl")) == 1


def test_a_break_is_kept_and_told(recording: Recording, tmp_path: Path) -> None:
    last = make_progress(9.0, events=(CameraLost(t=9.0, camera="overhead"),), broken="video.mp4: breaks after 9.00 s")
    findings = watch_recording(recording, tmp_path, SilentView(), source=replay(*reports()[:2], last))
    assert findings.broken == "video.mp4: breaks after 9.00 s"
    assert [stretch.from_s for stretch in findings.unseen] == [9.0]
    assert "breaks after 9.00 s" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_stopping_by_hand_still_writes_the_report(recording: Recording, tmp_path: Path) -> None:
    def source(_: Recording) -> Iterator[Progress]:
        yield from reports()[:2]
        raise KeyboardInterrupt

    findings = watch_recording(recording, tmp_path, SilentView(), source=source)
    assert findings.broken == STOPPED
    assert (tmp_path / "report.html").is_file()


def test_a_second_watch_takes_the_first_one_s_pictures_away(recording: Recording, tmp_path: Path) -> None:
    watch_recording(recording, tmp_path, SilentView(), source=replay(*reports()))
    (tmp_path / "clips" / "notes.txt").write_text("mine", encoding="utf-8")
    watch_recording(recording, tmp_path, SilentView(), source=replay(*reports()[:1]))
    assert [path.name for path in (tmp_path / "clips").iterdir()] == ["notes.txt"]


def test_the_recording_s_own_folder_is_no_place_for_what_is_found(recording: Recording) -> None:
    assert recording.folder is not None
    with pytest.raises(OutputError, match="must not be the recording's own folder"):
        watch_recording(recording, recording.folder, SilentView(), source=replay())


def test_an_output_that_is_a_file_is_refused(recording: Recording, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputError, match="--out = "):
        watch_recording(recording, tmp_path / "file", SilentView(), source=replay())


def test_an_empty_watch_has_no_rounds(recording: Recording, tmp_path: Path) -> None:
    findings = watch_recording(recording, tmp_path, SilentView(), source=replay())
    assert (findings.rounds, findings.alerts, findings.duration_s) == ((), (), 0.0)


def test_shown_wagers_leave_out_empty_areas_and_go_by_seat(recording: Recording) -> None:
    areas = load_table(recording.table.path).layout.of_kind("wager")
    wagers = {
        "s4-tie": Wager(area="s4-tie", seat=4, bet=Bet.TIE, value=None, chips=3),
        "s3-banker": Wager(area="s3-banker", seat=3, bet=Bet.BANKER, value=500, chips=1),
    }
    assert [(each.place, each.amount) for each in shown_wagers(areas, wagers)] == [("Seat 3", 500), ("Seat 4", None)]
    empty = {"s4-tie": Wager(area="s4-tie", seat=4, bet=Bet.TIE, value=0, chips=0)}
    assert shown_wagers(areas, empty) == ()
