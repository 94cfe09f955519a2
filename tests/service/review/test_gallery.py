"""Pictures that are made beside a review's watch: each once, those that came to show something else again."""

from __future__ import annotations

import os
import signal
from concurrent.futures import wait
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.calibration.cameras import camera_over
from tests.service.watch_fakes import make_alert
from thirdcard.calibration.layout import load_layout
from thirdcard.service.media.overlay_memory import OverlayStretch
from thirdcard.service.review.evidence_pictures import PictureOrder
from thirdcard.service.review.gallery import Gallery, picture_pool
from thirdcard.service.store.alert_writer import AlertEvidence

AT = datetime(2026, 5, 4, tzinfo=UTC)
CAMERA = camera_over(load_layout("mini-7", Path()))


@dataclass(frozen=True)
class Maker:
    """Notes which process made what."""

    folder: Path
    is_deadly: bool = False
    """Whether a process that makes something is killed."""

    def keep(self, order: PictureOrder) -> AlertEvidence:
        """Make nothing."""
        if self.is_deadly and os.getpid() != int((self.folder / "parent").read_text()):
            os.kill(os.getpid(), signal.SIGKILL)
        with (self.folder / f"{order.number}").open("a") as file:
            file.write(f"{os.getpid()} {order.alert.t}\n")
        return AlertEvidence(from_at=AT, to_at=AT, fault=f"{order.alert.t}")


def ordered(number: int, t: float) -> PictureOrder:
    sights = OverlayStretch(cards=[], areas=[])
    return PictureOrder(number=number, alert=make_alert(t=t), sights=sights, calibration=CAMERA)


def gallery(folder: Path, pool: Any, *, is_deadly: bool = False) -> Gallery:
    (folder / "parent").write_text(str(os.getpid()))
    maker: Any = Maker(folder, is_deadly)
    return Gallery(maker, pool)


def made(folder: Path, number: int) -> list[list[str]]:
    return [line.split() for line in (folder / f"{number}").read_text().splitlines()]


def test_pictures_are_made_once_and_anew_where_they_show_something_else(tmp_path: Path) -> None:
    orders = [ordered(0, 1.0), ordered(1, 2.0)]
    with picture_pool(2) as pool:
        all_of_them = gallery(tmp_path, pool)
        all_of_them.begin(orders)
        late = [orders[0], replace(orders[1], alert=replace(orders[1].alert, t=2.5)), ordered(2, 3.0)]
        assert [one.fault for one in all_of_them.pictures(late)] == ["1.0", "2.5", "3.0"]
        assert all_of_them.is_done
    assert [[t for _, t in made(tmp_path, number)] for number in range(3)] == [["1.0"], ["2.0", "2.5"], ["3.0"]]
    assert str(os.getpid()) not in {pid for number in range(3) for pid, _ in made(tmp_path, number)}


def test_pictures_are_made_here_where_the_processes_are_killed(tmp_path: Path) -> None:
    orders = [ordered(0, 1.0), ordered(1, 2.0)]
    with picture_pool(1) as pool:
        left = gallery(tmp_path, pool, is_deadly=True)
        left.begin(orders[:1])
        wait([making for _, making in left._begun.values() if making is not None])
        assert [one.fault for one in left.pictures(orders)] == ["1.0", "2.0"]
    assert [made(tmp_path, number) for number in range(2)] == [[[str(os.getpid()), t]] for t in ("1.0", "2.0")]
