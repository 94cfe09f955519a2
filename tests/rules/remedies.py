"""The remedy ordered by each scenario's alert, from `remedies.yaml`, which follows the texts."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

from tests.rules.scenarios import Scenario

Ordered = tuple[str, str | None]
"""An action and the section that orders it."""


@cache
def _written() -> dict[str, dict[str, str | dict[str, str]]]:
    content = yaml.safe_load(Path(__file__).with_name("remedies.yaml").read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def remedy_of(scenario: Scenario) -> Ordered | None:
    """The remedy for the scenario's fault; None where the text has none."""
    written = _written().get(scenario.rulebook, {}).get(scenario.code)
    ordered = written.get(scenario.name) if isinstance(written, dict) else written
    if ordered is None:
        return None
    action, section = ordered.split(" ", 1)
    return action, None if section == "silent" else section
