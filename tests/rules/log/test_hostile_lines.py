"""Whatever stands in a line, it is read or refused with its number: nothing else is ever raised."""

from __future__ import annotations

import json
import tracemalloc
from io import StringIO
from pathlib import Path

import pytest

from thirdcard.rules.errors import LogError
from thirdcard.rules.findings.alerts import format_alert
from thirdcard.rules.log.event_fields import READERS
from thirdcard.rules.log.events import EVENT_TYPES, format_event
from thirdcard.rules.log.reader import LONGEST_LINE, read_lines, read_log, read_log_file, read_objects
from thirdcard.rules.referee import Referee, judge
from thirdcard.rules.round.records import format_round
from thirdcard.rules.rulebook.load import elect, load_rulebook, rulebook_ids

HOSTILE = {
    "400-digits": "9" * 400,
    "5000-digits": "9" * 5000,
    "20-digits": "9" * 20,
    "below-0": "-1",
    "below-0-400-digits": "-" + "9" * 400,
    "beyond-floats": "1e400",
    "large-float": "1e300",
    "nan": "NaN",
    "infinity": "-Infinity",
    "part": "0.5",
    "true": "true",
    "null": "null",
    "list": "[]",
    "mapping": '{"a": 1}',
    "500-levels": "[" * 500 + "]" * 500,
    "empty": '""',
    "half-a-pair": '"\\ud800"',
    "pair": '"\\ud83d\\ude00"',
    "control": '"\\u0000\\u001b[2J"',
    "other-digits": '"\\u0663"',
    "seat-in-other-digits": '"seat:\\u0663"',
    "seat-of-5000-digits": f'"seat:{"9" * 5000}"',
    "id-of-5000-digits": f'"c{"9" * 5000}"',
    "long": '"' + "x" * 100_000 + '"',
}
REFUSED_ANYWHERE = ("400-digits", "5000-digits", "beyond-floats", "nan", "infinity", "500-levels", "half-a-pair")
WHOLE = {
    "t": 1.0, "area": "s3-banker", "seat": 3, "bet": "banker", "before": 0, "after": 100, "by": "seat:3",
    "card_id": "c9", "hand": "player", "card": "AS", "face_up": True, "to": "seat:3", "player": 1, "banker": 2,
    "winner": "banker", "action": "paid", "amount": 95, "dealer": "D1", "decks": 8, "camera": "overhead",
    "where": "burn", "reason": "damaged", "nominee": 4,
}  # fmt: skip
"""A value for every field that a type may ask for."""


def line_of(kind: str, field: str, value: str) -> str:
    """A whole line of that type, one field holding what is given as JSON."""
    known = {name: text for name, text in WHOLE.items() if name != field}
    return json.dumps({"type": kind, **known})[:-1] + f', "{field}": {value}}}\n'


FIELDS_OF_A_WAGER = [
    ("bets_opened", "t"),
    ("wager_changed", "after"),
    ("wager_changed", "seat"),
    ("wager_settled", "amount"),
    ("card_dealt", "card_id"),
]


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_any_value_of_any_field_is_read_or_refused_with_its_line(kind: str) -> None:
    rules = elect(load_rulebook("nz-authority"), {})
    for field in READERS:
        for text in HOSTILE.values():
            check_line(line_of(kind, field, text), Referee(rules))


def check_line(line: str, referee: Referee) -> None:
    """Read it amid a round; what it gives can be judged and written."""
    opened, closed = '{"t": 0.5, "type": "bets_opened"}\n', '{"t": 1000000000, "type": "round_closed"}\n'
    try:
        events = list(read_log([opened, line, closed]))
    except LogError as error:
        assert error.line in (2, 3)
        assert len(str(error)) < 500
        return
    for event in events:
        told = referee.observe(event)
        mappings = [format_event(event), *map(format_alert, told.alerts), *map(format_round, told.rounds)]
        assert json.dumps(mappings, ensure_ascii=False).encode()


@pytest.mark.parametrize("name", REFUSED_ANYWHERE)
@pytest.mark.parametrize(("kind", "field"), FIELDS_OF_A_WAGER)
def test_what_no_field_holds_is_refused(name: str, kind: str, field: str) -> None:
    with pytest.raises(LogError, match="line 1: "):
        list(read_log([line_of(kind, field, HOSTILE[name])]))


@pytest.mark.parametrize("name", ["nan", "5000-digits", "half-a-pair"])
def test_what_json_does_not_have_is_refused_in_fields_that_nobody_reads(name: str) -> None:
    with pytest.raises(LogError, match="line 1: no JSON object"):
        list(read_log([line_of("bets_opened", "note", HOSTILE[name])]))


@pytest.mark.parametrize(
    "text", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000, "[" * 100_000], ids=["list", "mapping", "open"]
)
@pytest.mark.parametrize("end", ["\n", ""])
def test_any_depth_is_refused(text: str, end: str) -> None:
    with pytest.raises(LogError, match="line 1: no JSON object: "):
        list(read_log([text + end]))


class Endless(StringIO):
    """A file whose line never ends."""

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        assert size is not None and size > 0, "the whole line was asked for"
        return "x" * size


