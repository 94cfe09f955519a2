"""The page on the architecture answers where things are, and its answers hold."""

from __future__ import annotations

import re

import pytest

from tests.house.source_tree import source_files
from tests.repository import ROOT

PAGE = ROOT / "docs" / "architecture.md"
TEXT = PAGE.read_text(encoding="utf-8")
ANSWERS = re.findall(r"^\| ([^|]+\?) \| \[[^\]]+\]\(([^)]+)\) \|$", TEXT, re.MULTILINE)
"""Each question and the file that answers it; the last name in code quotes of a question stands in that file."""


def test_twenty_questions_or_more_are_answered() -> None:
    assert len(ANSWERS) >= 20


@pytest.mark.parametrize(("question", "target"), ANSWERS, ids=[question for question, _ in ANSWERS])
def test_answer_leads_to_what_was_asked_for(question: str, target: str) -> None:
    name = re.findall(r"`([^`]+)`", question)[-1]
    assert name in (PAGE.parent / target).read_text(encoding="utf-8")


def test_every_room_of_the_service_stands_in_the_picture() -> None:
    rooms = {file.room.removeprefix("service.") for file in source_files("service")} - {"__init__", "service"}
    picture = TEXT.partition("```text")[2].partition("```")[0]
    assert {room for room in rooms if f"{room}/" not in picture} == set()
