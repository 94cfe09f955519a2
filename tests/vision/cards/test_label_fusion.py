"""Votes over frames: agreement is reported, doubt is not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.card_table import LABELS, Table, sight
from thirdcard.vision.cards.label_fusion import (
    IDLE_SHARE,
    IDLE_SHARE_STRANGE,
    MOST_LOOKS,
    Familiarity,
    Votes,
    groups_of,
)

FACES = ("AC", "AD", "unclear")


def votes_on(*labels: str) -> Votes:
    """Votes on faces of which those of one rank count alike, and queens and kings."""
    ranks = ("2S", "2C"), ("3C", "3S"), ("QD", "KD")
    return Votes(labels, groups_of(labels, ranks))


def log_probs(*probabilities: float) -> np.ndarray:
    return np.log(np.asarray(probabilities, np.float64))


def test_reading_without_votes_tells_nothing() -> None:
    assert Votes(FACES).reading().label is None


def test_reading_of_agreeing_votes_is_told_and_grows_surer() -> None:
    votes = Votes(FACES)
    votes.add(log_probs(0.96, 0.03, 0.01))
    first = votes.reading()
    for _ in range(5):
        votes.add(log_probs(0.96, 0.03, 0.01))
    assert first.label == "AC"
    assert votes.reading().confidence > first.confidence


def test_many_votes_of_the_same_doubt_stay_doubtful() -> None:
    votes = Votes(FACES)
    for _ in range(200):
        votes.add(log_probs(0.55, 0.42, 0.03))
    reading = votes.reading()
    assert reading.label is None
    assert list(reading.alternatives) == [*FACES[:2]], "the likelier first; what is no face is not among them"
    assert sum(reading.alternatives.values()) == pytest.approx((1.0 - IDLE_SHARE) * reading.confidence, abs=1e-4)


def test_what_a_face_may_be_counts_less_for_a_strange_deck() -> None:
    known, strange = Votes(FACES), Votes(FACES, most_looks=lambda: 1.0)
    for votes in (known, strange):
        votes.add(log_probs(0.55, 0.42, 0.03))
    shares = [sum(votes.reading().alternatives.values()) for votes in (known, strange)]
    assert shares[1] / shares[0] == pytest.approx((1.0 - IDLE_SHARE_STRANGE) / (1.0 - IDLE_SHARE), abs=1e-3)


def test_face_that_is_only_likely_leaves_room_for_any_other() -> None:
    votes = Votes(FACES)
    votes.add(log_probs(0.88, 0.11, 0.01))
    reading = votes.likely_reading()
    assert reading.label == FACES[0]
    assert reading.confidence == pytest.approx(0.88 * (1.0 - IDLE_SHARE))
    assert sum(reading.alternatives.values()) == pytest.approx(0.11 * (1.0 - IDLE_SHARE))


def test_unclear_is_never_told_as_a_label() -> None:
    votes = Votes(FACES)
    votes.add(log_probs(0.01, 0.01, 0.98))
    reading = votes.reading()
    assert reading.label is None
    assert not reading.alternatives
    assert reading.confidence > 0.9


def test_votes_that_contradict_each_other_are_not_told() -> None:
    votes = Votes(FACES)
    votes.add(log_probs(0.96, 0.03, 0.01))
    votes.add(log_probs(0.03, 0.96, 0.01))
    assert votes.reading().label is None


def test_posterior_sums_to_one() -> None:
    votes = Votes(FACES)
    votes.add(log_probs(0.5, 0.3, 0.2), weight=0.5)
    assert votes.posterior().sum() == pytest.approx(1.0)


def test_votes_are_contradicted_only_by_a_clear_reading_of_another_face() -> None:
    votes = Votes(FACES)
    for _ in range(3):
        votes.add(log_probs(0.98, 0.01, 0.01))
    assert votes.contradicts(log_probs(0.02, 0.97, 0.01))
    assert not votes.contradicts(log_probs(0.3, 0.6, 0.1))
    assert not votes.contradicts(log_probs(0.97, 0.02, 0.01))
    assert not votes.contradicts(log_probs(0.01, 0.01, 0.98))
    assert not Votes(FACES).contradicts(log_probs(0.02, 0.97, 0.01))


@pytest.mark.parametrize(
    ("probabilities", "told", "sure"),
    [
        ((0.62, 0.36, 0.01, 0.01), "2S", 0.62),  # only the suit is in doubt
        ((0.62, 0.01, 0.36, 0.01), None, 0.99),  # the rank is, but a face is there
        ((0.49, 0.49, 0.01, 0.01), None, 0.99),  # both suits alike
    ],
)
def test_long_look_tells_the_likelier_of_two_faces_that_count_alike(
    probabilities: tuple[float, ...], told: str | None, sure: float
) -> None:
    votes = votes_on("2S", "2C", "3C", "unclear")
    votes.add(np.log(probabilities))
    assert votes.reading().label is None
    assert votes.likely_reading().label == told
    assert votes.likely_reading().confidence == pytest.approx(sure, abs=1e-6)


def test_long_look_tells_the_likelier_of_two_courts() -> None:
    votes = votes_on("QD", "KD", "9D", "unclear")
    votes.add(np.log((0.58, 0.4, 0.01, 0.01)))
    assert votes.likely_reading().label == "QD"


def test_value_of_a_court_is_surer_than_its_face() -> None:
    votes = votes_on("QD", "KD", "9D", "unclear")
    votes.add(np.log((0.58, 0.4, 0.01, 0.01)))
    assert votes.likely_reading().value_confidence == pytest.approx(0.98)


def test_face_that_is_not_told_is_surely_one_where_all_faces_together_are() -> None:
    votes = votes_on("2S", "3S", "4S", "unclear")
    votes.add(np.log((0.4, 0.3, 0.25, 0.05)))
    reading = votes.reading()
    assert (reading.label, reading.value_confidence) == (None, None)
    assert reading.confidence == pytest.approx(0.95)


def test_labels_without_a_group_count_for_themselves() -> None:
    groups = groups_of(("QD", "back", "KD", "9D", "unclear"), [{"QD", "KD"}])
    assert groups[0] == groups[2]
    assert len(set(groups.tolist())) == 4


def test_before_the_first_card_looks_count_as_ever() -> None:
    assert Familiarity().most_looks(2.5) == 2.5


@pytest.mark.parametrize(
    ("sure", "unsure", "most"),
    [
        pytest.param(30, 10, 2.5, id="a deck that it knows"),
        pytest.param(0, 30, 1.0, id="one that it does not"),
        pytest.param(14, 22, 1.8, id="one in between"),
    ],
)
def test_looks_count_the_less_the_fewer_cards_are_read_surely(sure: int, unsure: int, most: float) -> None:
    deck = Familiarity()
    for sureness in [0.99] * sure + [0.6] * unsure:
        deck.note(sureness)
    assert deck.most_looks(2.5) == pytest.approx(most, abs=0.15)


def test_many_looks_at_a_card_of_a_strange_deck_are_no_surer_than_one() -> None:
    looks = np.log([0.8, 0.1, 0.05, 0.05])
    known, strange = Votes(LABELS), Votes(LABELS, most_looks=lambda: 1.0)
    for votes in (known, strange):
        for _ in range(12):
            votes.add(looks)
    assert strange.posterior() == pytest.approx(np.exp(looks))
    assert strange.sureness() == known.sureness() == pytest.approx(0.8)
    assert known.posterior()[0] > 0.98


def test_votes_without_a_look_are_sure_of_nothing() -> None:
    assert Votes(LABELS).sureness() == 0.0


def test_card_that_was_taken_away_tells_how_well_its_deck_is_known() -> None:
    table = Table(faces=lambda x: None)
    table.look(sight(100), looks=20)
    assert table.watch.familiarity.most_looks(MOST_LOOKS) == MOST_LOOKS
    before = table.watch.familiarity.share
    table.look(looks=30)
    assert table.watch.familiarity.share < before
