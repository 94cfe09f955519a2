"""Kept files of set-ups that somebody changed are named; files that were changed by hand to be read are said."""

from __future__ import annotations

from tests.service.tables.set_ups import House
from thirdcard.service.tables.setup_verification import unread_changes, verify_setups


def told(house: House) -> tuple[list[str], list[str]]:
    with house.database.reading() as session:
        return verify_setups(session, house.home), list(unread_changes(session, house.home))


def test_kept_files_agree(house: House) -> None:
    assert told(house) == ([], [])


def test_kept_file_that_was_changed_is_named(house: House) -> None:
    path = house.home.setups / "B07" / "1" / "table.yaml"
    path.chmod(0o644)
    path.write_bytes(path.read_bytes() + b"# more\n")
    faults, _ = told(house)
    assert len(faults) == 1
    assert faults[0].startswith("set-up B07, version 1: ")
    assert "table.yaml: was changed since it was kept" in faults[0]


def test_kept_file_that_is_gone_is_named(house: House) -> None:
    (house.home.setups / "B07" / "1" / "table.yaml").unlink()
    (fault,) = told(house)[0]
    assert "cannot be read: No such file" in fault


def test_file_in_tables_that_the_service_has_not_read_is_said(house: House) -> None:
    house.acts("ada").restore("B07", 1)
    path = house.home.tables / "B07" / "table.yaml"
    path.write_bytes(path.read_bytes() + b"# more\n")
    faults, said = told(house)
    assert faults == []
    assert said[0].startswith(f"{path}: is not version 2 of B07, which is in force")
    assert told(house)[1] == said