def test_line_without_end_is_refused_in_bounded_memory() -> None:
    tracemalloc.start()
    with pytest.raises(LogError, match="line 1: no JSON object: x+ .*longer than 4194304 characters"):
        list(read_log(read_lines(Endless())))
    assert tracemalloc.get_traced_memory()[1] < 8 * LONGEST_LINE
    tracemalloc.stop()


def test_longest_line_is_read() -> None:
    text = '{"t": 1.0, "type": "bets_opened", "note": "'
    line = text + "x" * (LONGEST_LINE - len(text) - 2) + '"}'
    assert len(list(read_log(read_lines(StringIO(line + "\n"))))) == 1
    with pytest.raises(LogError):
        list(read_log(read_lines(StringIO(line[:-2] + 'x"}\n'))))


def test_line_in_another_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"t": 1.0, "type": "bets_opened"}\n{"t": 2.0, "type": "\xff"}\n')
    for read in (read_log_file, read_objects):
        with pytest.raises(LogError, match=r"line 2: .*no text in UTF-8"):
            list(read(path))


@pytest.mark.parametrize("rest", [b"\n", b""])
def test_bytes_that_are_no_text_are_refused_by_their_line(tmp_path: Path, rest: bytes) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"t": 1.0, "type": "bets_opened"}\n\xff\xfe{}' + rest)
    with pytest.raises(LogError, match=r"line 2: no JSON object: .*; no text in UTF-8"):
        list(read_log_file(path))


def test_line_that_is_still_being_written_may_end_within_a_letter(tmp_path: Path) -> None:
    path, warnings = tmp_path / "events.jsonl", list[str]()
    line = '{"t": 2.0, "type": "dealer_changed", "dealer": "Ren\u00e9'.encode()
    path.write_bytes(b'{"t": 1.0, "type": "bets_opened"}\n' + line[:-1])
    assert len(list(read_log_file(path, warn=warnings.append))) == 1
    assert warnings == ["line 2: incomplete last line skipped"]


def test_objects_come_with_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "alerts.jsonl"
    path.write_text('{"a": 1}\n\n{"a": 2}\n[3]\n', encoding="utf-8")
    read = read_objects(path)
    assert [next(read), next(read)] == [(1, {"a": 1}), (3, {"a": 2})]
    with pytest.raises(LogError, match="line 4: no JSON object"):
        next(read)


DEALT = '{{"t": 1.0, "type": "card_dealt", "card_id": "{}", "hand": "player", "card": "AS", "face_up": true}}\n'
OF_A_CARD: dict[str, dict[str, object]] = {
    "card_turned": {"card": "AS", "face_up": True},
    "card_moved": {"hand": "banker"},
    "card_passed": {"to": "seat:3"},
    "card_removed": {"to": "discard"},
}


@pytest.mark.parametrize("kind", OF_A_CARD)
def test_card_that_nobody_dealt_is_warned_of_once(kind: str) -> None:
    warnings: list[str] = []
    line = json.dumps({"t": 2.0, "type": kind, "card_id": "c7", **OF_A_CARD[kind]}) + "\n"
    list(read_log([DEALT.format("c1"), line, line], warn=warnings.append))
    assert warnings == [f"line 2: {kind}: card_id = c7; no line before dealt it"]


@pytest.mark.parametrize("kind", OF_A_CARD)
@pytest.mark.parametrize("name", ["c1", "ace", "007", "c" + "9" * 5000], ids=["counted", "named", "zeros", "long"])
def test_card_that_was_dealt_is_not_warned_of(kind: str, name: str) -> None:
    warnings: list[str] = []
    line = json.dumps({"t": 2.0, "type": kind, "card_id": name, **OF_A_CARD[kind]}) + "\n"
    list(read_log([DEALT.format(name), line], warn=warnings.append))
    assert warnings == []


def test_card_that_left_with_one_that_nobody_dealt_is_warned_of_when_the_round_ends() -> None:
    warnings: list[str] = []
    first = DEALT.format("c1").replace('"face_up"', '"together_with": "c2", "face_up"')
    closed = '{"t": 9.0, "type": "round_closed"}\n'
    list(read_log([first, DEALT.format("c2"), closed], warn=warnings.append))
    assert warnings == []
    list(read_log([first, closed], warn=warnings.append))
    assert warnings == ["line 2: card_dealt: together_with = c2; no line before dealt it"]


@pytest.mark.parametrize("rulebook", rulebook_ids())
def test_largest_amounts_are_judged(rulebook: str) -> None:
    wager = {"area": "s3-banker", "seat": 3, "bet": "banker"}
    lines = [
        {"t": 1, "type": "wager_changed", **wager, "before": 0, "after": 10**15, "by": "seat:3"},
        {"t": 2, "type": "wager_settled", **wager, "action": "paid", "amount": 10**15},
        {"t": 3, "type": "round_closed"},
    ]
    told: list[object] = []
    judge(read_log(json.dumps(line) + "\n" for line in lines), Referee(elect(load_rulebook(rulebook), {})), told.append)
    assert told
