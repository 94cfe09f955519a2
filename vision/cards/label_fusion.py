"""Combine a track's readings over frames into one calibrated reading.

Readings of one resting card are far from independent: the same pixels are seen again with different noise. Their log
probabilities are therefore averaged and weighted as a small number of independent looks, fewer for a deck that the
reader does not know well. Knows labels and which of them count the same, not why.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.observations import Reading

INDEPENDENT_SHARE = 0.25
"""How much a further look counts as independent of the first."""
MOST_LOOKS = 2.5
"""Largest number of independent looks that count, however many frames were read."""
NO_FACE = frozenset({"back", "unclear"})
"""Labels that are never reported: they name no face."""
LOG_CLEAR = -0.1
"""Log probability above which a single reading is clear."""
GUESSED = 0.75
"""Posterior from which a guess is good enough to distinguish a card from another."""
SURE = 0.95
"""Confidence below which a label is not reported at first."""
LIKELY = 0.8
"""Confidence below which it is not reported after many looks either, unless the other candidates count the same."""
LIKELIER = 0.5
"""Where all candidates count the same, the most likely label is reported from this confidence on."""
SURELY_READ = 0.95
"""Mean confidence of its single looks from which a card counts as read with confidence."""
STRANGE_SHARE, KNOWN_SHARE = 0.25, 0.6
"""Up to the first share of cards read with confidence, all looks at a card count as one; from the second share on
they count in full."""
IDLE_SHARE, IDLE_SHARE_STRANGE = 0.1, 0.4
"""The share of faces that were not read for certain whose probabilities mean nothing: for a deck that the reader
knows, and for a strange one. The true values of unread cards of two drawn decks were likeliest with 0.02 at most, where
6 of 39 were unread, and with 0.5, where 26 of 35 were."""
WORTH_NAMING = 1e-4
"""Probability from which another label is listed: below it the rarest fault is more likely than this misreading."""
BEFORE_CARDS, BEFORE_SURE = 4.0, 0.9
"""Prior about a deck before its first card: as many cards as this, of which this share was read with confidence."""

Groups = NDArray[np.int64]
"""(n_labels,) the number of each label's group: labels of one group count the same."""


def groups_of(labels: Sequence[str], alike: Iterable[Collection[str]]) -> Groups:
    """Return the group number of each label; a label that is in no group of `alike` forms its own."""
    number = {label: i for i, group in enumerate(alike) for label in group}
    return np.array([number.get(label, len(number) + i) for i, label in enumerate(labels)], np.int64)


@dataclass(slots=True)
class Familiarity:
    """How well a reader knows the deck on a table, judged by the confidence of single looks at its cards.

    Looks at a card that lies still agree whether it is read correctly or not. If the reader knows the deck, looks
    differ by noise only, and several are more certain than one. A deck that it does not know is misread in the same way
    each time, and then no number of looks helps.
    """

    _cards: float = field(default=BEFORE_CARDS, init=False)
    _sure: float = field(default=BEFORE_CARDS * BEFORE_SURE, init=False)

    @property
    def share(self) -> float:
        """Share of the cards that were read with confidence, 0 to 1."""
        return self._sure / self._cards

    def note(self, sureness: float) -> None:
        """Add one more card by the mean confidence of its looks, 0 to 1."""
        self._cards += 1.0
        self._sure += sureness >= SURELY_READ

    def most_looks(self, most: float) -> float:
        """Return the largest number of looks at one card that count as independent.

        It is `most` for a deck that the reader knows, and falls to 1 for a strange one.
        """
        known = float(np.clip((self.share - STRANGE_SHARE) / (KNOWN_SHARE - STRANGE_SHARE), 0.0, 1.0))
        return 1.0 + (most - 1.0) * known


