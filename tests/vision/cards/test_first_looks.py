"""What lay there at the first look is print, or cards: cards come and go, and print stays."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.cards.test_candidates import BACK, FACE, Table
from tests.vision.plane.test_change_gate import SIZE_MM, picture, straight_down, with_box
from thirdcard.vision.cards.first_looks import BARE_S, FirstLooks
from thirdcard.vision.cards.static_clutter import StaticClutter
from thirdcard.vision.plane.change_gate import ChangeGate

SLOT = np.array([[400.0, 300], [463, 300], [463, 388], [400, 388]])


def begun(*, faces: int = 0, unread: int = 2, is_covered: bool = False) -> FirstLooks:
    first = FirstLooks()
    first.begin(faces=faces, unread=unread, is_covered=is_covered)
    return first


def cleared(first: FirstLooks, t: float) -> bool:
    """Faces lie there for a second from `t` on, and are taken away."""
    told = [first.is_cleared(t + step / 10, is_face=step < 10, is_covered=False) for step in range(20)]
    assert sum(told) <= 1
    return any(told)


def test_nothing_at_the_first_look_leaves_nothing_to_doubt() -> None:
    first = begun(unread=0)
    assert not first.are_doubted
    assert not first.may_be_cards


@pytest.mark.parametrize(("unread", "is_covered"), [(1, False), (0, True)])
def test_what_nobody_can_read_or_see_may_be_cards(unread: int, is_covered: bool) -> None:
    first = begun(unread=unread, is_covered=is_covered)
    assert first.are_doubted
    assert first.may_be_cards


def test_cloth_is_not_cleared_where_no_face_was_seen() -> None:
    first = begun()
    assert not any(first.is_cleared(step / 10, is_face=False, is_covered=False) for step in range(100))


def test_cloth_is_cleared_once_its_faces_have_gone() -> None:
    assert cleared(begun(), 5.0)


def test_cloth_under_a_hand_is_not_cleared() -> None:
    first = begun(faces=2)
    assert not any(first.is_cleared(step / 10, is_face=False, is_covered=step % 3 == 0) for step in range(100))
    assert not first.is_cleared(20.0, is_face=False, is_covered=False)
    assert first.is_cleared(20.01 + BARE_S, is_face=False, is_covered=False)


def test_print_that_stays_for_several_clearings_is_believed() -> None:
    first = begun()
    for t in (5.0, 20.0):
        assert first.are_doubted
        assert cleared(first, t)
        assert not first.is_learnt_anew(is_as_before=True)
    assert not first.are_doubted


def test_what_looks_otherwise_once_cleared_was_no_print() -> None:
    first = begun()
    assert first.is_learnt_anew(is_as_before=False)
    assert first.are_doubted


def test_what_was_confirmed_gives_way_to_two_clearings() -> None:
    first = begun()
    assert [first.is_learnt_anew(is_as_before=same) for same in (True, False, False)] == [False, False, True]


def test_cloth_under_faces_is_learnt_at_the_first_clearing_however_it_looks() -> None:
    first = begun(faces=1)
    assert first.is_unlearnt
    assert first.is_learnt_anew(is_as_before=True)
    assert not first.is_unlearnt


def test_place_looks_as_before_until_something_lies_or_lay_there() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    memory, everywhere = StaticClutter(gate.grid), (slice(0, 999), slice(0, 999))
    memory.remember([SLOT], gate.update(picture(), 0.0))
    assert memory.looks_as_before(gate.update(picture(), 0.1), [everywhere])
    with_card = gate.update(with_box(400, 300, 463, 388), 0.2)
    assert not memory.looks_as_before(with_card, [everywhere])
    assert memory.looks_as_before(with_card, [(slice(0, 3), slice(0, 3))])


def test_backs_alone_at_the_first_look_do_not_become_print() -> None:
    """They are taken for it until they are turned and taken away; the next cards on their places are cards."""
    table = Table()
    assert table.look(0.0, shown=(BACK,), back=BACK) == 0
    for step in range(1, 10):
        table.look(step / 10, shown=(FACE, BACK), face=FACE, back=BACK)
    for step in range(10, 20):
        table.look(step / 10)
    assert table.look(2.0) == 0
    assert table.look(2.1, shown=(BACK,), back=BACK) == 1


def test_slot_stays_print_when_cards_came_and_went() -> None:
    table = Table()
    table.look(0.0, shown=(BACK,), back=BACK)
    for begin in (1.0, 4.0, 7.0):
        for step in range(10):
            assert table.look(begin + step / 10, shown=(FACE, BACK), face=FACE, back=BACK) == 1
        for step in range(10, 20):
            assert table.look(begin + step / 10, shown=(BACK,), back=BACK) == 0


def test_moment_at_which_the_cloth_was_learnt_anew_is_told() -> None:
    """What was taken for furniture elsewhere until then may have been cards too."""
    table = Table()
    table.look(0.0, shown=(BACK,), back=BACK)
    for step in range(1, 10):
        table.look(step / 10, shown=(FACE, BACK), face=FACE, back=BACK)
    assert table.sights.learnt_t is None
    for step in range(10, 20):
        table.look(step / 10)
    assert table.sights.learnt_t == pytest.approx(1.0 + BARE_S, abs=0.11)
