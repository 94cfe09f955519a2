"""`thirdcard analytics` from what is typed to what comes out."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from tests.service.analytics.floors import deal, err
from tests.service.web.rooms import EVERYONE
from thirdcard.service.alerts.audit_log import list_acts
from thirdcard.service.cli.entry import app
from thirdcard.service.config.data_folder import Home


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["analytics", *(str(argument) for argument in arguments)])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = Home(tmp_path / "room")
    folder.make()
    database = folder.open_database({})
    err(database, deal(database, 6), 2)
    database.close()
    return folder.folder


def test_table_shows_rounds_errors_and_intervals(home: Path) -> None:
    result = run("--home", home, "--by", "table")
    assert result.exit_code == 0, result.output
    for part in ("B07", "166.67", "too few rounds to be ranked"):
        assert part in result.output


def test_dealers_are_shown_by_pseudonym_unless_names_are_asked_for(home: Path) -> None:
    (row,) = map(json.loads, run("--home", home, "--format", "json").output.splitlines())
    assert row["name"].startswith("D-")
    assert run("--home", home, "--format", "csv", "--names").output.splitlines()[1].startswith("ann,6,")
    database = Home(home).open_database({})
    with database.reading() as session:
        assert [act.action for act in list_acts(session, EVERYONE, limit=9).items] == ["dealers.seen"]
    database.close()


def test_files_are_written(home: Path, tmp_path: Path) -> None:
    for form in ("csv", "json", "parquet"):
        assert run("--home", home, "--by", "code", "--format", form, "--out", tmp_path / form).exit_code == 0
    assert pq.read_table(tmp_path / "parquet").to_pylist()[0]["name"] == "misdeal.order"
    assert (tmp_path / "csv").read_text().startswith("name,")
    assert json.loads((tmp_path / "json").read_text())["errors"] == 1


def test_days_are_those_of_the_house(home: Path) -> None:
    zone = ("--time-zone", "Pacific/Auckland", "--by", "table", "--format", "json")
    assert run("--home", home, *zone, "--from", "2026-05-05", "--to", "2026-05-06T00:00:00Z").output
    assert run("--home", home, *zone, "--to", "2026-05-05").output == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(("--from", "monday"), "--from = monday; must be like 2026-05-04", id="a moment that is none"),
        pytest.param(("--format", "parquet"), "needs --out FILE", id="parquet to a terminal"),
        pytest.param(("--time-zone", "Mars"), "--time-zone = Mars; must be an IANA name", id="an unknown zone"),
        pytest.param(("--from", "2026-05-05", "--time-zone", "Mars"), "--time-zone = Mars", id="a day in it"),
    ],
)
def test_what_is_not_allowed_is_refused(home: Path, arguments: tuple[str, ...], says: str) -> None:
    result = run("--home", home, *arguments)
    assert result.exit_code == 2
    assert says in result.stderr


def test_days_are_those_of_the_house_file_where_no_option_says_otherwise(home: Path) -> None:
    (home / "house.yaml").write_text("time_zone: Pacific/Auckland\n", encoding="utf-8")
    span = ("--by", "table", "--format", "json", "--from", "2026-05-05", "--to", "2026-05-06T00:00:00Z")
    own = run("--home", home, *span)
    assert own.exit_code == 0
    assert own.output == run("--home", home, *span, "--time-zone", "Pacific/Auckland").output != ""
    assert run("--home", home, *span, "--time-zone", "UTC").output != own.output


def test_wrong_house_file_is_refused_in_one_line(home: Path) -> None:
    (home / "house.yaml").write_text("time_zone: Mars\n", encoding="utf-8")
    result = run("--home", home)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"thirdcard: {home / 'house.yaml'}: time_zone = Mars; must be an IANA name")
    assert result.stderr.count("\n") == 1
