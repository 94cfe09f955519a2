"""What a validator refuses is said in plain words, and none of them is the library's own."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from thirdcard.calibration.documents import allowed_by


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
