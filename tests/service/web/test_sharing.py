"""What is read once for all who ask for the same at the same moment."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.service.hand_clock import HandClock
from thirdcard.service.alerts.response_cache import KEEP, MOST, Sharing


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def sharing(clock: HandClock) -> Sharing:
    return Sharing(clock)


class Counted:
    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> int:
        self.times += 1
        return self.times


def test_work_is_shared_for_a_moment_and_by_key(sharing: Sharing, clock: HandClock) -> None:
    work = Counted()
    assert [sharing.get("a", work), sharing.get("a", work), sharing.get("b", work)] == [1, 1, 2]
    clock.move(seconds=KEEP.total_seconds() + 0.001)
    assert sharing.get("a", work) == 3


def test_what_was_read_before_a_change_is_given_to_nobody_after_it(sharing: Sharing) -> None:
    work = Counted()
    assert sharing.get("a", work) == 1
    sharing.renew()
    assert sharing.peek("a") is None
    assert sharing.get("a", work) == 2


def test_change_amid_reading_leaves_later_askers_a_new_reading(sharing: Sharing) -> None:
    def read_while_it_changes() -> str:
        sharing.renew()
        return "old"

    assert sharing.get("a", read_while_it_changes) == "old"
    assert sharing.get("a", lambda: "new") == "new"


def test_all_who_ask_at_once_wait_for_one_reading(sharing: Sharing) -> None:
    begun, go_on, work = threading.Event(), threading.Event(), Counted()

    def read_slowly() -> int:
        begun.set()
        assert go_on.wait(5)
        return work()

    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(sharing.get, "a", read_slowly)
        assert begun.wait(5)
        others = [pool.submit(sharing.get, "a", work) for _ in range(7)]
        assert sharing.peek("a") is None
        go_on.set()
        assert {asked.result(5) for asked in (first, *others)} == {1}
    assert sharing.peek("a") == 1


def test_failure_is_told_and_not_kept(sharing: Sharing) -> None:
    def fail() -> int:
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        sharing.get("a", fail)
    assert sharing.peek("a") is None
    assert sharing.get("a", lambda: 7) == 7


def test_no_more_is_kept_than_fits(sharing: Sharing) -> None:
    for number in range(MOST + 1):
        sharing.get(number, lambda: True)
    assert sharing.peek(0) is None
    assert sharing.peek(MOST)
