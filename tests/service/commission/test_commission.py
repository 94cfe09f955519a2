"""The verdict, the page and the PDF, the command, and a live table's last hour."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from tests.service.commission.played import lawful_rounds, played_round
from tests.service.hand_clock import NOON
from tests.service.stores import bare_database
from tests.service.watch_fakes import (
    CAMERA,
    make_alert,
    make_findings,
    make_progress,
    replay,
    with_evidence,
    write_table,
    write_video,
)
from thirdcard.rules.game.words import Bet
from thirdcard.rules.log.events import CameraBack, CameraLost, Event, WagerChanged, format_event
from thirdcard.service.cli.entry import app
from thirdcard.service.commission.commissioning import (
    CommissionError,
    TableCommission,
    commission_table,
    find_films,
    judged_findings,
    stored_hour,
    watch_films,
)
from thirdcard.service.commission.measures import CommissionFilm, percent
from thirdcard.service.commission.report import as_json, figures, write_reports
from thirdcard.service.commission.verdict import AMOUNT_CODES, CARD_CODES, Fitness, judge_table
from thirdcard.service.config.data_folder import Home
from thirdcard.service.config.table_file import load_table
from thirdcard.service.media.alert_media import Evidence
from thirdcard.service.setup.problems import wrong
from thirdcard.service.store import chain
from thirdcard.service.store.log_chains import log_chain
from thirdcard.service.store.schema import LogRow
from thirdcard.service.watch import recording_run
from thirdcard.service.watch.terminal import SilentView

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def commission(folder: Path, events: Sequence[Event], **changes: object) -> TableCommission:
    """What is said of the tiny table after a film with this log, whatever its camera's calibration says."""
    findings = make_findings((), (), events, **{"duration_s": 100.0, **changes})
    film = CommissionFilm(name="film", findings=findings)
    found = commission_table(write_table(folder), [film])
    return TableCommission(table=found.table, check=found.check, seen=found.seen, verdict=judge_table(found.seen, []))


UNREADABLE = [line for n in range(1, 5) for line in played_round("? ? ?", "? ?", number=n)]
WRONG_RESULTS = [
    line for n in range(1, 5) for line in played_round("7H 10C", "2S 3D KH", number=n, said=(2, 5, "banker"))
]
DARK = [*lawful_rounds(4), CameraLost(t=81.0, camera="overhead", fault="dark")]


def test_table_that_is_read_surely_is_fit(tmp_path: Path) -> None:
    found = commission(tmp_path, lawful_rounds(5))
    assert found.verdict.fitness is Fitness.FIT
    assert found.verdict.off == {}
    assert found.seen.cards.sure_share == 1.0


def test_doubtful_cards_switch_off_what_rests_on_faces(tmp_path: Path) -> None:
    doubtful = [line for i in (3, 4) for line in played_round("7H~0.9 10C~0.9", "2S~0.9 3D~0.9 KH~0.9", number=i)]
    verdict = commission(tmp_path, [*lawful_rounds(2), *doubtful]).verdict
    assert verdict.fitness is Fitness.LIMITS
    assert set(CARD_CODES) <= set(verdict.off)
    assert "50 % of the open cards are read surely" in verdict.reasons[0]


@pytest.mark.parametrize(
    ("events", "changes", "says"),
    [
        pytest.param([], {}, "0 open cards in 0 rounds were found", id="nothing seen"),
        pytest.param(lawful_rounds(2), {}, "10 open cards in 2 rounds", id="too little filmed"),
        pytest.param(UNREADABLE, {}, "0 % of the open cards are read surely", id="unreadable"),
        pytest.param(DARK, {"duration_s": 400.0}, "for 80 % of the time: it was too dark", id="dark"),
        pytest.param(lawful_rounds(4), {"setup_hint": "The boxes look swapped"}, "boxes look swapped", id="set-up"),
        pytest.param(WRONG_RESULTS, {}, "4 of 4 rounds contradict themselves", id="contradictions"),
    ],
)
def test_table_that_cannot_be_read_is_not_fit(
    events: list[Event], changes: dict[str, object], says: str, tmp_path: Path
) -> None:
    verdict = commission(tmp_path, events, **changes).verdict
    assert verdict.fitness is Fitness.NOT_FIT
    assert any(says in reason for reason in verdict.reasons), verdict.reasons


def test_wrong_set_up_is_not_fit_however_the_film_looks(tmp_path: Path) -> None:
    seen = commission(tmp_path, lawful_rounds(5)).seen
    verdict = judge_table(seen, [wrong("overhead.yaml", "image_size", value="0.2 px/mm", say="too small")])
    assert verdict.fitness is Fitness.NOT_FIT
    assert verdict.reasons == ("overhead.yaml: image_size = 0.2 px/mm; too small.",)


