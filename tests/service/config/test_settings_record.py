"""Settings are noted as they were read, once for each change."""

from __future__ import annotations

from pathlib import Path

from tests.service.hand_clock import NOON
from thirdcard.service.config.settings_record import changed_settings, last_settings, note_settings
from thirdcard.service.store import audit, chain
from thirdcard.service.store.database import open_database, sqlite_url


def test_settings_are_noted_once_and_again_when_they_changed(tmp_path: Path) -> None:
    database = open_database(sqlite_url(tmp_path / "room.db"))
    house, book = tmp_path / "house.yaml", tmp_path / "rulebooks" / "mine.yaml"
    house.write_text("port: 80\n")
    with database.writing() as session:
        assert changed_settings(session, tmp_path) is None
        assert note_settings(session, tmp_path, now=NOON)
        assert not note_settings(session, tmp_path, now=NOON)
        assert changed_settings(session, tmp_path) == (NOON, [])
        house.write_text("port: 81\n")
        book.parent.mkdir()
        book.write_text("{}\n")
        assert changed_settings(session, tmp_path) == (NOON, ["house.yaml", "rulebooks/mine.yaml"])
        assert note_settings(session, tmp_path, now=NOON)
        (line,) = [chain.parsed(one) for one in chain.read(session, audit.AUDIT, first=2)]
        read = last_settings(session)
    database.close()
    assert (line["action"], line["details"]["was"]["rulebooks/mine.yaml"]) == ("settings.read", None)
    assert read is not None
    assert line["details"]["files"] == read.digests
