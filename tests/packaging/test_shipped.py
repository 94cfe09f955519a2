"""What an index shows and what a wheel takes along, without building one."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatch

from tests.packaging.wheel_check import written
from tests.repository import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_index_page_needs_no_file_beside_it() -> None:
    page = (ROOT / PYPROJECT["project"]["readme"]).read_text(encoding="utf-8")
    assert re.findall(r"\]\((?!https?://)[^)]*\)|<img", page) == []


def test_every_kind_of_data_file_goes_into_the_wheel() -> None:
    data = PYPROJECT["tool"]["setuptools"]["package-data"]
    patterns = ["*.py", *data["*"], *data["thirdcard.datasets.demo"]]
    left_out = {name for name in written() if not any(fnmatch(name.rsplit("/", 1)[-1], each) for each in patterns)}
    assert left_out == set()