def test_own_check_of_a_tiny_picture_says_not_fit(tmp_path: Path) -> None:
    film = CommissionFilm(name="film", findings=make_findings(events=lawful_rounds(5)))
    found = commission_table(write_table(tmp_path), [film])
    assert found.verdict.fitness is Fitness.NOT_FIT
    assert any("needs 0.4 px/mm" in reason for reason in found.verdict.reasons)


def test_stacks_that_are_not_counted_switch_off_amounts(tmp_path: Path) -> None:
    changes = [WagerChanged(t=t, area="s3-banker", seat=3, bet=Bet.BANKER, chips_after=None) for t in (101.0, 102.0)]
    verdict = commission(tmp_path, [*lawful_rounds(5), *changes]).verdict
    assert set(verdict.off) == set(AMOUNT_CODES)


def test_code_that_is_raised_in_most_rounds_is_switched_off(tmp_path: Path) -> None:
    alerts = [make_alert(t=20.0 * n + 5.0, round=n + 1) for n in range(4)]
    film = CommissionFilm(name="film", findings=make_findings(alerts, events=lawful_rounds(5), duration_s=100.0))
    seen = commission_table(write_table(tmp_path), [film]).seen
    verdict = judge_table(seen, [])
    assert set(verdict.off) == {"late_bet.placed"}
    assert "4 times in 5 rounds" in verdict.off["late_bet.placed"]


@pytest.mark.parametrize(
    ("films", "code", "is_asked_for"),
    [
        pytest.param(1, "misdeal.extra_card", True, id="a card too many in a short film"),
        pytest.param(9, "misdeal.extra_card", False, id="once in forty-five rounds"),
        pytest.param(1, "late_bet.placed", False, id="no error of dealing"),
    ],
)
def test_error_of_dealing_in_a_short_film_is_to_be_looked_at(
    films: int, code: str, is_asked_for: bool, tmp_path: Path
) -> None:
    alert = make_alert(t=25.0, round=2, code=code)
    played = [
        CommissionFilm(
            name=f"film {n}",
            findings=make_findings([alert] if n == 0 else (), events=lawful_rounds(5), duration_s=100.0),
        )
        for n in range(films)
    ]
    verdict = judge_table(commission_table(write_table(tmp_path), played).seen, [])
    assert verdict.fitness is Fitness.FIT
    assert any("look at its picture" in reason for reason in verdict.reasons) == is_asked_for, verdict.reasons


def test_blind_times_are_told_with_their_film(tmp_path: Path) -> None:
    lost = [CameraLost(t=90.0, camera="overhead", fault="dark"), CameraBack(t=99.0, camera="overhead")]
    found = commission(tmp_path, [*lawful_rounds(4), *lost])
    assert as_json(found)["blind"] == [{"film": "film", "from": 90.0, "to": 99.0, "reason": "it was too dark"}]
    assert "misdeal.order" in found.verdict.off


def test_page_pdf_and_values_are_written_with_the_alerts_pictures(tmp_path: Path) -> None:
    out, run = tmp_path / "out", tmp_path / "out" / "film"
    run.mkdir(parents=True)
    video = write_video(tmp_path / "video.mp4")
    table = write_table(tmp_path)
    alert = make_alert(message="<b>Seat 3</b> placed 500.")
    findings = make_findings([alert], events=[*lawful_rounds(2), *played_round("7H ?", "2S 3D KH", number=3)])
    cv2.imwrite(str(run / "still.jpg"), np.full((60, 80, 3), 90, np.uint8))
    findings = with_evidence(findings, Evidence(from_s=1.0, to_s=2.0, still="still.jpg"))
    (recording,) = find_films(table, [str(video)])
    film = CommissionFilm(name="film", findings=findings, recording=recording, folder=run)
    found = commission_table(table, [film])
    write_reports(found, out, now=NOW)
    page = (out / "commission.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;Seat 3&lt;/b&gt; placed 500." in page
    assert page.count("data:image/jpeg;base64,") >= 2
    assert 'src="http' not in page
    assert (out / "commission.pdf").read_bytes().startswith(b"%PDF-")
    assert json.loads((out / "commission.json").read_text(encoding="utf-8")) == as_json(found)
    assert list((out / "cards").glob("*.jpg"))


def test_figures_say_what_was_not_measured(tmp_path: Path) -> None:
    told = dict(figures(commission(tmp_path, [])))
    assert told["Read surely"] == "no card"
    assert told["The deck"] == "not measured"
    assert told["Error, card read surely"] == "unknown: no faces"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        pytest.param(0.75, "75 %", id="a share"),
        pytest.param(0.9999, "more than 99 %", id="not quite all"),
        pytest.param(1.0, "100 %", id="all"),
    ],
)
def test_shares_read_as_people_write_them(share: float, text: str) -> None:
    assert percent(share) == text


