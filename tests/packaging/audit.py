"""Compare the locked dependencies with the published advisories, by pip-audit.

    python -m tests.packaging.audit PIP_AUDIT REQUIREMENTS

Exit status 1: there are advisories, and they are named. Packages that could not be looked up, without a network or
because the index does not know them, are counted and do not fail: everything else must be checkable offline.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

ANSWER_S = 10
"""The longest wait for one answer of the index."""
LONGEST_S = 300
"""The longest time for all: some 100 packages are looked up in turn, each in about half a second."""


def main(program: str, path: str) -> int:
    """Audit the requirements of a file with a pip-audit; returns the exit status."""
    command = [program, "--requirement", path, "--no-deps", "--disable-pip"]
    command += ["--progress-spinner", "off", "--timeout", str(ANSWER_S), "--format", "json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S)
    except subprocess.TimeoutExpired:
        print(f"Not audited: the index did not answer within {LONGEST_S} s.")
        return 0
    found = parse_report(done.stdout)
    if found is None:
        last = (done.stderr.strip().splitlines() or [f"pip-audit ended with status {done.returncode}"])[-1]
        print(f"Not audited: {last}")
        return 0
    faults, lines = judge(found)
    print("\n".join(lines))
    return 1 if faults else 0


def parse_report(text: str) -> Sequence[Mapping[str, Any]] | None:
    """Parse pip-audit's report, an entry for each package; None where there is no report, so nothing was looked up."""
    try:
        return list(json.loads(text)["dependencies"])
    except (ValueError, KeyError):
        return None


def judge(dependencies: Sequence[Mapping[str, Any]]) -> tuple[int, list[str]]:
    """Return the number of advisories, and the lines to print."""
    lines = []
    for one in dependencies:
        for each in one.get("vulns", ()):
            fixed = ", ".join(each["fix_versions"]) or "no version yet"
            names = ", ".join([each["id"], *each.get("aliases", ())])
            lines.append(f"{one['name']} {one['version']}: {names}; mended in {fixed}")
    unknown = sum("skip_reason" in one for one in dependencies)
    asked = len(dependencies) - unknown
    faults = len(lines)
    lines.append(f"{asked} of {len(dependencies)} locked packages were looked up; {faults} advisories.")
    if unknown:
        lines.append(f"Not audited: the index says nothing of the versions of {unknown} packages.")
    return faults, lines


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
