"""Files that cannot be read, numbers that YAML reads as others, and what a validator refuses, in plain words."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from thirdcard.calibration.documents import allowed_by, file_fault, parse_yaml, read_text
from thirdcard.calibration.errors import DocumentError


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str


class Circle(BaseModel):
    kind: Literal["circle"]


class Square(BaseModel):
    kind: Literal["square"]


def no_seven(number: int) -> int:
    if number == 7:
        raise ValueError("Seven is not allowed")
    return number


SHAPE = Annotated[Circle | Square, Field(discriminator="kind")]
CASES = [
    (Closed, {}, "must be given"),
    (Closed, {"name": "a", "age": 3}, "is not known here"),
    (Closed, [], "must be a mapping of names to values"),
    (dict[str, int], 3, "must be a mapping of names to values"),
    (Annotated[int, Field(gt=2)], 2, "must be more than 2"),
    (Annotated[int, Field(ge=2)], 1, "must be 2 or more"),
    (Annotated[float, Field(lt=2)], 2, "must be less than 2"),
    (Annotated[float, Field(le=0.5)], 2, "must be 0.5 or less"),
    (Annotated[int, Field(multiple_of=10)], 2, "must be a multiple of 10"),
    (Annotated[float, Field(allow_inf_nan=False)], float("nan"), "must be a finite number"),
    (Annotated[str, Field(min_length=1)], "", "must not be empty"),
    (Annotated[str, Field(min_length=10)], "short", "must have 10 characters or more"),
    (Annotated[str, Field(max_length=2)], "long", "must have 2 characters or fewer"),
    (Annotated[str, Field(pattern="^a$")], "b", "does not have the form that is asked for"),
    (Annotated[list[int], Field(min_length=2)], [1], "must hold 2 or more"),
    (Annotated[list[int], Field(max_length=2)], [1, 2, 3], "must hold 2 or fewer"),
    (Literal["clip", "still"], "film", "must be 'clip' or 'still'"),
    (SHAPE, {"kind": "oval"}, "'kind' must be one of 'circle', 'square'"),
    (SHAPE, {}, "needs 'kind'"),
    (str, 3, "must be text"),
    (bool, "perhaps", "must be true or false"),
    (int, "three", "must be a whole number"),
    (int, 1.5, "must be a whole number"),
    (int, "9" * 5000, "is too large a number"),
    (float, "three", "must be a number"),
    (list[int], 3, "must be a list"),
    (None, 3, "must be null"),
    (AwareDatetime, "2026-05-04T12:00", "must be a date and time with its offset, such as 2026-11-26T20:15:00+01:00"),
    (AwareDatetime, "noon", "must be a date and time with its offset, such as 2026-11-26T20:15:00+01:00"),
    (date, "noon", "must be a date, such as 2026-11-26"),
    (Annotated[int, AfterValidator(no_seven)], 7, "seven is not allowed"),
]


@pytest.mark.parametrize(("kind", "value", "words"), [pytest.param(*case, id=f"{case[2]}") for case in CASES])
def test_mistake_is_said_in_plain_words(kind: Any, value: object, words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value)
    (mistake,) = caught.value.errors()
    assert allowed_by(mistake) == words


def test_mistake_of_no_common_kind_keeps_its_words_without_the_preface() -> None:
    assert allowed_by({"type": "callable_type", "msg": "Input should be callable"}) == "must be callable"
    assert allowed_by({}) == "is not allowed"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: 025", "column 4: YAML reads 025 as 21: write 25, or put it in quotes"),
        ("a: [1, -07]", "column 8: YAML reads -07 as -7: write -7, or put it in quotes"),
        ("a: 5:00", "column 4: YAML reads 5:00 as 300: write 300, or put it in quotes"),
        ("a: 1:30.5", "column 4: YAML reads 1:30.5 as 90.5: write 90.5, or put it in quotes"),
    ],
)
def test_number_that_yaml_reads_as_another_is_refused(text: str, says: str) -> None:
    with pytest.raises(DocumentError) as refused:
        parse_yaml(text, "table.yaml")
    assert str(refused.value) == f"table.yaml: no valid YAML: line 1, {says}"


def test_numbers_as_people_write_them_are_read() -> None:
    assert parse_yaml("[0, -7, 25, 0.5, 1e3, '025', 05:60]", "x") == [0, -7, 25, 0.5, "1e3", "025", "05:60"]


def test_file_that_cannot_be_read_is_described(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 300)
    (tmp_path / "file").touch()
    assert file_fault(tmp_path / "file") is None
    assert file_fault(tmp_path / "none") == f"no such file: {tmp_path / 'none'}"
    assert file_fault(tmp_path / "file" / "none") == f"no such file: {tmp_path / 'file' / 'none'}"
    assert file_fault(tmp_path) == "is a folder, and must be a file"
    assert file_fault(Path("/dev/null")) == "is no regular file"
    assert file_fault(long) == "is too long for a file's path"
    with pytest.raises(DocumentError, match="is too long for a file's path"):
        read_text(long)
    with pytest.raises(DocumentError, match="is a folder"):
        read_text(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_file_that_may_not_be_read_is_described(tmp_path: Path) -> None:
    (tmp_path / "file").touch(mode=0)
    assert (file_fault(tmp_path / "file") or "").startswith("may not be read")


def test_text_in_another_encoding_asks_for_utf_8(tmp_path: Path) -> None:
    (tmp_path / "table.yaml").write_text("id: Café", encoding="utf-16")
    with pytest.raises(DocumentError, match="is not in UTF-8; save it as UTF-8"):
        read_text(tmp_path / "table.yaml")
