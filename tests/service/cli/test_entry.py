"""The command line: one line for each refusal, the right exit status, never a traceback."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from tests.service.watch_fakes import CAMERA, LAYOUT, cards, write_table, write_video
from thirdcard.rules.game.words import Outcome
from thirdcard.rules.log.events import BetsOpened, CardDealt, ResultAnnounced, RoundClosed, Side, format_event
from thirdcard.service.cli.entry import COMMANDS, app

Spoil = Callable[[Path], object]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def refusal(result: Result) -> str:
    """The one line of a refusal, after looking that it is one."""
    lines = result.stderr.splitlines()
    assert result.exit_code == 2, result.output
    assert len(lines) == 1, lines
    assert lines[0].startswith("thirdcard: ")
    assert "Traceback" not in result.output
    return lines[0]


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    folder = tmp_path / "recording"
    folder.mkdir()
    write_table(folder)
    write_video(folder / "video.mp4")
    return folder


def cut(path: Path, share: float) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])


def change_layout(folder: Path, polygon: object) -> None:
    layout = copy.deepcopy(LAYOUT)
    layout["areas"][2]["polygon"] = polygon  # type: ignore[index]
    write_table(folder, layout=layout)


def change_camera(folder: Path, **changes: object) -> None:
    (folder / "overhead.yaml").write_text(yaml.safe_dump({**CAMERA, **changes}), encoding="utf-8")


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        pytest.param(lambda f: (f / "video.mp4").unlink(), ["video.mp4", "no such file"], id="video-missing"),
        pytest.param(lambda f: (f / "video.mp4").write_bytes(b""), ["video.mp4", "empty"], id="video-empty"),
        pytest.param(lambda f: (f / "video.mp4").write_text("no video"), ["video.mp4"], id="video-is-text"),
        pytest.param(lambda f: cut(f / "video.mp4", 0.5), ["video.mp4"], id="video-truncated"),
        pytest.param(lambda f: (f / "table.yaml").unlink(), ["table.yaml", "--table"], id="table-missing"),
        pytest.param(lambda f: (f / "table.yaml").write_text("a: ["), ["table.yaml"], id="table-no-yaml"),
        pytest.param(lambda f: write_table(f, rulebok="tas"), ["rulebok", "allowed"], id="unknown-key"),
        pytest.param(lambda f: write_table(f, rulebook="monaco"), ["rulebook = monaco", "tas"], id="unknown-rulebook"),
        pytest.param(
            lambda f: write_table(f, options={"insurance": True}), ["insurance", "federal"], id="no-such-option"
        ),
        pytest.param(lambda f: write_table(f, options={"federal": 7}), ["federal = 7"], id="option-value"),
        pytest.param(lambda f: write_table(f, shoe={"decks": 0}), ["shoe.decks = 0", "1 to 16"], id="no-decks"),
        pytest.param(lambda f: change_layout(f, [[0, 0], [9, 9]]), ["areas[2].polygon", "3 points"], id="two-points"),
        pytest.param(lambda f: (f / "overhead.yaml").unlink(), ["overhead.yaml", "no such file"], id="no-calibration"),
        pytest.param(
            lambda f: change_camera(f, image_size=[640, 384]),
            ["overhead.yaml", "image_size = [640, 384]", "[320, 192]"],
            id="calibration-of-another-size",
        ),
        pytest.param(lambda f: change_camera(f, homography=[[1, 2]]), ["overhead.yaml", "homography"], id="homography"),
    ],
)
def test_watch_refuses_in_one_line(recording: Path, tmp_path: Path, spoil: Spoil, told: list[str]) -> None:
    spoil(recording)
    line = refusal(run("watch", recording, "--out", tmp_path / "out"))
    for part in told:
        assert part in line
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(["watch"], "Missing argument", id="nothing-to-watch"),
        pytest.param(["watch", "nowhere"], "nowhere: no such file or folder", id="no-such-recording"),
        pytest.param(["watch", "x", "--frob"], "No such option: --frob", id="unknown-option"),
        pytest.param(["frob"], "No such command 'frob'", id="unknown-command"),
        pytest.param(["referee", "nowhere.jsonl", "--rulebook", "tas"], "nowhere.jsonl", id="no-such-log"),
        pytest.param(["referee", "x.jsonl"], "--table FILE or --rulebook ID", id="no-rulebook"),
        pytest.param(["odds", "--rulebook", "monaco"], "rulebook = monaco; allowed: ez", id="odds-of-no-rulebook"),
        pytest.param(["odds", "--rulebook", "tas", "--option", "federal"], "must be KEY=VALUE", id="option-form"),
        pytest.param(["odds", "--rulebook", "tas", "--option", "x=1"], "options.x = 1; allowed", id="option-unknown"),
        pytest.param(["odds", "--rulebook", "tas", "--decks", "0"], "--decks", id="odds-of-no-decks"),
        pytest.param(["recognise", "nowhere.jpg"], "nowhere.jpg: no such file", id="no-such-photograph"),
        pytest.param(["evaluate", "nowhere"], "nowhere: no such file or folder", id="evaluate-nothing"),
        pytest.param(["calibrate", "nowhere.jpg", "--layout", "mini-7"], "nowhere.jpg: no such file", id="no-picture"),
        pytest.param(["calibrate", "x.jpg"], "--layout NAME|FILE or --table FILE", id="calibrate-without-layout"),
        pytest.param(["render"], "needs scenario scripts", id="nothing-to-render"),
        pytest.param(["render", "nowhere.yaml"], "nowhere.yaml", id="no-such-script"),
        pytest.param(["train", "frob"], "'frob' is not one of", id="train-what"),
        pytest.param(["bench", "nowhere"], "nowhere: no such file or folder", id="bench-nothing"),
    ],
)
def test_wrong_use_is_told_in_one_line(arguments: list[str], told: str) -> None:
    assert told in refusal(run(*arguments))


def test_no_command_shows_what_there_is() -> None:
    result = run()
    assert "needs a command" in refusal(result)
    assert "watch" in result.stdout


def test_a_video_needs_its_table(recording: Path) -> None:
    assert "needs --table" in refusal(run("watch", recording / "video.mp4"))


def test_out_may_not_be_the_recording(recording: Path) -> None:
    assert "own folder" in refusal(run("watch", recording, "--out", recording))


@pytest.mark.parametrize("command", [pytest.param(name, id=name) for name in COMMANDS])
def test_every_command_explains_itself(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert len(result.stdout) > 300


def write_events(path: Path, *, extra: str = "") -> Path:
    """A round in which the Banker's due third card is missing."""
    dealt = [
        CardDealt(t=2.0 + i, card_id=f"c{i}", hand=side, card=card, face_up=True)
        for i, (side, card) in enumerate(zip([Side.PLAYER, Side.BANKER] * 2, cards("7H KD KS 5C"), strict=True))
    ]
    announced = ResultAnnounced(t=8.0, player=7, banker=5, winner=Outcome.PLAYER)
    events = [BetsOpened(t=1.0), *dealt, announced, RoundClosed(t=12.0)]
    path.write_text("".join(json.dumps(format_event(event)) + "\n" for event in events) + extra, encoding="utf-8")
    return path