def test_films_are_watched_with_the_table_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for folder in (first, second):
        folder.mkdir()
        write_table(folder, id="other")
        write_video(folder / "video.mp4")
    (tmp_path / "own").mkdir()
    table = write_table(tmp_path / "own")
    recordings = find_films(table, [str(first), str(second / "video.mp4")])
    assert [one.table.id for one in recordings] == ["T1", "T1"]
    assert [one.name for one in recordings] == ["1-video", "2-video"]
    source = replay(make_progress(14.0, events=tuple(lawful_rounds(1)), familiarity=0.8))
    monkeypatch.setattr(recording_run, "_pipeline", source)
    films = watch_films(recordings, tmp_path / "out", lambda _: SilentView())
    assert (tmp_path / "out" / "2-video" / "report.html").is_file()
    assert commission_table(table, films).seen.familiarity == 0.8


def test_log_is_judged_as_a_watch_judges_it(tmp_path: Path) -> None:
    table = load_table(write_table(tmp_path))
    said = judged_findings(played_round("7H 10C", "2S 3D KH", said=(7, 5, "banker")), table)
    assert [one.alert.code for one in said.alerts] == ["misdeal.wrong_result"]


def test_last_live_hour_comes_from_the_store(tmp_path: Path) -> None:
    table, database = load_table(write_table(tmp_path)), bare_database(tmp_path / "room.db")
    with database.writing() as session:
        session.add(LogRow(table_id="T1", began_at=NOON, rules="{}", first_line=1))
        for hours, number in ((0, 1), (2, 2), (2, 3)):
            lines = [format_event(line) for line in played_round("7H 10C", "2S 3D KH", number=number)]
            chain.append(session, log_chain("T1"), lines, at=NOON + timedelta(hours=hours))
    with database.reading() as session:
        film = stored_hour(session, table)
    assert len(film.findings.rounds) == 2
    assert film.recording is None
    database.close()


def test_store_without_the_table_is_refused(tmp_path: Path) -> None:
    database = bare_database(tmp_path / "room.db")
    with database.reading() as session, pytest.raises(CommissionError, match="table T1: nothing that was watched live"):
        stored_hour(session, load_table(write_table(tmp_path)))
    database.close()


def run(*arguments: object) -> tuple[int, str, str]:
    """The command, as from a terminal: exit status, output, error."""
    told = CliRunner().invoke(app, ["commission", *map(str, arguments)])
    return told.exit_code, told.stdout, told.stderr


def test_command_says_not_fit_with_status_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_video(tmp_path / "video.mp4")
    monkeypatch.setattr(recording_run, "_pipeline", replay(make_progress(14.0)))
    status, out, _ = run(write_table(tmp_path), tmp_path / "video.mp4", "--out", tmp_path / "out", "--json", "--quiet")
    assert status == 1
    assert json.loads(out)["verdict"] == "not fit"


def test_command_takes_the_stored_hour(tmp_path: Path) -> None:
    home = tmp_path / "home"
    Home(home).make()
    table = write_table(tmp_path)
    database = Home(home).open_database({})
    with database.writing() as session:
        session.add(LogRow(table_id="T1", began_at=NOON, rules="{}", first_line=1))
        session.flush()
        chain.append(session, log_chain("T1"), [format_event(line) for line in lawful_rounds(4)], at=NOON)
    database.close()
    status, out, _ = run(table, "--home", home, "--out", tmp_path / "out")
    assert status == 1  # the tiny picture
    assert "Table T1 is not fit." in out
    assert (tmp_path / "out" / "commission.pdf").is_file()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["TABLE"], "give films of the table, or --home", id="neither films nor home"),
        pytest.param(["TABLE", "video.mp4", "--home", "."], "one of the two", id="both"),
        pytest.param(["no.yaml", "video.mp4"], "no.yaml: no such file", id="no table"),
        pytest.param(["TABLE", "no.mp4"], "no.mp4: no such file", id="no film"),
        pytest.param(["TABLE", "text.mp4"], "text.mp4", id="no video"),
        pytest.param(["TABLE", "--home", "nowhere"], "--home = nowhere; no such folder", id="no home"),
        pytest.param(["TABLE", "video.mp4", "--out", "text.mp4"], "--out = ", id="out is a file"),
    ],
)
def test_bad_input_gives_one_clear_error(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(recording_run, "_pipeline", replay(make_progress(14.0)))
    write_video(tmp_path / "video.mp4")
    (tmp_path / "text.mp4").write_text("no film", encoding="utf-8")
    table = write_table(tmp_path)
    status, _, error = run(*(str(table) if one == "TABLE" else one for one in arguments))
    assert status == 2
    assert says in error
    assert error.count("\n") == 1


def test_calibration_for_another_size_is_refused(tmp_path: Path) -> None:
    write_video(tmp_path / "video.mp4")
    table = write_table(tmp_path)
    (tmp_path / "overhead.yaml").write_text(json.dumps({**CAMERA, "image_size": [640, 384]}), encoding="utf-8")
    status, _, error = run(table, tmp_path / "video.mp4", "--out", tmp_path / "out")
    assert status == 2
    assert "image_size" in error
