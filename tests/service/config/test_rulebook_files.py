"""A house's own rulebook, found beside a table's file or in the data folder, and kept with the table's log."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from tests.repository import ROOT
from thirdcard.service.cli.entry import app
from thirdcard.service.config.rulebook_files import RulebookFileError, rulebook_of_log, write_copy
from thirdcard.service.config.table_facts import rules_of
from thirdcard.service.config.table_file import load_table, read_table_file
from thirdcard.service.ports.errors import TableError

DEMO = ROOT / "datasets" / "demo"


def table_in(folder: Path, rulebook: str, *, bet: str = "tie") -> Path:
    """The demonstration's table by another rulebook, one of its areas for another bet."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("table.yaml", "layout.yaml", "chips.yaml", "overhead.yaml"):
        shutil.copy(DEMO / name, folder)
    layout = yaml.safe_load((folder / "layout.yaml").read_text())
    next(area for area in layout["areas"] if area["kind"] == "wager" and area["bet"] == "tie")["bet"] = bet
    (folder / "layout.yaml").write_text(yaml.safe_dump(layout))
    table = yaml.safe_load((folder / "table.yaml").read_text()) | {"rulebook": rulebook, "options": {}}
    (folder / "table.yaml").write_text(yaml.safe_dump(table))
    return folder / "table.yaml"


def own(folder: Path, name: str = "mine") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    text = (ROOT / "rules" / "rulebooks" / "ez.yaml").read_text(encoding="utf-8")
    path = folder / f"{name}.yaml"
    path.write_text(text.replace("id: ez", f"id: {name}"), encoding="utf-8")
    return path


def test_rulebook_beside_the_table_is_found_and_kept_with_its_log(tmp_path: Path) -> None:
    own(tmp_path)
    table = load_table(table_in(tmp_path, "./mine.yaml", bet="panda_8"))
    assert (table.rulebook, table.rules.rulebook.title) == ("mine", "Baccarat without commission, Banker 7 stands off")
    kept = rules_of(table)
    (tmp_path / "mine.yaml").unlink()
    assert rulebook_of_log(kept).id == "mine"
    assert kept["rulebook"] == "mine"


@pytest.mark.parametrize("place", ["tables/B07.yaml", "tables/B07/table.yaml"])
def test_rulebook_of_the_data_folder_is_found_by_its_name(tmp_path: Path, place: str) -> None:
    own(tmp_path / "rulebooks")
    path = table_in((tmp_path / place).parent, "mine")
    assert read_table_file(path).rulebook == "mine"
    assert load_table(path).rules.rulebook.id == "mine"


def test_log_of_a_rulebook_that_came_with_the_program_keeps_its_id(tmp_path: Path) -> None:
    kept = rules_of(load_table(table_in(tmp_path, "macau")))
    assert kept["rulebook"] == "macau"
    assert "rulebook_text" not in kept


@pytest.mark.parametrize(
    ("rulebook", "bet", "what"),
    [
        pytest.param("./nowhere.yaml", "tie", "no such file", id="no file"),
        pytest.param("mine", "tie", "unknown rulebook; allowed: ez, macau", id="no id"),
        pytest.param("macau", "panda_8", "areas.", id="a bet that it does not define"),
    ],
)
def test_what_a_table_cannot_name_is_told(tmp_path: Path, rulebook: str, bet: str, what: str) -> None:
    with pytest.raises(TableError, match=what):
        load_table(table_in(tmp_path, rulebook, bet=bet))


def test_new_writes_a_copy_under_its_own_id(tmp_path: Path) -> None:
    path = write_copy("lotus", "tas", tmp_path)
    assert path == tmp_path / "rulebooks" / "lotus.yaml"
    assert "\nid: lotus\n" in path.read_text(encoding="utf-8")
    with pytest.raises(RulebookFileError, match="is there already"):
        write_copy("lotus", "tas", tmp_path)
    with pytest.raises(RulebookFileError, match="comes with the program"):
        write_copy("tas", "macau", tmp_path)
    with pytest.raises(RulebookFileError, match="no id of a rulebook"):
        write_copy("../x", "macau", tmp_path)


def test_commands_list_show_and_check(tmp_path: Path) -> None:
    def run(*words: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, ["rulebooks", *words])
        return result.exit_code, result.output

    assert run("new", "lotus", "--from", "macau", "--home", str(tmp_path))[0] == 0
    path = tmp_path / "rulebooks" / "lotus.yaml"
    assert f"lotus          Baccarat with commission ({path})" in run("list", "--home", str(tmp_path))[1]
    assert "## Bets, side bets and odds" in run("show", str(path))[1]
    assert run("show", str(path), "--file")[1] == path.read_text(encoding="utf-8")
    assert run("check", str(path))[0] == 0
    assert run("page")[1].startswith("# The rulebooks side by side")
    path.write_text(path.read_text(encoding="utf-8").replace("pays: 8 to 1", "pays: lots"), encoding="utf-8")
    status, told = run("check", str(path))
    assert status == 2
    assert "bets.tie.cases[0].pays = lots; allowed" in told
    assert "cannot be used, 1 to mend" in run("list", "--home", str(tmp_path))[1]
