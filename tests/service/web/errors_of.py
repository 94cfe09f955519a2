"""Check that an answer is the one error body."""

from __future__ import annotations

from typing import Any


def assert_error(answer: Any, status: int, *, field: str | None = None, says: str = "") -> None:
    """The status, the shape, the field that is named, and a part of what is said."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "field"}
    assert body["error"]["field"] == field, body
    assert body["error"]["code"]
    assert says in body["error"]["message"], body
    assert "Traceback" not in answer.text
