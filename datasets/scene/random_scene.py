"""Draw random moments at a table for training, lawful or not: anything that a detector may have to see."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.scene.looks import look_of
from thirdcard.datasets.scene.model import ArmObject, CardObject, ChipStack, CutCardObject, Point, Scene, World
from thirdcard.datasets.scene.table import table_outline

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
CARDS = tuple(f"{rank}{suit}" for suit in "CDHS" for rank in RANKS)


@dataclass(slots=True)
class _Draft:
    """A scene under construction."""

    world: World
    rng: np.random.Generator
    faces: tuple[str, ...]
    outline: npt.NDArray[np.float32]
    """(N, 1, 2): the cloth's edge, in mm."""
    cards: list[CardObject] = field(default_factory=list)
    stacks: list[ChipStack] = field(default_factory=list)
    arms: list[ArmObject] = field(default_factory=list)
    cuts: list[CutCardObject] = field(default_factory=list)
    dealt: set[str] = field(default_factory=set)
    """Ids of the cards in the hands' places: the dealer's arm is placed over them more often than elsewhere."""

    def name(self) -> str:
        return f"t{len(self.cards) + len(self.stacks) + len(self.arms) + len(self.cuts)}"

    def card(self, at: Point, angle: float, *, face_up: bool, height: float = 0.0, turn: float = 0.0) -> None:
        curl = (
            float(self.rng.choice([self.rng.uniform(1, 5), self.rng.uniform(4, 14)]))
            if self.rng.random() < 0.15
            else 0.0
        )
        face = str(self.rng.choice(self.faces))
        self.cards.append(
            CardObject(
                object_id=self.name(),
                card=face,
                face_up=face_up,
                at_mm=at,
                angle_deg=angle,
                height_mm=height,
                turn=turn,
                curl_mm=curl,
            )
        )

    def stack(self, at: Point, count: int, *, mixed: bool, height: float = 0.0) -> None:
        kinds = len(self.world.chips.chips)
        first = int(self.rng.integers(kinds))
        chips = tuple(
            int(self.rng.integers(kinds)) if mixed and self.rng.random() < 0.5 else first for _ in range(count)
        )
        seed = int(self.rng.integers(1 << 30))
        self.stacks.append(ChipStack(object_id=self.name(), at_mm=at, chips=chips, height_mm=height, seed=seed))

    def arm(self, tip: Point, *, dealer: bool, pose: str, height: float) -> None:
        width, depth = self.world.layout.size_mm
        if dealer:
            base = (float(tip[0] + self.rng.normal(0, 220)), -float(self.rng.uniform(60, 260)))
        elif tip[0] < width * 0.15 and self.rng.random() < 0.5:
            base = (-float(self.rng.uniform(80, 300)), float(tip[1] + self.rng.normal(60, 150)))
        elif tip[0] > width * 0.85 and self.rng.random() < 0.5:
            base = (width + float(self.rng.uniform(80, 300)), float(tip[1] + self.rng.normal(60, 150)))
        else:
            base = (float(tip[0] + self.rng.normal(0, 200)), depth + float(self.rng.uniform(60, 300)))
        owner = "dealer" if dealer else f"seat:{int(self.rng.integers(1, 8))}"
        seed = self.world.seed % 1000003 + int(self.rng.integers(8))
        self.arms.append(
            ArmObject(
                object_id=self.name(), owner=owner, tip_mm=tip, base_mm=base, height_mm=height, pose=pose, seed=seed
            )
        )

    def on_cloth(self, at: Point) -> bool:
        return cv2.pointPolygonTest(self.outline, (float(at[0]), float(at[1])), True) > 25

    def anywhere(self, margin: float = 60.0) -> Point:
        width, depth = self.world.layout.size_mm
        at = (0.0, 0.0)
        for _ in range(20):
            at = float(self.rng.uniform(margin, width - margin)), float(self.rng.uniform(margin, depth - margin))
            if self.on_cloth(at):
                break
        return at


def random_scene(world: World, rng: np.random.Generator, *, faces: tuple[str, ...] = CARDS) -> Scene:
    """Draw a scene; `faces` are the cards of the world's deck."""
    edge = table_outline(world.layout, look_of(world.style, world.seed).cloth.outline)
    draft = _Draft(world, rng, faces, edge.astype(np.float32)[:, None])
    if rng.random() > 0.06:
        _hands(draft)
        _loose_cards(draft)
        _wagers(draft)
        _banks(draft)
        _cut_cards(draft)
    _arms(draft)
    return Scene(
        t=float(rng.integers(1, 100000)) / 10,
        cards=tuple(draft.cards),
        stacks=tuple(draft.stacks),
        arms=tuple(draft.arms),
        cut_cards=tuple(draft.cuts),
        lamp_lit=bool(rng.random() < 0.5),
        discard_count=int(rng.choice(np.array([0, rng.integers(1, 60), rng.integers(60, 300)]))),
        light=float(np.clip(rng.normal(1, 0.03), 0.85, 1.15)),
    )


