"""Decks of cards: generated, rasterised from artwork packages, or photographed."""

from thirdcard.datasets.decks.cards import CARDS, RANKS, SUITS
from thirdcard.datasets.decks.deck import Deck, DeckNameError, deck_names, load_deck, machine_deck

__all__ = ["CARDS", "RANKS", "SUITS", "Deck", "DeckNameError", "deck_names", "load_deck", "machine_deck"]
