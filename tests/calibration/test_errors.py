"""A value in a message is one short line that YAML would read as the same value."""

from __future__ import annotations

import pytest

from thirdcard.calibration.errors import MISSING, show_value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (MISSING, "(missing)"),
        (None, "null"),
        (True, "true"),
        (8, "8"),
        ("8", '"8"'),
        ("5:00", '"5:00"'),
        ("yes", '"yes"'),
        ("~", '"~"'),
        ("2024-01-01", '"2024-01-01"'),
        ("", '""'),
        ("B07", "B07"),
        ("B07 ", '"B07 "'),
        ("a\u202eb", '"a\\u202eb"'),
        ([1, "x"], "[1, 'x']"),
        ("x" * 100, "x" * 76 + " ..."),
    ],
)
def test_value_is_shown_as_yaml_reads_it(value: object, shown: str) -> None:
    assert show_value(value) == shown