def _hands(draft: _Draft) -> None:
    rng = draft.rng
    width, height = draft.world.card_size_mm
    flip = 180.0 if rng.random() < 0.25 else 0.0
    jitter = float(rng.choice([1.0, 3.0, 8.0]))
    for area in draft.world.layout.of_kind("hand"):
        count = int(rng.choice([0, 1, 2, 3, 4], p=[0.12, 0.1, 0.42, 0.32, 0.04]))
        gap = float(rng.choice([rng.uniform(3, 30), rng.uniform(-45, 3)], p=[0.7, 0.3]))
        edge = area.polygon_mm[1] - area.polygon_mm[0]
        slope = float(np.degrees(np.arctan2(edge[1], edge[0]))) if abs(edge[0]) > abs(edge[1]) else 0.0
        x = area.centre_mm[0] - (width + gap) * rng.uniform(0.3, 1.1)
        y = area.centre_mm[1] + rng.normal(0, 8)
        up = rng.random() < 0.72
        for k in range(count):
            sideways = k == 2 and rng.random() < 0.6
            draft.dealt.add(draft.name())
            turned = 90.0 * rng.choice([-1, 1]) if sideways else 0.0
            at = (float(x + rng.normal(0, jitter * 0.6)), float(y + rng.normal(0, jitter * 0.6)))
            face_up = up if rng.random() < 0.85 else not up
            draft.card(at, slope + turned + flip + float(rng.normal(0, jitter)), face_up=bool(face_up))
            x += (width + height) / 2 + gap if k == 1 and count > 2 else width + gap


def _loose_cards(draft: _Draft) -> None:
    rng = draft.rng
    for _ in range(int(rng.poisson(2.2))):
        draft.card(draft.anywhere(), float(rng.uniform(0, 360)), face_up=bool(rng.random() < 0.6))
    if rng.random() < 0.35:
        _in_front_of_a_player(draft)
    if rng.random() < 0.4:
        _fan(draft)
    if rng.random() < 0.15:
        _pile(draft)
    for _ in range(int(rng.poisson(0.5))):
        turn = float(rng.uniform(0.05, 0.95))
        draft.card(
            draft.anywhere(150),
            float(rng.uniform(0, 360)),
            face_up=bool(rng.random() < 0.5),
            height=float(rng.uniform(0, 40)),
            turn=turn,
        )
    for _ in range(int(rng.poisson(0.5))):
        _carried(draft)


def _in_front_of_a_player(draft: _Draft) -> None:
    rng = draft.rng
    width, depth = draft.world.layout.size_mm
    at = (float(rng.uniform(250, width - 250)), float(depth * rng.uniform(0.55, 0.9)))
    lean = float(rng.normal(0, 25))
    for k in range(int(rng.integers(1, 4))):
        place = (at[0] + k * float(rng.uniform(15, 75)), at[1] + float(rng.normal(0, 10)))
        draft.card(place, lean + float(rng.normal(0, 12)), face_up=bool(rng.random() < 0.5))


def _fan(draft: _Draft) -> None:
    rng = draft.rng
    x, y = draft.anywhere(200)
    count, step, spread = int(rng.integers(3, 9)), float(rng.uniform(12, 40)), float(rng.uniform(-14, 14))
    start = float(rng.uniform(0, 360))
    face_up = bool(rng.random() < 0.65)
    for k in range(count):
        a = np.radians(start + spread * k)
        at = (float(x + np.cos(a) * step * k), float(y + np.sin(a) * step * k))
        draft.card(at, start + spread * k + float(rng.normal(0, 2)), face_up=face_up)


def _pile(draft: _Draft) -> None:
    """Add a small untidy pile, as cards that were gathered to be cleared."""
    rng = draft.rng
    x, y = draft.anywhere(150)
    lean, face_up = float(rng.uniform(0, 360)), bool(rng.random() < 0.6)
    for _ in range(int(rng.integers(2, 8))):
        at = (float(x + rng.normal(0, 5)), float(y + rng.normal(0, 5)))
        draft.card(at, lean + float(rng.normal(0, 6)), face_up=face_up)