class Votes:
    """The readings of one side of one card, and the label they lead to."""

    def __init__(
        self,
        labels: tuple[str, ...],
        groups: Groups | None = None,
        most_looks: Callable[[], float] = lambda: MOST_LOOKS,
    ) -> None:
        """Take the labels, the groups that count the same, and the most looks that may count as independent."""
        self._labels = labels
        self._groups: Groups = np.arange(len(labels)) if groups is None else groups
        self._most_looks = most_looks
        self._are_faces = np.array([label not in NO_FACE for label in labels])
        self._sum: NDArray[np.float64] = np.zeros(len(labels))
        self.count = 0.0
        """Sum of the votes' weights."""

    def add(self, log_probs: NDArray[np.float64], weight: float = 1.0) -> None:
        """Add one reading.

        Args:
            log_probs: (n_labels,) calibrated log probabilities.
            weight: 0 to 1, how much the reading counts; less where something may cover the card.
        """
        self._sum += weight * np.maximum(log_probs, -12.0)
        self.count += weight

    def posterior(self) -> NDArray[np.float64]:
        """Return the probabilities of the labels after all votes, (n_labels,)."""
        if self.count == 0.0:
            return np.full(len(self._labels), 1.0 / len(self._labels))
        return self._pooled(min(1.0 + INDEPENDENT_SHARE * max(self.count - 1, 0.0), self._most_looks()))

    def guess(self) -> str:
        """Return the most likely label."""
        return self._labels[int(self.posterior().argmax())]

    def sureness(self) -> float:
        """Return the largest label probability, 0 to 1, that an average single look gives; 0 before the first."""
        return float(self._pooled(1.0).max()) if self.count else 0.0

    def _pooled(self, looks: float) -> NDArray[np.float64]:
        logits = self._sum / self.count * looks
        odds = np.exp(logits - logits.max())
        return np.asarray(odds / odds.sum(), dtype=np.float64)

    def contradicts(self, log_probs: NDArray[np.float64]) -> bool:
        """Whether a single reading clearly names another face than the one the votes guess."""
        posterior = self.posterior()
        guess, best = int(posterior.argmax()), int(log_probs.argmax())
        if guess == best or posterior[guess] < GUESSED or log_probs[best] <= LOG_CLEAR:
            return False
        return self._labels[guess] not in NO_FACE and self._labels[best] not in NO_FACE

    def reading(self) -> Reading:
        """Return the label that the votes agree on; without one, the likelier of "a face" and "no face"."""
        return self._told_from(SURE)

    def likely_reading(self) -> Reading:
        """Return what to report after many looks: a likely face, or the most likely of several that count the same."""
        return self._told_from(LIKELIER if self._value_confidence(self.posterior()) >= SURE else LIKELY)

    def _told_from(self, least: float) -> Reading:
        posterior = self.posterior()
        best = int(posterior.argmax())
        confidence = float(posterior[best])
        is_face = self.count > 0 and self._labels[best] not in NO_FACE
        if not is_face:
            return Reading(label=None, confidence=confidence)
        if confidence < least:
            sure = float(posterior[self._are_faces].sum())
            return Reading(label=None, confidence=sure, alternatives=self._faces(posterior * self._meant_share()))
        of_value = self._value_confidence(posterior)
        meant = 1.0 if of_value >= SURE else self._meant_share()
        faces = self._faces(posterior * meant)
        del faces[self._labels[best]]
        return Reading(
            label=self._labels[best],
            confidence=confidence * meant,
            value_confidence=of_value * meant,
            alternatives=faces,
        )

    def _faces(self, probabilities: NDArray[np.float64]) -> dict[str, float]:
        """Return the faces that are worth naming with their probabilities, the likeliest first."""
        return {
            self._labels[i]: round(float(probabilities[i]), 5)
            for i in np.argsort(-probabilities)
            if self._are_faces[i] and probabilities[i] >= WORTH_NAMING
        }

    def _meant_share(self) -> float:
        """Return how much of the probabilities counts where no face is certain: less for a strange deck."""
        strange = (MOST_LOOKS - self._most_looks()) / (MOST_LOOKS - 1.0)
        return 1.0 - IDLE_SHARE - (IDLE_SHARE_STRANGE - IDLE_SHARE) * strange

    def _value_confidence(self, posterior: NDArray[np.float64]) -> float:
        """Return the probability of all faces that count the same as the most likely one."""
        alike = self._are_faces & (self._groups == self._groups[int(posterior.argmax())])
        return float(posterior[alike].sum())
