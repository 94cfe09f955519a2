"""Work beside the room goes on whatever goes wrong with it, and says what."""

from __future__ import annotations

import threading

from thirdcard.service.ports.repeated_work import RepeatedWork


def test_work_that_failed_is_done_again_and_the_fault_forgotten() -> None:
    faults: list[str | None] = []
    is_done = threading.Event()

    def work() -> float:
        faults.append(repeated.fault)
        if len(faults) == 1:
            raise OSError("the disk is gone")
        if len(faults) == 3:
            is_done.set()
            return 3600.0
        return 0.0

    repeated = RepeatedWork("sweeping", work, rest_s=0.0)
    repeated.start()
    assert is_done.wait(30.0)
    repeated.stop()
    assert faults == [None, "the disk is gone", None]
    assert repeated.is_stopping


def test_stop_wakes_work_that_rests() -> None:
    has_begun = threading.Event()

    def work() -> float:
        has_begun.set()
        return 3600.0

    repeated = RepeatedWork("sweeping", work, rest_s=3600.0)
    repeated.start()
    assert has_begun.wait(30.0)
    repeated.stop()
    assert repeated.is_stopping
