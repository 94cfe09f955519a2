"""Print a constraint `name==bound` for every run-time dependency: the lowest version that `pyproject.toml` allows.

`python -m tests.packaging.lowest_versions > constraints.txt`; `make lowest` installs with these and runs the tests.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable

from packaging.requirements import Requirement

from tests.repository import ROOT


class NoBoundError(Exception):
    """A dependency has no lower bound."""


def dependencies() -> list[str]:
    """The run-time dependencies, as in `pyproject.toml`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [str(text) for text in project["project"]["dependencies"]]


def lowest(requirements: Iterable[str]) -> list[str]:
    """The constraints, without dependencies that this system does not need.

    Raises:
        NoBoundError: A dependency has no bound `>=`.
    """
    parsed = [Requirement(text) for text in requirements]
    return [f"{each.name}=={_bound(each)}" for each in parsed if each.marker is None or each.marker.evaluate()]


def _bound(requirement: Requirement) -> str:
    bounds = [part.version for part in requirement.specifier if part.operator == ">="]
    if len(bounds) != 1:
        raise NoBoundError(f"{requirement}: needs one bound, such as {requirement.name}>=1.0")
    return bounds[0]


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in lowest(dependencies()))