def test_referee_prints_alerts_as_json_lines_and_writes_rounds(tmp_path: Path) -> None:
    log = write_events(tmp_path / "events.jsonl")
    result = run("referee", log, "--rulebook", "tas", "--rounds", tmp_path / "rounds.jsonl")
    alerts = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert [(alert["code"], alert["hand"], alert["t"]) for alert in alerts] == [
        ("misdeal.third_card_missing", "banker", 8.0)
    ]
    rounds = [json.loads(line) for line in (tmp_path / "rounds.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(each["round"], each["player"]) for each in rounds] == [(1, ["7H", "KS"])]


def test_referee_reads_the_rulebook_from_a_table_file(recording: Path, tmp_path: Path) -> None:
    log = write_events(tmp_path / "events.jsonl")
    assert (
        run("referee", log, "--table", recording / "table.yaml").stdout
        == run("referee", log, "--rulebook", "tas").stdout
    )


def test_referee_knows_the_smallest_chip_of_a_table_file(tmp_path: Path) -> None:
    table = tmp_path / "table.yaml"
    table.write_text("{id: B1, rulebook: nz-authority, chips: house}")
    wager = {
        "t": 1,
        "type": "wager_changed",
        "area": "s3-banker",
        "seat": 3,
        "bet": "banker",
        "before": 0,
        "after": 130,
    }
    hands = [("player", "6H"), ("banker", "3S"), ("player", "KD"), ("banker", "4C")]
    lines = [wager, {"t": 3, "type": "no_more_bets"}] + [
        {"t": 4 + i, "type": "card_dealt", "card_id": f"c{i}", "hand": hand, "card": card, "face_up": True}
        for i, (hand, card) in enumerate(hands)
    ]
    log = tmp_path / "events.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in [*lines, {"t": 9, "type": "round_closed"}]))
    assert run("referee", log, "--table", table, "--rounds", tmp_path / "rounds.jsonl").exit_code == 0
    (due,) = json.loads((tmp_path / "rounds.jsonl").read_text())["due"]
    assert (due["stake"], due["pays"], due["void_stake"]) == (130, 95, 30)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        pytest.param("[1, 2]\n", "line 8: no JSON object", id="no-object"),
        pytest.param('{"type": "bets_opened"}\n', "line 8: t is missing", id="no-time"),
        pytest.param('{"t": 3.0, "type": "bets_opened"}\n', "line 8: t = 3.0", id="back-in-time"),
        pytest.param('{"t": 20, "type": "card_dealt", "card_id": "x", "card": "1S"}\n', "1S", id="impossible-card"),
        pytest.param('{"t": 20, "type": "card_dealt", "card_id": "c1", "card": "2S"}\n', "line 8", id="card-twice"),
    ],
)
def test_referee_names_the_line_it_cannot_use(tmp_path: Path, line: str, told: str) -> None:
    log = write_events(tmp_path / "events.jsonl", extra=line)
    text = refusal(run("referee", log, "--rulebook", "tas"))
    assert told in text
    assert "events.jsonl" in text


