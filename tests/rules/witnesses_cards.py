"""What the rulebooks say alike of the table of play, the deal and the end of the shoe, paragraph by paragraph."""

from __future__ import annotations

from tests.rules.witness import Witnesses

WITNESSES = Witnesses()
