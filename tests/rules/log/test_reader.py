"""A log is read line by line; what cannot be judged is refused with its line."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest

from thirdcard.rules.errors import LogError
from thirdcard.rules.log.reader import read_log

OPENED = '{"t": 1.0, "type": "bets_opened"}'
DEALT = '{"t": 2.0, "type": "card_dealt", "card_id": "%s", "hand": "player", "card": "AS", "face_up": true}'


def kinds(*lines: str, end: str = "\n") -> list[str]:
    return [event.type for event in read_log(line + end for line in lines)]


def test_empty_log_has_no_events() -> None:
    assert list(read_log([])) == []


def test_blank_lines_and_crlf_are_ignored() -> None:
    assert kinds("", OPENED, "   ", DEALT % "c1", end="\r\n") == ["bets_opened", "card_dealt"]


def test_unknown_type_is_skipped_with_one_warning() -> None:
    warnings: list[str] = []
    tea = '{"t": 1.0, "type": "tea_served"}\n'
    events = list(read_log([tea, OPENED + "\n", tea], warn=warnings.append))
    assert [event.type for event in events] == ["bets_opened"]
    assert len(warnings) == 1
    assert warnings[0].startswith("line 1: type = tea_served")


def test_incomplete_last_line_is_skipped_with_a_warning() -> None:
    warnings: list[str] = []
    events = list(read_log([OPENED + "\n", '{"t": 2.0, "type": "car'], warn=warnings.append))
    assert len(events) == 1
    assert warnings == ["line 2: incomplete last line skipped"]


def test_whole_last_line_without_an_end_counts() -> None:
    assert kinds(OPENED, end="") == ["bets_opened"]


@pytest.mark.parametrize(
    ("lines", "number", "text"),
    [
        pytest.param([OPENED, "[1, 2]"], 2, "no JSON object: [1, 2]", id="a-list"),
        pytest.param(["tea"], 1, "no JSON object: tea", id="no-json"),
        pytest.param([OPENED, '{"t": 2.0, "type"'], 2, "no JSON object", id="broken-line"),
        pytest.param(['{"type": "bets_opened"}'], 1, "t is missing", id="no-t"),
        pytest.param(["", '{"t": 1.0}'], 2, "type is missing", id="no-type"),
        pytest.param([DEALT % "c1", OPENED], 2, "t = 1.0; allowed: from 2.0", id="back-in-time"),
        pytest.param([DEALT % "c1", '{"t": 1.0, "type": "tea"}'], 2, "t = 1.0", id="back-in-time-unknown-type"),
        pytest.param([DEALT.replace("AS", "1S") % "c1"], 1, "card = 1S", id="impossible-card"),
        pytest.param([DEALT % "c1", DEALT % "c2", DEALT % "c1"], 3, "card_id = c1; it was dealt before", id="twice"),
        pytest.param([DEALT % "ace", DEALT % "ace"], 2, "card_id = ace; it was dealt before", id="twice-named"),
        pytest.param([DEALT % "c5", DEALT % "c9", DEALT % "c9"], 3, "card_id = c9", id="twice-with-a-gap"),
        pytest.param([DEALT % "c9", DEALT % "c8", DEALT % "c9"], 3, "card_id = c9", id="twice-downwards"),
    ],
)
def test_unusable_line_is_named(lines: list[str], number: int, text: str) -> None:
    with pytest.raises(LogError) as caught:
        kinds(*lines)
    assert caught.value.line == number
    assert str(caught.value).startswith(f"line {number}: ")
    assert text in str(caught.value)


def test_incomplete_line_that_others_follow_is_refused() -> None:
    with pytest.raises(LogError, match="line 1"):
        list(read_log(['{"t": 1.0, "ty', OPENED + "\n"]))


def test_long_log_is_read_in_constant_memory() -> None:
    def lines(count: int) -> Iterator[str]:
        for i in range(count):
            yield DEALT % f"c{i}" + "\n"

    def peak(count: int) -> int:
        tracemalloc.start()
        for _event in read_log(lines(count)):
            pass
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    assert peak(8000) < 200_000  # the ids alone would take more than twice as much
