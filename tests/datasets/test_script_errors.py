"""Every complaint about a script is one line that names file, key, value and what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.datasets.scenarios import clean_round, play, script_of
from thirdcard.datasets.decks import DeckNameError
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.render import render_script
from thirdcard.datasets.script.script import load_script, parse_script

TABLE = {"rulebook": "tas"}


@pytest.mark.parametrize(
    ("mapping", "text"),
    [
        pytest.param({"table": TABLE, "rounds": []}, "x.yaml", id="no round"),
        pytest.param({"table": TABLE, "rounds": [{}], "sead": 1}, "x.yaml: sead = 'sead'; is not known here", id="key"),
        pytest.param({"rounds": [{}]}, "x.yaml: table = 'table'; is missing", id="no table"),
        pytest.param(
            {"table": {"rulebook": "vegas"}, "rounds": [{}]},
            "x.yaml: table.rulebook = 'vegas'; must be 'nz-authority'",
            id="rulebook",
        ),
        pytest.param(
            {"table": TABLE, "rounds": [{}], "video": {"fps": 0}}, "x.yaml: video.fps = 0", id="frames per second"
        ),
        pytest.param(
            {"table": TABLE, "rounds": [{"happenings": [{"kind": "order", "card": 5}]}]},
            "x.yaml: rounds[0].happenings[0].order.card = 5",
            id="fifth card astray",
        ),
        pytest.param(
            {"table": TABLE, "rounds": [{"happenings": [{"kind": "extra_card", "hand": "player", "at": "rail"}]}]},
            "x.yaml: rounds[0].happenings[0].extra_card",
            id="a hand's card at the rail",
        ),
        pytest.param(["table"], "x.yaml = 'list'; must be a mapping", id="no mapping"),
    ],
)
def test_script_that_is_not_allowed_is_refused(mapping: Any, text: str) -> None:
    with pytest.raises(ScriptError) as caught:
        parse_script(mapping, "x.yaml")

    assert str(caught.value).startswith(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        pytest.param({"cards": "P 2H 3D | B KS 6D"}, "must give the Player three cards", id="the Player must draw"),
        pytest.param({"cards": "P 8H KD 4D | B KS 9D"}, "must give the Player two cards", id="the Player must stand"),
        pytest.param({"cards": "P 8H 1D | B KS 9D"}, "card = 1D", id="impossible card"),
        pytest.param({"cards": "8H 9D"}, "must read like", id="notation"),
        pytest.param({"wagers": [{"seat": 9, "bet": "tie", "value": 25}]}, "has seats 1, 2", id="seat"),
        pytest.param({"wagers": [{"seat": 3, "bet": "dragon", "value": 25}]}, "has areas for banker", id="bet"),
        pytest.param({"wagers": [{"seat": 3, "bet": "tie", "value": 27}]}, "must be a sum of chips", id="value"),
        pytest.param(
            clean_round(happenings=[{"kind": "third_card_missing", "hand": "banker"}]), "is not due", id="not due"
        ),
        pytest.param(clean_round(happenings=[{"kind": "face_up_deal"}]), "in style A all cards", id="style"),
        pytest.param(
            clean_round(happenings=[{"kind": "wrong_result", "winner": "player"}]), "what the cards", id="won"
        ),
        pytest.param(
            clean_round(happenings=[{"kind": "late_bet", "action": "increased", "seat": 1, "bet": "tie", "value": 25}]),
            "a wager must lie there",
            id="nothing to increase",
        ),
    ],
)
def test_round_that_cannot_be_played_is_refused(spec: dict[str, Any], text: str) -> None:
    with pytest.raises(ScriptError) as caught:
        play(script_of(spec))

    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match="absent.yaml = .*must be a readable YAML file"):
        load_script(tmp_path / "absent.yaml")


def test_play_error_names_the_file_and_writes_no_video(tmp_path: Path) -> None:
    script = tmp_path / "bad.yaml"
    script.write_text("table: {rulebook: tas, layout: nowhere.yaml}\nrounds: [{}]\n", encoding="utf-8")

    with pytest.raises(ScriptError, match="bad.yaml: table.layout = 'nowhere.yaml'"):
        render_script(script, tmp_path / "out")

    assert not (tmp_path / "out" / "video.mp4").exists()


def test_deck_without_its_artwork_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    script = tmp_path / "deck.yaml"
    script.write_text("table: {rulebook: tas}\ndeck: gnome:plastic\nrounds: [{}]\n", encoding="utf-8")

    with pytest.raises(DeckNameError, match="gnome:plastic"):
        render_script(script, tmp_path / "out", processes=2)

    assert not (tmp_path / "out").exists()
