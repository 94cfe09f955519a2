"""Check that an answer has the common error body."""

from __future__ import annotations

from typing import Any


def assert_error(answer: Any, status: int, *, field: str | None = None, says: str = "") -> None:
    """Check the status, the shape, the named field, and a part of the message."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "field"}
    assert body["error"]["field"] == field, body
    assert body["error"]["code"]
    assert says in body["error"]["message"], body
    assert "Traceback" not in answer.text
