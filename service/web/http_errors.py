"""Turn every exception into an HTTP status and the common error body.

The only module that maps the domain's exceptions to HTTP statuses. A browser that asked for a page gets a page.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from thirdcard.calibration.documents import allowed_by
from thirdcard.service.alerts.cases import CaseError
from thirdcard.service.alerts.cursors import CursorError
from thirdcard.service.alerts.evidence_files import EvidenceComingError, EvidenceMissingError
from thirdcard.service.alerts.feed import PlaceError
from thirdcard.service.alerts.lifecycle import IllegalMoveError, ReasonMissingError
from thirdcard.service.alerts.saving import NotSavedError, SavingError
from thirdcard.service.alerts.signals import SignalError
from thirdcard.service.corrections.acts import CorrectionConflictError, CorrectionError
from thirdcard.service.corrections.judging import UnjudgeableError
from thirdcard.service.dealers.register import DealerError
from thirdcard.service.guide.drafts import DraftStateError, NoSuchDraftError, StepError
from thirdcard.service.notify.notifications import NoSuchChannelError
from thirdcard.service.ports.errors import TableError, UnreadableTableError
from thirdcard.service.rounds.search.fields import SearchError
from thirdcard.service.store.alert_writer import PROMISED
from thirdcard.service.store.people import NoSuchUserError, PeopleError
from thirdcard.service.tables.setups import NoSuchSetupError, SpoiledSetupError
from thirdcard.service.tables.table_acts import TableStateError, WrongSetupError
from thirdcard.service.web.operations import NotRunHereError

logger = logging.getLogger(__name__)

CODES: Mapping[int, str] = {
    400: "bad_request",
    401: "not_signed_in",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    413: "too_large",
    415: "unsupported_media_type",
    416: "range_not_satisfiable",
    422: "invalid",
    429: "too_many_attempts",
    500: "internal",
    503: "unavailable",
}
MESSAGES: Mapping[int, str] = {
    400: "The request cannot be read.",
    404: "There is nothing of that name here.",
    405: "This address does not take that method.",
    413: "The body is too large.",
}
Answer = Callable[[Request, Exception], Awaitable[Response]]
PLACES = frozenset({"body", "query", "path", "header", "cookie"})
SIGN_IN = "/login"


class RefusedError(Exception):
    """The request is refused."""

    def __init__(
        self, status: int, message: str, *, field: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        self.status, self.message, self.field, self.headers = status, message, field, headers
        super().__init__(message)


def not_found(what: str) -> RefusedError:
    """The refusal for something that does not exist, or that the person may not see."""
    return RefusedError(404, f"There is no such {what}.")


def error_body(status: int, message: str, field: str | None = None) -> dict[str, object]:
    """The common body of all errors."""
    return {"error": {"code": CODES.get(status, "error"), "message": message, "field": field}}


def error_response(refusal: RefusedError) -> Response:
    """The error body with its status."""
    body = error_body(refusal.status, refusal.message, refusal.field)
    return JSONResponse(body, status_code=refusal.status, headers=dict(refusal.headers or {}))


def wants_page(request: Request) -> bool:
    """Whether a person in a browser made the request, and not a program or a script of a page."""
    is_page = not request.url.path.startswith(("/api", "/metrics", "/static"))
    return is_page and "text/html" in request.headers.get("accept", "")


def build_answer(
    show_page: Callable[[Request, RefusedError], Response], methods_of: Callable[[Request], Sequence[str]]
) -> Answer:
    """The handler that answers every error.

    Args:
        show_page: Makes the page for a browser.
        methods_of: Returns the methods allowed at the requested path.
    """

    async def answer(request: Request, error: Exception) -> Response:
        if isinstance(error, EvidenceComingError):
            return JSONResponse({"state": PROMISED, "message": str(error)}, status_code=202, headers=error.headers)
        refusal = refusal_of(error)
        if refusal.status == 405:
            refusal.headers = {**(refusal.headers or {}), "Allow": ", ".join(methods_of(request))}
        return show_page(request, refusal) if wants_page(request) else error_response(refusal)

    return answer


def install_error_handlers(app: FastAPI, answer: Answer) -> None:
    """Install the handler for the expected exceptions; `thirdcard.service.web.middleware.LastResort` answers others."""
    for cause in (RefusedError, HTTPException, RequestValidationError, OperationalError, *_STATUS_OF):
        app.add_exception_handler(cause, answer)


def refusal_of(error: Exception) -> RefusedError:
    """The refusal that the caller gets for an exception."""
    if isinstance(error, RefusedError):
        return error
    if isinstance(error, RequestValidationError):
        return _invalid(error.errors())
    if isinstance(error, HTTPException):
        message = MESSAGES.get(error.status_code, error.detail)
        return RefusedError(error.status_code, message, headers=error.headers)
    if isinstance(error, OperationalError):
        logger.error("the database does not answer: %s", error)
        return RefusedError(503, "The database does not answer; try again.", headers={"Retry-After": "2"})
    for cause, status in _STATUS_OF.items():
        if isinstance(error, cause):
            field, headers = getattr(error, "field", getattr(error, "key", None)), getattr(error, "headers", None)
            return RefusedError(status, str(error), field=field, headers=headers)
    return RefusedError(500, "Something went wrong here; it is in the service's log.")


_STATUS_OF: Mapping[type[Exception], int] = {
    CursorError: 422,
    SignalError: 422,
    DealerError: 422,
    SearchError: 422,
    CorrectionError: 422,
    CorrectionConflictError: 409,
    UnjudgeableError: 409,
    ReasonMissingError: 422,
    IllegalMoveError: 409,
    CaseError: 409,
    SavingError: 422,
    NotSavedError: 409,
    PlaceError: 422,
    NoSuchUserError: 404,
    PeopleError: 422,
    EvidenceMissingError: 404,
    NoSuchChannelError: 404,
    NotRunHereError: 404,
    NoSuchSetupError: 404,
    NoSuchDraftError: 404,
    DraftStateError: 409,
    StepError: 422,
    TableStateError: 409,
    SpoiledSetupError: 409,
    WrongSetupError: 422,
    TableError: 422,
    UnreadableTableError: 422,
}


def _invalid(errors: Sequence[Mapping[str, object]]) -> RefusedError:
    """The refusal for the first invalid value of a request, with its field named as in the request."""
    if not errors:
        return RefusedError(422, "The request is not valid.")
    if any(_steps(error)[:1] == ["path"] for error in errors):
        return RefusedError(404, MESSAGES[404])  # an invalid name or number in a path refers to nothing
    first = errors[0]
    steps = _steps(first)
    if first.get("type") == "json_invalid":
        return RefusedError(422, "The body is not JSON.", field="body")
    field = ".".join(steps[1:] if steps and steps[0] in PLACES else steps) or (steps[0] if steps else None)
    said = allowed_by(first)
    if first.get("type") in ("missing", "extra_forbidden"):
        return RefusedError(422, f"{field} {said}.", field=field)
    return RefusedError(422, f"{field}: {said}", field=field)


def _steps(error: Mapping[str, object]) -> list[str]:
    """The path of keys to the error in the request."""
    location = error.get("loc", ())
    return [str(step) for step in location] if isinstance(location, Sequence) else []