def _carried(draft: _Draft) -> None:
    rng = draft.rng
    tip = draft.anywhere(120)
    dealer = tip[1] < draft.world.layout.size_mm[1] * 0.6 and rng.random() < 0.85
    height = float(rng.uniform(8, 70))
    before = len(draft.arms)
    draft.arm(tip, dealer=bool(dealer), pose=str(rng.choice(["grip", "grip", "reach"])), height=height + 12)
    arm = draft.arms[before]
    ahead = np.array(arm.tip_mm) - np.array(arm.base_mm)
    ahead /= max(float(np.linalg.norm(ahead)), 1e-6)
    at = np.array(tip) + ahead * rng.uniform(-20, 42)
    lean = float(np.degrees(np.arctan2(ahead[1], ahead[0]))) + 90 + float(rng.normal(0, 20))
    for k in range(int(rng.choice([1, 1, 2]))):
        turn = float(rng.choice([0.0, rng.uniform(0, 0.35)]))
        place = (float(at[0] + 9 * k), float(at[1] + 5 * k))
        draft.card(
            place, lean + 90 * int(rng.integers(0, 2)), face_up=bool(rng.random() < 0.45), height=height, turn=turn
        )


def _wagers(draft: _Draft) -> None:
    rng = draft.rng
    busy = float(rng.choice([0.08, 0.3, 0.6]))
    for area in draft.world.layout.of_kind("wager"):
        if rng.random() > busy:
            continue
        reach = np.sqrt(area.size_mm2) * 0.22
        spots = int(rng.choice([1, 1, 1, 2, 3]))
        for k in range(spots):
            at = (
                np.array(area.centre_mm)
                + rng.normal(0, reach * 0.6, 2)
                + k * np.array([draft.world.chips.diameter_mm * 1.03, 0])
            )
            draft.stack((float(at[0]), float(at[1])), _tall(rng), mixed=bool(rng.random() < 0.5))


def _tall(rng: np.random.Generator) -> int:
    return int(
        rng.choice(np.array([1, rng.integers(2, 6), rng.integers(5, 12), rng.integers(10, 21)]), p=[0.3, 0.4, 0.2, 0.1])
    )


def _banks(draft: _Draft) -> None:
    """Add the patrons' own stacks side by side near the edge, and sometimes a heap."""
    rng = draft.rng
    width, depth = draft.world.layout.size_mm
    wagers = [np.array(area.centre_mm) for area in draft.world.layout.of_kind("wager")]
    low = max((float(p[1]) for p in wagers), default=depth * 0.7)
    for _ in range(int(rng.integers(0, 8))):
        x = float(rng.uniform(120, width - 120))
        near = [p for p in wagers if abs(p[0] - x) < 200]
        y = min(max((float(p[1]) for p in near), default=low) + float(rng.uniform(90, 170)), depth - 40)
        pitch = draft.world.chips.diameter_mm * float(rng.choice([1.0, 1.03, 1.15]))
        for k in range(int(rng.integers(1, 6))):
            row = int(rng.random() < 0.25)
            at = (x + k * pitch + float(rng.normal(0, 1)), y + row * pitch * 0.9 + float(rng.normal(0, 1.5)))
            if draft.on_cloth(at):
                draft.stack(at, _tall(rng), mixed=bool(rng.random() < 0.3))
    for _ in range(int(rng.poisson(0.8))):
        draft.stack(draft.anywhere(), _tall(rng), mixed=True, height=float(rng.choice([0.0, 0.0, rng.uniform(5, 50)])))


def _cut_cards(draft: _Draft) -> None:
    rng = draft.rng
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.4, 0.38, 0.15, 0.07]))):
        at, angle = draft.anywhere(), float(rng.uniform(0, 360))
        height = float(rng.uniform(5, 50)) if rng.random() < 0.2 else 0.0
        draft.cuts.append(CutCardObject(object_id=draft.name(), at_mm=at, angle_deg=angle, height_mm=height))


def _arms(draft: _Draft) -> None:
    rng = draft.rng
    width, depth = draft.world.layout.size_mm
    for _ in range(int(rng.choice([0, 1, 2, 3, 4], p=[0.3, 0.3, 0.2, 0.12, 0.08]))):
        dealer = bool(rng.random() < 0.4)
        share = rng.uniform(0.05, 0.6) if dealer else rng.uniform(0.35, 1.06)
        tip = (float(rng.uniform(80, width - 80)), float(depth * share))
        dealt = [card for card in draft.cards if card.object_id in draft.dealt]
        things: list[CardObject | ChipStack] = [*draft.cards, *draft.stacks]
        if dealt and rng.random() < 0.4:
            things = [*dealt]
        if things and rng.random() < 0.6:
            near = things[int(rng.integers(len(things)))].at_mm
            tip = (float(near[0] + rng.normal(0, 25)), float(near[1] + rng.normal(0, 25)))
            dealer = bool(tip[1] < depth * 0.55)
        pose = str(rng.choice(["reach", "grip", "palm"]))
        draft.arm(tip, dealer=dealer, pose=pose, height=float(rng.uniform(8, 110)))
