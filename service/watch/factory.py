"""Assemble the running parts: open the models, build a table's observer and referee.

The only module that combines concrete classes.
"""

from __future__ import annotations

import time
from dataclasses import replace

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import Layout
from thirdcard.rules.belief.belief import Belief
from thirdcard.rules.belief.priors import Priors
from thirdcard.rules.belief.setup_doubt import SetupDoubt, Suspect, swap_bets, swap_boxes
from thirdcard.rules.errors import OptionError
from thirdcard.rules.game.cards import PACK, RANKS, SUITS
from thirdcard.rules.referee import Referee
from thirdcard.rules.rulebook.load import elect
from thirdcard.rules.rulebook.model import BurnCount, Phase
from thirdcard.rules.rulebook.options import Rules
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.interpretation.alert_policy import AlertPolicy, belief_of, is_likely
from thirdcard.service.interpretation.burns import shows_burns, side_regions
from thirdcard.service.interpretation.handovers import places_before_seats
from thirdcard.service.setup.file_problems import USUAL_CHIP_MM
from thirdcard.vision.cards.card_monitor import CardCustoms
from thirdcard.vision.inference.batching import Session
from thirdcard.vision.inference.chip_faces import ChipFaceReader
from thirdcard.vision.inference.chip_samples import load_looks
from thirdcard.vision.inference.detector import Detector
from thirdcard.vision.inference.enrolled_deck import load_house_deck
from thirdcard.vision.inference.enrolled_reader import SharpReader
from thirdcard.vision.inference.reader import Reader
from thirdcard.vision.inference.stack_change import StackComparer
from thirdcard.vision.inference.stack_height import StackGauge
from thirdcard.vision.observer import Eyes, ObservedRegions, Observer, Sizes

COUNT_ALIKE = tuple(frozenset(str(card) for card in PACK if card.point_value == value) for value in range(10))
"""Cards of equal point value: confusing them changes no total."""


def open_eyes(*, threads: int = 1, detector: Session | None = None, reader: Session | None = None) -> Eyes:
    """Open the shipped models.

    Args:
        threads: The number of threads of each model.
        detector: The detector's model where it is open elsewhere.
        reader: The reader's model where it is open elsewhere.

    Raises:
        ModelError: A model file is missing, altered or of another shape.
    """
    return Eyes(
        detector=Detector.open(threads=threads) if detector is None else Detector.over(detector),
        reader=Reader.open(threads=threads) if reader is None else Reader.over(reader),
        gauge=StackGauge.open(threads=threads),
        comparer=StackComparer.open(threads=threads),
        chip_faces=ChipFaceReader.open(threads=threads),
    )


def build_observer(table: TableConfig, eyes: Eyes) -> Observer:
    """The observer of a table's first camera; its reader knows the house's own deck where one is enrolled.

    Raises:
        HouseDeckError: The enrolled deck cannot be used.
        UnreadableImageError: A chip's sample cannot be used.
    """
    return Observer(
        observed_regions(
            table.layout,
            sweeps=table.is_call_a_gesture,
            are_cards_handed=bool(dealt_face_down(table)),
            are_burns_watched=watches_burns(table),
        ),
        table.cameras[0].calibration,
        sharpened(table, eyes),
        sizes=Sizes(
            card_mm=table.card_size_mm,
            chip_diameter_mm=table.chips.diameter_mm,
            chip_thickness_mm=table.chips.thickness_mm,
        ),
        clock=time.perf_counter,
        chips=load_looks(
            [chip.colour_rgb for chip in table.chips.chips], [chip.sample_path for chip in table.chips.chips]
        ),
    )


def build_still_observer(
    layout: Layout, calibration: Calibration, card_mm: tuple[float, float], eyes: Eyes
) -> Observer:
    """An observer that reads spreads in still pictures of a table whose set-up is incomplete; it knows no chips."""
    sizes = Sizes(card_mm=card_mm, chip_diameter_mm=USUAL_CHIP_MM[0], chip_thickness_mm=USUAL_CHIP_MM[1])
    return Observer(observed_regions(layout), calibration, eyes, sizes=sizes, clock=time.perf_counter)


