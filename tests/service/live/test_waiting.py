"""How long a camera was waited for, what the machine did meanwhile left out."""

from __future__ import annotations

import os
import threading

import pytest

from thirdcard.service.live.waiting import CameraWaits, kept_waiting_s, process_kept_waiting_s


class Machine:
    """Its clock, and how long it kept the thread waiting."""

    def __init__(self) -> None:
        self.now = 100.0
        self.kept = 7.0
        self.waits = CameraWaits(lambda: self.now, lambda _thread: self.kept)

    def wait(self, seconds: float, *, others_ran_s: float = 0.0) -> None:
        self.now += seconds
        self.kept += others_ran_s


def test_time_until_something_comes_is_the_cameras() -> None:
    machine = Machine()
    machine.waits.begin()
    machine.wait(3.0)
    assert machine.waits.waited_s() == pytest.approx(3.0)
    machine.waits.end()
    machine.wait(5.0)  # it is decoded
    assert machine.waits.take() == pytest.approx(3.0)
    assert machine.waits.waited_s() == 0.0


def test_time_in_which_others_ran_is_the_machines() -> None:
    machine = Machine()
    machine.waits.begin()
    machine.wait(6.0, others_ran_s=5.5)
    assert machine.waits.waited_s() == pytest.approx(0.5)
    machine.waits.end()
    assert machine.waits.take() == pytest.approx(0.5)


def test_several_waits_for_one_frame_add_up_and_a_film_adds_its_own() -> None:
    machine = Machine()
    for _ in range(2):
        machine.waits.begin()
        machine.wait(1.0)
        machine.waits.end()
    machine.waits.add(0.5)
    assert machine.waits.take() == pytest.approx(2.5)
    assert machine.waits.take() == 0.0


def test_an_end_without_a_beginning_is_none() -> None:
    machine = Machine()
    machine.waits.end()
    assert machine.waits.take() == 0.0


def test_the_system_tells_of_a_thread_or_nothing() -> None:
    assert kept_waiting_s(threading.get_native_id()) >= 0.0
    assert kept_waiting_s(-1) == 0.0


def test_the_system_tells_of_a_process_or_nothing() -> None:
    assert process_kept_waiting_s(os.getpid()) >= 0.0
    assert process_kept_waiting_s(-1) == 0.0
    assert process_kept_waiting_s(None) == 0.0
