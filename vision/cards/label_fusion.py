"""Combine a track's readings over frames into one calibrated reading.

Readings of one resting card are far from independent: the same pixels are seen again with other noise. Their
log probabilities are therefore averaged and weighted as a small number of independent looks: fewer of a deck that the
reader does not know well. Knows labels, and which of them need not be distinguished, not why.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.observations import Reading

INDEPENDENT_SHARE = 0.25
"""How much of a further look counts as independent of the first."""
MOST_LOOKS = 2.5
"""Looks that count at most, however many frames were read."""
NO_FACE = frozenset({"back", "unclear"})
"""Labels that are never reported: they name no face."""
LOG_CLEAR = -0.1
"""A single reading is clear above this log probability."""
GUESSED = 0.75
"""From this posterior on a guess is good enough to tell a card from another one."""
SURE = 0.95
"""Below this confidence a label is not reported at first."""
LIKELY = 0.8
"""Below this it is not reported after long looking either, unless what is in doubt changes nothing that counts."""
LIKELIER = 0.5
"""Where only faces that count alike are in doubt, the likelier one is distinguished from here on."""
SURELY_READ = 0.95
"""A card whose looks are this sure on average was read surely."""
STRANGE_SHARE, KNOWN_SHARE = 0.25, 0.6
"""Of a deck of which no larger share of the cards is read surely several looks count as one; from the other share on,
as ever."""
WORTH_NAMING = 1e-4
"""Probability from which on another label is named: below it the rarest fault is likelier than the misreading."""
BEFORE_CARDS, BEFORE_SURE = 4.0, 0.9
"""What is assumed of a deck before its first card: as many cards as this, read surely in so large a share."""

Groups = NDArray[np.int64]
"""(n_labels,) the number of each label's group: labels of one group count alike."""


def groups_of(labels: Sequence[str], alike: Iterable[Collection[str]]) -> Groups:
    """The groups of a reader's labels; one that is in no group of `alike` is a group by itself."""
    number = {label: i for i, group in enumerate(alike) for label in group}
    return np.array([number.get(label, len(number) + i) for i, label in enumerate(labels)], np.int64)


@dataclass(slots=True)
class Familiarity:
    """How well a reader knows the deck on a table, by how sure single looks at its cards are.

    Looks at a card that lies still agree whether it is read rightly or not. Where the reader knows the deck, what
    differs from look to look is noise, and several looks are surer than one. A deck that it does not know it misreads
    in the same way each time, and then no number of looks makes it surer.
    """

    _cards: float = field(default=BEFORE_CARDS, init=False)
    _sure: float = field(default=BEFORE_CARDS * BEFORE_SURE, init=False)

    @property
    def share(self) -> float:
        """Share of the cards that were read surely."""
        return self._sure / self._cards

    def note(self, sureness: float) -> None:
        """Take in how sure the looks at one more card were on average, 0 to 1."""
        self._cards += 1.0
        self._sure += sureness >= SURELY_READ

    def most_looks(self, most: float) -> float:
        """As how many independent looks any number of them at one card counts at most: `most` for a deck it knows."""
        known = float(np.clip((self.share - STRANGE_SHARE) / (KNOWN_SHARE - STRANGE_SHARE), 0.0, 1.0))
        return 1.0 + (most - 1.0) * known


class Votes:
    """The readings of one side of one card."""

    def __init__(
        self,
        labels: tuple[str, ...],
        groups: Groups | None = None,
        most_looks: Callable[[], float] = lambda: MOST_LOOKS,
    ) -> None:
        """Takes the labels, which of them count alike, and as how many looks any number of votes counts at most."""
        self._labels = labels
        self._groups: Groups = np.arange(len(labels)) if groups is None else groups
        self._most_looks = most_looks
        self._are_faces = np.array([label not in NO_FACE for label in labels])
        self._sum: NDArray[np.float64] = np.zeros(len(labels))
        self.count = 0.0
        """Votes so far, each by its weight."""

    def add(self, log_probs: NDArray[np.float64], weight: float = 1.0) -> None:
        """Take one reading in.

        Args:
            log_probs: (n_labels,) calibrated log probabilities.
            weight: 0 to 1, how much the reading counts; less where something may lie over the card.
        """
        self._sum += weight * np.maximum(log_probs, -12.0)
        self.count += weight

    def posterior(self) -> NDArray[np.float64]:
        """(n_labels,) probabilities of the labels after all votes."""
        if self.count == 0.0:
            return np.full(len(self._labels), 1.0 / len(self._labels))
        return self._pooled(min(1.0 + INDEPENDENT_SHARE * max(self.count - 1, 0.0), self._most_looks()))

    def guess(self) -> str:
        """The likeliest label."""
        return self._labels[int(self.posterior().argmax())]

    def sureness(self) -> float:
        """How sure the votes are of one label on average, as if there had been a single look; 0 before the first."""
        return float(self._pooled(1.0).max()) if self.count else 0.0

    def _pooled(self, looks: float) -> NDArray[np.float64]:
        logits = self._sum / self.count * looks
        odds = np.exp(logits - logits.max())
        return np.asarray(odds / odds.sum(), dtype=np.float64)

    def contradicts(self, log_probs: NDArray[np.float64]) -> bool:
        """Whether a single reading surely names another face than the votes do, if only as a guess."""
        posterior = self.posterior()
        guess, best = int(posterior.argmax()), int(log_probs.argmax())
        if guess == best or posterior[guess] < GUESSED or log_probs[best] <= LOG_CLEAR:
            return False
        return self._labels[guess] not in NO_FACE and self._labels[best] not in NO_FACE

    def reading(self) -> Reading:
        """The label the votes agree on, or None with the probability that it is a face, or that it is none."""
        return self._told_from(SURE)

    def likely_reading(self) -> Reading:
        """What to say after long looking: a likely face, or the likelier of some that count alike, else None."""
        return self._told_from(LIKELIER if self._value_confidence(self.posterior()) >= SURE else LIKELY)

    def _told_from(self, least: float) -> Reading:
        posterior = self.posterior()
        best = int(posterior.argmax())
        confidence = float(posterior[best])
        is_face = self.count > 0 and self._labels[best] not in NO_FACE
        if not is_face:
            return Reading(label=None, confidence=confidence)
        if confidence < least:
            return Reading(label=None, confidence=float(posterior[self._are_faces].sum()))
        return Reading(
            label=self._labels[best],
            confidence=confidence,
            value_confidence=self._value_confidence(posterior),
            alternatives={
                self._labels[i]: round(float(posterior[i]), 5)
                for i in np.argsort(-posterior)[1:]
                if self._are_faces[i] and posterior[i] >= WORTH_NAMING
            },
        )

    def _value_confidence(self, posterior: NDArray[np.float64]) -> float:
        """How likely one of the faces is that count alike with the likeliest."""
        alike = self._are_faces & (self._groups == self._groups[int(posterior.argmax())])
        return float(posterior[alike].sum())