def sharpened(table: TableConfig, eyes: Eyes) -> Eyes:
    """The models, with a reader that knows the house's own deck where one is enrolled.

    Raises:
        HouseDeckError: The enrolled deck cannot be used.
    """
    if table.deck is None or not isinstance(eyes.reader, Reader):
        return eyes
    return replace(eyes, reader=SharpReader(eyes.reader, load_house_deck(table.deck, eyes.reader.labels)))


def watches_burns(table: TableConfig) -> bool:
    """Whether the rulebook orders a burn and the camera can see it."""
    is_ordered = table.rules.burn.count is not BurnCount.NONE
    return is_ordered and shows_burns(table.layout, table.cameras[0].calibration)


def dealt_face_down(table: TableConfig) -> frozenset[Phase]:
    """The cards that are dealt face down, by the rulebook and the elected style."""
    return table.rules.style.face_down


def observed_regions(
    layout: Layout, *, sweeps: bool = False, are_cards_handed: bool = False, are_burns_watched: bool = False
) -> ObservedRegions:
    """The regions of a cloth to observe, in words without the game.

    Args:
        layout: the cloth.
        sweeps: whether to detect arms that sweep over wagers.
        are_cards_handed: whether to look for cards in front of the seats: they come face down, and some may be passed
            on. A
            hand's first two cards are passed on once both are there; a third card at any time, when all others lie
            open.
        are_burns_watched: whether to look for burned cards from the shoe to the rack.
    """
    polygons = {
        kind: {area.id: area.polygon_mm for area in layout.of_kind(kind)}
        for kind in ("hand", "wager", "no_more_bets_lamp")
    }
    return ObservedRegions(
        size_mm=layout.size_mm,
        cards=polygons["hand"],
        stacks=polygons["wager"],
        lamps=polygons["no_more_bets_lamp"],
        runs=tuple(tuple(rank + suit for rank in RANKS) for suit in SUITS),
        sweeps=polygons["wager"] if sweeps else {},
        customs=CardCustoms(
            alike=COUNT_ALIKE,
            handed=places_before_seats(layout) if are_cards_handed else {},
            is_handed_at_once=are_cards_handed,
        ),
        side=side_regions(layout, are_burns_watched=are_burns_watched),
    )


def build_belief(table: TableConfig) -> Belief:
    """The belief of a table: from its rulebook, options, shoe, limits and chips, and from doubts about its set-up."""
    belief = belief_of(_referee(table, table.rules), AlertPolicy(**table.alerts.model_dump()))
    given = Suspect(what="The set-up is right", referee=_referee(table, table.rules), weight=0.0)
    belief.setup = SetupDoubt(given=given, suspects=_suspects(table, belief.priors), priors=belief.priors)
    return belief


def _referee(table: TableConfig, rules: Rules) -> Referee:
    return Referee(
        rules,
        decks=table.shoe.decks,
        device=table.shoe.device,
        limits=table.limits.model_dump(exclude_none=True),
        chips=table.chips.values,
        is_alleged=is_likely,
    )


def _suspects(table: TableConfig, priors: Priors) -> list[Suspect]:
    """The other set-ups that a table may have by mistake."""
    rules, rates = table.rules, priors.setups
    boxes = Suspect(
        name="boxes_swapped",
        what="The Player's and the Banker's card boxes look swapped",
        referee=_referee(table, rules),
        weight=rates["boxes_swapped"],
        change=swap_boxes,
    )
    bets = Suspect(
        name="bets_swapped",
        what="The wagering areas of Player and Banker look swapped",
        referee=_referee(table, rules),
        weight=rates["bets_swapped"],
        change=swap_bets,
    )
    others = [style for style in rules.rulebook.styles if style != rules.options["dealing_style"]]
    styles = [
        Suspect(
            name="other_style",
            what=f"Dealing style {style} looks to be dealt, not {rules.options['dealing_style']}",
            referee=_referee(table, other),
            weight=rates["other_style"],
            is_judged_by_sides=True,
        )
        for style in others
        if (other := _elected(table, style)) is not None
    ]
    return [boxes, bets, *styles]


def _elected(table: TableConfig, style: str) -> Rules | None:
    """The table's rules with another dealing style; None where its other options exclude that."""
    try:
        return elect(table.rules.rulebook, {**table.options, "dealing_style": style})
    except OptionError:
        return None
