"""The alerts that a script declares, with rule and remedy as the referee words them."""

from __future__ import annotations

from collections.abc import Mapping

from datasets.script.chronicle import Chronicle
from datasets.script.script import Script


def judged_alerts(script: Script, chronicle: Chronicle) -> list[Mapping[str, object]]:
    """The declared alerts in order of time."""
    return [dict(line) for line in chronicle.due(script.table.rulebook)]
