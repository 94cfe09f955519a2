"""A house's own lists: what is wrong in a line concerns that line alone."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from thirdcard.service.dealers.csv_files import MOST_LINES, read_dealers, read_roster
from thirdcard.service.dealers.register import DealerError, DealerFields

ZURICH = ZoneInfo("Europe/Zurich")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["unix", "windows"])
def test_list_as_spreadsheets_write_it(delimiter: str, ends: str) -> None:
    rows = [("Name", "ID", "Badge", "Active"), ("Ben Tan", "1041", "04A1B2", "yes"), ("Ann Lee", "", "", "no"), ()]
    text = "\ufeff" + ends.join(delimiter.join(row) for row in rows)
    read = read_dealers(text)
    assert [line.entry for line in read.lines] == [
        DealerFields(name="Ben Tan", staff_id="1041", badge="04A1B2"),
        DealerFields(name="Ann Lee", is_active=False),
    ]
    assert read.faults == []


def test_lines_are_named_as_an_editor_counts_them() -> None:
    read = read_dealers('name,id,active\n"Tan,\nBen",1,yes\n,2,yes\nAnn Lee,3,maybe\n')
    assert [line.entry.name for line in read.lines] == ["Tan,\nBen"]
    assert [(fault.line, fault.field) for fault in read.faults] == [(4, "name"), (5, "active")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("", "no column name", id="empty"),
        pytest.param("id,badge\n1,2\n", "no column name", id="no names"),
        pytest.param("name,shoe\nBen,1\n", "shoe; allowed columns", id="unknown column"),
        pytest.param("name,name\nBen,1\n", "stands twice", id="a column twice"),
        pytest.param('"name\nBen\n', "no CSV", id="an open quote in the first line"),
        pytest.param("name\n" + '"Ben\n' * 101, "is a quote missing", id="open quotes in every line"),
        pytest.param("n\0a\0m\0e\0\n\0", "no text in UTF-8", id="in UTF-16"),
        pytest.param("name\n" + "Ben\n" * (MOST_LINES + 1), "more than", id="endless"),
    ],
)
def test_what_is_no_such_list_is_refused_as_a_whole(text: str, says: str) -> None:
    with pytest.raises(DealerError, match=says):
        read_dealers(text)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        pytest.param('"Ben\n', "line", id="an open quote"),
        pytest.param("Tan, Ben,9041,04FF\n", "line", id="a comma too many"),
        pytest.param("M\ufffdller,2080\n", "line", id="not in UTF-8"),
    ],
)
def test_line_that_is_no_csv_costs_itself_alone(line: str, field: str) -> None:
    read = read_dealers(f"name,id,badge\nAnn Lee,1\n{line}Cleo Park,3\n")
    assert [one.entry.name for one in read.lines] == ["Ann Lee", "Cleo Park"]
    assert [(fault.line, fault.field) for fault in read.faults] == [(3, field)]


@pytest.mark.parametrize(
    "text",
    ["sep=;\nname;id;;\nAnn Lee;1;;\n", "\n\nName, ID\nAnn Lee,1\n\n", "id\tname\r\n1\tAnn Lee\r\n"],
    ids=["of a spreadsheet", "after empty lines", "with tabs"],
)
def test_lists_as_programs_write_them(text: str) -> None:
    (line,) = read_dealers(text).lines
    assert (line.entry.name, line.entry.staff_id) == ("Ann Lee", "1")


def test_person_who_may_see_no_table_names_none() -> None:
    read = read_roster("table,from,to,dealer\nB07,2026-11-26 20:00,2026-11-26 20:40,1\n", ZURICH, [])
    assert [fault.field for fault in read.faults] == ["table"]


def test_roster_by_the_house_s_clock_and_by_offsets() -> None:
    by_clock, by_offset = "2026-11-26 20:00,2026-11-26T20:40,1041", "2026-11-26T20:40:00Z,2026-11-26T21:00:00Z,"
    text = f"table,from,to,dealer\nB07,{by_clock}\nB07,{by_offset}\n"
    first, second = (line.entry for line in read_roster(text, ZURICH, ["B07"]).lines)
    assert (first.from_at, first.dealer) == (datetime(2026, 11, 26, 19, tzinfo=UTC), "1041")
    assert (second.from_at, second.dealer) == (datetime(2026, 11, 26, 20, 40, tzinfo=UTC), None)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        pytest.param("B08,2026-11-26 20:00,2026-11-26 20:40,1", "table", id="unknown table"),
        pytest.param("B07,20:00,2026-11-26 20:40,1", "from", id="no day"),
        pytest.param("B07,2026-11-26 20:00,,1", "to", id="no end"),
        pytest.param("B07,2026-03-29 02:30,2026-03-29 04:00,1", "from", id="an hour that did not exist"),
    ],
)
def test_line_of_a_roster_that_cannot_be(line: str, field: str) -> None:
    read = read_roster(f"table,from,to,dealer\n{line}\n", ZURICH, ["B07"])
    assert [(fault.line, fault.field) for fault in read.faults] == [(2, field)]
