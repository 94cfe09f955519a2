"""The data export: every file, what stands in it, whose names, and that others can read it as the page says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from tests.repository import ROOT
from tests.service.analytics.floors import deal, decide, err
from tests.service.web.rooms import EVERYONE
from thirdcard.service.alerts.audit_log import list_acts
from thirdcard.service.cli.entry import app
from thirdcard.service.config.data_folder import Home
from thirdcard.service.export import shapes
from thirdcard.service.export.shapes import SHAPES, VERSION, VERSION_KEY, fingerprint
from thirdcard.service.export.writing import ExportError, write_data

PAGE = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["export", *(str(argument) for argument in arguments)])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = Home(tmp_path / "room")
    folder.make()
    database = folder.open_database({})
    log = deal(database, 6)
    decide(database, err(database, log, 2), "confirmed")
    decide(database, err(database, log, 3), "dismissed", "card_misread")
    deal(database, 2, table="B08", dealer=None)
    database.close()
    return folder.folder


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(folder / f"{name}.parquet").to_pylist()
    return found


def test_every_file_has_its_shape_and_the_version(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "data"
    result = run("--home", home, "--out", out)
    assert result.exit_code == 0, result.output
    assert {path.name for path in out.iterdir()} == {f"{name}.parquet" for name in SHAPES}
    for name, shape in SHAPES.items():
        schema = pq.read_schema(out / f"{name}.parquet")
        assert dict(zip(schema.names, schema.types, strict=True)) == dict(shape)
        assert schema.metadata[VERSION_KEY] == VERSION.encode()
        assert f"{name}.parquet: {len(rows(out, name))} rows" in result.output


def test_rows_are_those_of_the_store(home: Path, tmp_path: Path) -> None:
    run("--home", home, "--out", tmp_path, "--names")
    counts = {name: len(rows(tmp_path, name)) for name in SHAPES}
    assert counts == {"rounds": 8, "cards": 40, "wagers": 8, "alerts": 2, "decisions": 2, "events": 32,
                      "tallies": 2, "code_tallies": 2, "erring_tallies": 2}  # fmt: skip
    assert {row["dealer"] for row in rows(tmp_path, "rounds")} == {"ann", None}
    assert [row["card"] for row in rows(tmp_path, "cards")[:5]] == ["7H", "2S", "KD", "6C", None]
    assert {row["reason"] for row in rows(tmp_path, "decisions")} == {None, "card_misread"}
    assert sum(row["rounds"] for row in rows(tmp_path, "tallies")) == 8


def test_names_are_written_only_when_asked_and_then_it_is_noted(home: Path, tmp_path: Path) -> None:
    run("--home", home, "--out", tmp_path)
    shown = {row["dealer"] for name in ("rounds", "alerts", "tallies") for row in rows(tmp_path, name)} - {None}
    assert len(shown) == 1 and shown.pop().startswith("D-")
    run("--home", home, "--out", tmp_path, "--names")
    database = Home(home).open_database({})
    with database.reading() as session:
        assert [(act.action, act.target) for act in list_acts(session, EVERYONE, limit=9).items] == [
            ("dealers.seen", "export")
        ]
    database.close()


def test_stretch_of_time_is_kept(home: Path, tmp_path: Path) -> None:
    run("--home", home, "--out", tmp_path, "--from", "2026-05-04T12:03:00Z", "--to", "2026-05-04T12:05:00Z")
    assert [row["number"] for row in rows(tmp_path, "rounds")] == [3, 4]
    assert len(rows(tmp_path, "events")) == 8


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param((), "needs --home DIR and --out DIR for data, or the name of a model", id="nothing said"),
        pytest.param(("detector", "--out", "x"), "--out is for data; the script's", id="a model and data"),
    ],
)
def test_unclear_order_is_refused(arguments: tuple[str, ...], says: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert says in result.stderr


def test_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match=r"--out = .*file; must be a folder that can be written"):
        write_data(tmp_path / "file", [])


def test_export_that_fails_leaves_what_was_there(home: Path, tmp_path: Path) -> None:
    run("--home", home, "--out", tmp_path / "data")
    before = {path.name: path.read_bytes() for path in (tmp_path / "data").iterdir()}

    def parts() -> Iterator[dict[str, list[dict[str, Any]]]]:
        yield {"cards": [{"round_id": 1, "hand": "player", "position": 1, "card": "7H"}]}
        raise RuntimeError("the database fell")

    with pytest.raises(RuntimeError):
        write_data(tmp_path / "data", parts())
    assert {path.name: path.read_bytes() for path in (tmp_path / "data").iterdir()} == before


def test_shapes_do_not_change_without_the_version() -> None:
    known = {"2": shapes.FINGERPRINT}
    assert known[VERSION] == fingerprint(), "the shapes changed: count VERSION up and enter the new fingerprint"


def test_every_column_is_told() -> None:
    for name, shape in SHAPES.items():
        (line,) = re.findall(rf"^\| `{name}\.parquet` .*$", PAGE, re.MULTILINE)
        assert re.findall(r"`(\w+)`", line) == list(shape)


def test_examples_of_the_page_work(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("--home", home, "--out", "data", "--names")
    (query,) = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    told = duckdb.connect().execute(query).fetchall()
    assert ("ann", 6, 1, 1, 166.67) in told and (None, 2, 0, 0, 0.0) in told
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    facts: dict[str, Any] = {}
    exec(code, facts)
    assert isinstance(facts["counts"], pd.DataFrame)
    assert facts["counts"].loc["7H", "player"] == 8