def test_referee_warns_of_an_unfinished_last_line(tmp_path: Path) -> None:
    log = write_events(tmp_path / "events.jsonl", extra='{"t": 20, "ty')
    result = run("referee", log, "--rulebook", "tas")
    assert result.exit_code == 0
    assert "line 8" in result.stderr


def test_referee_of_an_empty_log_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    result = run("referee", tmp_path / "empty.jsonl", "--rulebook", "nsw")
    assert (result.exit_code, result.stdout) == (0, "")


def test_calibrate_fits_points_and_checks_the_file(recording: Path, tmp_path: Path) -> None:
    corners = {"A": (200, 200), "B": (1400, 200), "C": (1400, 800), "D": (200, 800), "E": (700, 500)}
    layout = {**LAYOUT, "reference_points": [{"name": name, "at": list(at)} for name, at in corners.items()]}
    (tmp_path / "layout.yaml").write_text(yaml.safe_dump(layout), encoding="utf-8")
    points = {name: [x / 5.0, y / 5.0] for name, (x, y) in corners.items()}
    (tmp_path / "points.yaml").write_text(yaml.safe_dump(points), encoding="utf-8")
    common = [
        "calibrate",
        recording / "video.mp4",
        "--layout",
        tmp_path / "layout.yaml",
        "--points",
        tmp_path / "points.yaml",
    ]
    fitted = run(*common, "--out", tmp_path / "fit.yaml", "--drawn", tmp_path / "drawn.jpg")
    assert fitted.exit_code == 0, fitted.output
    assert (tmp_path / "drawn.jpg").stat().st_size > 0
    checked = run(*common, "--check", tmp_path / "fit.yaml")
    assert checked.exit_code == 0, checked.output
    assert float(checked.stdout.split()[1]) < 1.0
