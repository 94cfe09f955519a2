"""A case as one page that plays and checks itself, from a file and without a network."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markupsafe import Markup

from thirdcard.service.alerts.alerts import AlertStory
from thirdcard.service.alerts.cases import CaseStory
from thirdcard.service.config.settings import RoomSettings
from thirdcard.service.web.pages.report import files_of
from thirdcard.service.web.pages.showing import FOLDER, STATIC, build_environment

EMBEDDED_BYTES = 64 * 2**20
"""The limit of embedded files: about eight clips; other files are opened by hand."""
SCRIPT = "check.py"
"""The name of the script in an archive."""
_BUNDLE = FOLDER / "bundle"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedFile:
    """A file of the archive that is embedded in the page."""

    name: str
    media_type: str
    content: bytes

    @property
    def base64(self) -> str:
        """Its content in base64."""
        return base64.b64encode(self.content).decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerFiles:
    """The files that a page shows and checks."""

    embedded: Sequence[EmbeddedFile]
    """The embedded files."""
    names: Sequence[str]
    """The names of all files of the archive."""
    proof: Mapping[str, Any]
    """The content of `seal/proof.json`."""
    is_stamped: bool
    """Whether the archive holds a time stamp."""


def write_case_player(
    settings: RoomSettings,
    story: CaseStory,
    alerts: Sequence[AlertStory],
    files: PlayerFiles,
    *,
    signed: tuple[str, datetime],
) -> str:
    """The page; `signed` holds the exporting person and the time."""
    by, now = signed
    template = build_environment(settings).get_template("case_player.html")
    return template.render(
        story=story,
        alerts=alerts,
        pictures={told.alert.id: files_of(told.alert.id, set(files.names)) for told in alerts},
        embedded=files.embedded,
        proof=_in_script(json.dumps(files.proof, ensure_ascii=False)),
        is_stamped=files.is_stamped,
        by=by,
        now=now,
        script=check_script(),
        scripts=Markup(_scripts()),
    )


def check_script() -> str:
    """The script that checks an unpacked archive."""
    return (_BUNDLE / "check_case.txt").read_text(encoding="utf-8")


def _scripts() -> str:
    overlay = (STATIC / "overlay.js").read_text(encoding="utf-8").replace("export class", "class")
    return overlay + (_BUNDLE / "player.js").read_text(encoding="utf-8")


def _in_script(text: str) -> Markup:
    """JSON escaped so that it cannot end its script element."""
    return Markup(text.replace("<", "\\u003c"))
