"""`retention.yaml`: what it may say, and what is refused with file, key, value and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from thirdcard.service.ports.errors import TableError
from thirdcard.service.retention.worker import load_retention


def test_defaults_hold_without_a_file(tmp_path: Path) -> None:
    settings = load_retention(tmp_path)
    assert settings.rules().days == {"routine": 30, "alert": 180, "case": 730, "hold": 30}
    assert settings.budget().budget_bytes is None


def test_file_sets_days_and_budget(tmp_path: Path) -> None:
    text = "days: {routine: 7, case: null}\nroutine_severities: [info, low]\nbudget_gb: 1.5\nwarn_at_percent: 70\n"
    (tmp_path / "retention.yaml").write_text(text, encoding="utf-8")
    settings = load_retention(tmp_path)
    assert settings.rules().days == {"routine": 7, "alert": 180, "case": None, "hold": 30}
    assert settings.rules().routine_severities == {"info", "low"}
    assert (settings.budget().budget_bytes, settings.budget().warn_share) == (1_500_000_000, 0.7)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param(
            "day: {}", "day = {}; unknown key; allowed: days, routine_severities, budget_gb", id="unknown-key"
        ),
        pytest.param("days: {routine: 0}", "days.routine = 0; must be days, over 0 to 36500", id="no-day"),
        pytest.param("days: {alert: soon}", "days.alert = soon; must be days", id="word"),
        pytest.param(
            "days: {holds: 1}", "days.holds = 1; unknown key; allowed: routine, alert, case, hold", id="class"
        ),
        pytest.param("routine_severities: [harmless]", r"\[0\] = harmless; must be a list of info, low", id="severity"),
        pytest.param("budget_gb: -1", "budget_gb = -1; must be gigabytes", id="budget"),
        pytest.param("warn_at_percent: 120", "warn_at_percent = 120; must be a share", id="share"),
    ],
)
def test_refusal_names_file_key_value_and_what_is_allowed(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "retention.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=complaint) as refused:
        load_retention(tmp_path)
    assert str(refused.value).startswith(f"{tmp_path / 'retention.yaml'}: ")
