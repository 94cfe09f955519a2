"""Every dependency names the version from which on it will do."""

from __future__ import annotations

import pytest

from tests.packaging.lowest_versions import NoBoundError, dependencies, lowest


def test_bounds_become_exact_versions() -> None:
    assert lowest(["numpy>=2.0.0", "psycopg[binary]>=3.2.1,<4"]) == ["numpy==2.0.0", "psycopg==3.2.1"]


def test_what_this_system_does_not_need_is_left_out() -> None:
    assert lowest(["a>=1; sys_platform == 'plan9'", "b>=2; sys_platform != 'plan9'"]) == ["b==2"]


@pytest.mark.parametrize("text", [pytest.param("tzdata", id="no-bound"), pytest.param("tzdata==2024.1", id="exact")])
def test_a_dependency_without_a_bound_is_refused(text: str) -> None:
    with pytest.raises(NoBoundError, match=r"needs one bound, such as tzdata>=1\.0"):
        lowest([text])


def test_every_dependency_has_a_bound() -> None:
    assert len(lowest(dependencies())) >= len(dependencies()) - 1
