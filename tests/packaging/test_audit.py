"""The audit of locked dependencies: an advisory fails, a network that is away does not, and both are said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.packaging.audit import main

CLEAN = {"name": "numpy", "version": "2.0", "vulns": []}
FAULTY = {
    "name": "requests", "version": "2.19.0",
    "vulns": [{"id": "PYSEC-2018-28", "aliases": ["CVE-2018-18074"], "fix_versions": ["2.20.0"], "description": ""}],
}  # fmt: skip
UNKNOWN = {"name": "here", "skip_reason": "Dependency not found on PyPI"}


def audit(folder: Path, *, says: str, status: int = 0, complains: str = "") -> int:
    """The audit with a program in pip-audit's place."""
    program = folder / "pip-audit"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{says}\nEND\necho '{complains}' >&2\nexit {status}\n")
    program.chmod(0o755)
    return main(str(program), "requirements.lock")


def test_advisory_fails_and_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit(tmp_path, says=json.dumps({"dependencies": [CLEAN, FAULTY]}), status=1) == 1
    assert capsys.readouterr().out == (
        "requests 2.19.0: PYSEC-2018-28, CVE-2018-18074; mended in 2.20.0\n"
        "2 of 2 locked packages were looked up; 1 advisories.\n"
    )


def test_what_the_index_does_not_know_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit(tmp_path, says=json.dumps({"dependencies": [CLEAN, UNKNOWN]})) == 0
    said = capsys.readouterr().out
    assert "1 of 2 locked packages were looked up; 0 advisories." in said
    assert "the index says nothing of the versions of 1 packages" in said


def test_network_that_is_away_is_said_and_is_no_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit(tmp_path, says="", status=1, complains="ERROR: could not connect") == 0
    assert capsys.readouterr().out == "Not audited: ERROR: could not connect\n"


def test_index_that_hangs_is_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.packaging.audit.LONGEST_S", 0.2)
    program = tmp_path / "pip-audit"
    program.write_text("#!/bin/sh\nexec sleep 30\n")
    program.chmod(0o755)
    assert main(str(program), "requirements.lock") == 0
    assert "did not answer within 0.2 s" in capsys.readouterr().out
