"""A case as one page to read and to print; it refers only to the files beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from thirdcard.service.alerts.alerts import AlertStory
from thirdcard.service.alerts.cases import CaseStory
from thirdcard.service.config.settings import RoomSettings
from thirdcard.service.web.pages.showing import build_environment


def write_case_report(
    settings: RoomSettings,
    story: CaseStory,
    alerts: Sequence[AlertStory],
    files: Sequence[PackedFile],
    *,
    missing: Sequence[str],
    signed: tuple[str, datetime],
) -> str:
    """The page; `signed` holds the exporting person and the time."""
    by, now = signed
    names = {file.name for file in files}
    pictures = {told.alert.id: files_of(told.alert.id, names) for told in alerts}
    changed = [file.name for file in files if file.is_as_kept is False]
    template = build_environment(settings).get_template("case_report.html")
    return template.render(
        story=story, alerts=alerts, files=files, missing=missing, changed=changed, pictures=pictures, by=by, now=now
    )


def files_of(alert_id: int, names: set[str]) -> dict[str, str]:
    """The alert's files in the archive by kind."""
    start = f"evidence/alert-{alert_id}-"
    return {name.removeprefix(start).partition(".")[0]: name for name in sorted(names) if name.startswith(start)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedFile:
    """A file of the archive."""

    name: str
    size_bytes: int
    sha256: str
    is_as_kept: bool | None = None
    """Whether its hash equals the one recorded when it was stored; None for newly written files."""
