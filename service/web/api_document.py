"""Complete the API's OpenAPI document: authentication, an example of each body, and the meaning of each field.

FastAPI makes the document from the routes and their models. Further texts come from `api_words.yaml`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from thirdcard.service.web.dependencies import COOKIE, CSRF_HEADER, SAFE

WORDS = Path(__file__).with_name("api_words.yaml")
OPEN = frozenset({"/api/health", "/api/openapi.json", "/api/docs", "/metrics"})
"""Paths that need no login, unless the house closes them."""
SCHEMES: Mapping[str, Mapping[str, str]] = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token of `thirdcard token add` or of POST /api/tokens, in `Authorization: Bearer TOKEN`.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE,
        "description": f"The cookie of the sign-in page. Requests that change something also send `{CSRF_HEADER}`.",
    },
}
SERVER = "https://thirdcard.example"
"""The server in examples of calls."""
SAMPLES: Mapping[str, str] = {"table_id": "B07", "name": "ben", "kind": "clip", "what": "dealers", "which": "before"}
"""Values of path parameters in examples; other parameters are numbers, and 1 in examples."""


@cache
def _words() -> Mapping[str, Any]:
    words: Mapping[str, Any] = yaml.safe_load(WORDS.read_text(encoding="utf-8"))
    return words


def examples() -> Mapping[str, Mapping[str, Any]]:
    """An example body for each call that takes one, by method and path: `POST /api/alerts/take`."""
    found: Mapping[str, Mapping[str, Any]] = _words()["examples"]
    return found


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """The document with security schemes, field descriptions and an example of each call; changed in place."""
    parts = document.setdefault("components", {})
    parts["securitySchemes"] = {name: dict(scheme) for name, scheme in SCHEMES.items()}
    for schema in parts.get("schemas", {}).values():
        for name, field in schema.get("properties", {}).items():
            if "description" not in field and name in _words()["fields"]:
                field["description"] = _words()["fields"][name]
    for path, ways in document["paths"].items():
        for method, operation in ways.items():
            _complete_call(method.upper(), path, operation)
    return document


def sample_path(path: str) -> str:
    """A path with example values: `/api/tables/B07` for `/api/tables/{table_id}`."""
    return re.sub(r"\{(\w+)(?::\w+)?\}", lambda name: SAMPLES.get(name[1], "1"), path)


def _complete_call(method: str, path: str, operation: dict[str, Any]) -> None:
    operation["security"] = [] if path in OPEN else [{name: []} for name in SCHEMES]
    body = examples().get(f"{method} {path}")
    if body is not None and "requestBody" in operation:
        for content in operation["requestBody"]["content"].values():
            content["example"] = body
    operation["x-codeSamples"] = [{"lang": "Shell", "source": _call(method, path, body)}]


def _call(method: str, path: str, body: Mapping[str, Any] | None) -> str:
    """The call as a curl command of several lines."""
    lines = [f"curl {SERVER}{sample_path(path)}"]
    if method not in SAFE or body is not None:
        lines[0] += f" --request {method}"
    if path not in OPEN:
        lines.append('--header "Authorization: Bearer $TOKEN"')
    if body is not None:
        lines.append(f"--json {_quoted(body)}")
    return " \\\n  ".join(lines)


def _quoted(body: Mapping[str, Any]) -> str:
    return "'" + json.dumps(body, ensure_ascii=False).replace("'", "'\\''") + "'"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCall:
    """One call for the API page."""

    method: str
    path: str
    tag: str
    summary: str
    parameters: Sequence[Mapping[str, Any]]
    """Each in the form of OpenAPI, with `required` and a `schema`."""
    fields: Sequence[tuple[str, str, bool]]
    """The fields of the body: name, meaning, whether required."""
    answers: Mapping[str, str]
    """The meaning of each status."""
    example: str
    """The curl command."""


def calls_of(document: Mapping[str, Any]) -> list[ApiCall]:
    """All calls of a completed document, by tag and in the order of the routes."""
    found = [
        _call_of(document, method.upper(), path, operation)
        for path, ways in document["paths"].items()
        for method, operation in ways.items()
    ]
    tags = list(dict.fromkeys(call.tag for call in found))
    return sorted(found, key=lambda call: tags.index(call.tag))


def _call_of(document: Mapping[str, Any], method: str, path: str, operation: Mapping[str, Any]) -> ApiCall:
    bodies = operation.get("requestBody", {}).get("content", {})
    schemas = [_resolved(document, content["schema"]) for content in bodies.values()]
    choices = [_resolved(document, one) for schema in schemas for one in schema.get("oneOf", [schema])]
    return ApiCall(
        method=method,
        path=path,
        tag=(operation.get("tags") or ["other"])[0],
        summary=str(operation.get("description") or operation.get("summary") or "").split("\n\n")[0],
        parameters=operation.get("parameters", []),
        fields=[
            (name, field.get("description", ""), name in schema.get("required", ()))
            for schema in choices
            for name, field in schema.get("properties", {}).items()
        ],
        answers={status: one.get("description", "") for status, one in operation.get("responses", {}).items()},
        example=operation["x-codeSamples"][0]["source"],
    )


def _resolved(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return document["components"]["schemas"][name] if name else schema
