"""How surely a camera sees the backs of cards at one table.

At nearly all tables it sees every back. At some it misses many of them: a back of the cloth's colour, in little light.
Of a card whose back was missed the camera sees nothing until it is turned, so that it seems to be dealt face up, or
after a later card. What a table has shown decides between the two: each card that was seen to come face down speaks for
the first kind, each that shows its face sooner than anybody turns a card for the second.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, lgamma, log

from thirdcard.rules.belief.priors import Priors
from thirdcard.rules.belief.tempo import ActInterval, duration
from thirdcard.rules.log.events import CardDealt, CardTurned, Event, Source


@dataclass(slots=True)
class BackSight:
    """The cards of one table that the style deals face down, by how they were first seen."""

    seen: int = 0
    """Those that were seen to come face down."""
    missed: int = 0
    """Those of which only the face was seen; not the running round's that seem to be dealt face up."""
    _opened: int = 0
    """Those of the running round that seem to be dealt face up."""
    _unseen: dict[str, float] = field(default_factory=dict)
    """The running round's cards that came unseen, by id: when they were logged, in seconds of stream time."""

    def observe(self, event: Event, *, comes_face_down: bool) -> None:
        """Take the next line of the log.

        Args:
            event: The line.
            comes_face_down: Whether the style deals the round's next card face down.
        """
        if event.source is not Source.CAMERA:
            return
        match event:
            case CardDealt(hand=hand) if hand is not None and comes_face_down:
                if event.face_up:
                    self._opened += 1
                elif event.order_unseen:
                    self._unseen[event.card_id] = event.t
                else:
                    self.seen += 1
            case CardTurned(face_up=True, card_id=card_id) if card_id in self._unseen:
                self.missed += event.t - self._unseen.pop(card_id) < duration(ActInterval.CARD_TO_TURN).least_s

    def end_round(self) -> None:
        """End the running round, or the time between two."""
        self.missed += self._opened
        self._opened = 0
        self._unseen.clear()

    def missed_share(self, priors: Priors) -> float:
        """The probability, 0 to 1, that this is a table at which the camera misses backs, and that it missed one.

        Before any was seen it may see none. Afterwards either it sees nearly all, or it misses any share of them, with
        a uniform prior (the rule of succession, Laplace 1774).
        """
        if not self.seen:
            return priors.unseen_backs
        if not 0.0 < priors.poor_backs < 1.0:
            return 0.0
        seen, missed = self.seen, self.missed
        poor = log(priors.poor_backs) + lgamma(missed + 1) + lgamma(seen + 1) - lgamma(seen + missed + 2)
        good = log(1.0 - priors.poor_backs) + missed * log(priors.turned_unseen)
        return (missed + 1) / (seen + missed + 2) / (1.0 + exp(min(good - poor, 700.0)))
