"""Evaluate a reader: accuracy by card width and by rotation, and confusions.

Evaluates a network (torch) or an ONNX file on crops of decks not used in training: `python -m
thirdcard.models.reader.reader_evaluate models/weights/reader-….onnx`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.deck import machine_deck
from thirdcard.models.reader.reader_bank import BACK, TextureBank, open_bank, shrink
from thirdcard.models.reader.reader_crops import CLASSES, UNCLEAR, CropDifficulty, ReaderSchool
from thirdcard.models.reader.reader_photos import read_photographs

WIDTH_BANDS_PX = ((32, 40), (40, 50), (50, 65), (65, 110))
TURN_BANDS_DEG = ((-45, 45), (45, 135), (135, 225), (225, 315))
CONFIDENCE_BANDS = ((0.0, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 0.97), (0.97, 0.99), (0.99, 0.999), (0.999, 1.1))
EXAM_SEEDS = (9001, 9004, 9008)
LEAST_WEIGHT, MOST_WEIGHT = 0.5, 3.0
"""Bounds of a deck's weight in training; a deck misread as often as the average deck has 1."""
TRIED = CropDifficulty(strength=0.7, width_px=(38.0, 75.0), unclear=0.0, occluded=0.0)
"""Settings of the crops on which the decks are tried for that weight."""
Logits = npt.NDArray[np.float32]
Read = Callable[[npt.NDArray[np.uint8]], Logits]
"""A function from (N, 112, 80, 3) RGB to (N, classes) logits."""


@dataclass(frozen=True, slots=True)
class LessonBook:
    """Crops kept for evaluation."""

    pictures: npt.NDArray[np.uint8]
    """(N, 112, 80, 3) RGB."""
    labels: npt.NDArray[np.int64]
    told: npt.NDArray[np.float32]
    """(N, 2): width in px, rotation in degrees."""


@dataclass(frozen=True, slots=True)
class ReaderFigures:
    """Metrics over a set of crops; shares are of the crops with a readable face or back unless stated otherwise."""

    right: float
    by_width: dict[str, float]
    by_turn: dict[str, float]
    said_unclear: float
    """Share of readable crops classified as unclear."""
    unclear_found: float
    """Share of unclear crops classified as unclear, or read with a confidence below 0.9."""
    confident: float
    """Share of readable crops read with a confidence of 0.99 or more."""
    wrong_when_confident: float
    """Share of those that are wrong."""
    confusions: tuple[tuple[str, str, int], ...]

    def text(self) -> str:
        """Return the metrics as one paragraph for a log."""
        widths = ", ".join(f"{band} px {share:.4f}" for band, share in self.by_width.items())
        turns = ", ".join(f"{band} {share:.4f}" for band, share in self.by_turn.items())
        pairs = ", ".join(f"{truth} read {read} x{count}" for truth, read, count in self.confusions)
        return (
            f"right {self.right:.4f}; {widths}; {turns}; readable said unclear {self.said_unclear:.4f}; "
            f"unclear found {self.unclear_found:.4f}; at 0.99: {self.confident:.4f}, "
            f"wrong {self.wrong_when_confident:.5f}; {pairs}"
        )


def draw_lessons(bank: TextureBank, *, seed: int, count: int, lesson: CropDifficulty | None = None) -> LessonBook:
    """Draw crops for evaluation; artwork and generated decks have about equal weight."""
    machine = sum(name.startswith("machine:") for name in bank.names)
    artwork_weight = machine / max(1, len(bank.names) - machine)
    school = ReaderSchool(bank, seed=seed, lesson=lesson or CropDifficulty(), artwork_weight=artwork_weight)
    return LessonBook(*school.batch(count))


def deck_weights(bank: TextureBank, read: Read, *, seed: int, crops: int) -> npt.NDArray[np.float64]:
    """Return how often each deck is drawn, (decks,): decks misread more often get more weight, within bounds.

    The bounds keep decks that cannot be read at all from filling the training.

    Args:
        bank: The decks.
        read: The reader with which training starts.
        seed: Seed of the crops.
        crops: Number of crops per deck; a correct but unsure reading counts in part.
    """
    school = ReaderSchool(bank, seed=seed, lesson=TRIED)
    losses = np.zeros(len(bank.names))
    for deck in range(len(bank.names)):
        school.weigh(np.eye(1, len(bank.names), deck)[0])
        pictures, labels, _ = school.batch(crops)
        logits = read(pictures).astype(np.float64)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        losses[deck] = 1.0 - (shares[np.arange(crops), labels] / shares.sum(axis=1)).mean()
    weights: npt.NDArray[np.float64] = np.clip(losses / max(float(losses.mean()), 1e-9), LEAST_WEIGHT, MOST_WEIGHT)
    return weights


def exam_bank() -> TextureBank:
    """Draw the generated decks for the final evaluation, which training must not use.

    They are few enough to be drawn each time.
    """
    decks = [machine_deck(seed) for seed in EXAM_SEEDS]
    textures = np.stack([[shrink(deck.face(card)) for card in deck.cards] + [shrink(deck.back())] for deck in decks])
    boxes = tuple(deck.index_boxes_mm for deck in decks)
    has = np.ones((len(decks), BACK + 1), dtype=np.bool_)
    return TextureBank(textures, tuple(deck.name for deck in decks), boxes, has)


def exam_figures(read: Read, bank: TextureBank) -> dict[str, float]:
    """Return the metrics that `models/metrics.yaml` requires of the reader."""
    lesson = CropDifficulty(strength=0.2, width_px=(58, 63), unclear=0.0, occluded=0.0, neighbours=0.4, cloths=20)
    pictures, labels, _ = ReaderSchool(bank, seed=1, lesson=lesson).batch(400)
    return {"clean": float((read(pictures).argmax(axis=1) == labels).mean())}


def judge(logits: Logits, book: LessonBook) -> ReaderFigures:
    """Compare logits, (N, 54), with the labels of a set of crops."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    confidence, read = (shifted / shifted.sum(axis=1, keepdims=True)).max(axis=1), logits.argmax(axis=1)
    readable = book.labels != UNCLEAR
    right = read == book.labels
    width, turn = book.told[:, 0], (book.told[:, 1] + 45) % 360 - 45
    sure = readable & (confidence >= 0.99) & (read != UNCLEAR)
    pairs = Counter(zip(book.labels[readable & ~right], read[readable & ~right], strict=True))
    return ReaderFigures(
        right=_share(right, readable),
        by_width={f"{a}-{b}": _share(right, readable & (width >= a) & (width < b)) for a, b in WIDTH_BANDS_PX},
        by_turn={f"{(a + b) // 2} deg": _share(right, readable & (turn >= a) & (turn < b)) for a, b in TURN_BANDS_DEG},
        said_unclear=_share(read == UNCLEAR, readable),
        unclear_found=_share((read == UNCLEAR) | (confidence < 0.9), ~readable),
        confident=_share(sure, readable),
        wrong_when_confident=_share(~right, sure),
        confusions=tuple((CLASSES[a], CLASSES[b], n) for (a, b), n in pairs.most_common(12)),
    )


def evaluate(net: Any, book: LessonBook) -> ReaderFigures:
    """Evaluate a torch network, on the device that it is on."""
    import torch

    net.eval()
    device = next(net.parameters()).device
    logits = []
    with torch.no_grad():
        for start in range(0, len(book.labels), 250):
            part = torch.from_numpy(book.pictures[start : start + 250]).to(device)
            logits.append(net(part.permute(0, 3, 1, 2).float() / 255).float().cpu().numpy())
    return judge(np.concatenate(logits), book)


def onnx_reader(path: Path) -> Read:
    """Return a function from pictures (N, 112, 80, 3) RGB to logits (N, 54)."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name

    def read(pictures: npt.NDArray[np.uint8]) -> Logits:
        planes = np.ascontiguousarray(pictures.transpose(0, 3, 1, 2), dtype=np.float32) / 255
        parts = [session.run(None, {name: planes[i : i + 64]})[0] for i in range(0, len(planes), 64)]
        return np.concatenate(parts)

    return read


def _share(what: npt.NDArray[np.bool_], among: npt.NDArray[np.bool_]) -> float:
    return float(what[among].mean()) if among.any() else float("nan")


def main(arguments: list[str] | None = None) -> int:
    """Print the metrics, reliability and confusions of an ONNX file, as in a model card; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.reader.reader_evaluate", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("weights", type=Path)
    parser.add_argument("--bank", type=Path, default=Path("build/reader/held_out.npy"))
    parser.add_argument("--photos", type=Path, help="optional: a folder with annotations.json and images/")
    parser.add_argument("--count", type=int, default=4000, help="crops per row")
    parser.add_argument("--temperature", type=float, default=1.0)
    told = parser.parse_args(arguments)
    read = onnx_reader(told.weights)
    books = _books(open_bank(told.bank), told.photos, told.count)
    judged = {name: judge(read(book.pictures) / told.temperature, book) for name, book in books.items()}
    sys.stdout.write("\n".join([*_table(judged), "", *_reliability(read, books, told.temperature), ""]))
    for name, judgement in judged.items():
        pairs = ", ".join(f"{truth} read {said} {count} x" for truth, said, count in judgement.confusions)
        sys.stdout.write(f"{name}: {pairs}\n")
    return 0


def _books(bank: TextureBank, photos: Path | None, count: int) -> dict[str, LessonBook]:
    usual = CropDifficulty(strength=0.55, width_px=(45.0, 70.0), unclear=0.0, occluded=0.0)
    lessons = {"all a camera does": CropDifficulty(), "usual camera, 45 to 70 px": usual}
    books = {}
    for kind, weight in (("machine-drawn decks", 0.0), ("artwork decks", 1e6)):
        if weight and all(name.startswith("machine:") for name in bank.names):
            continue
        for difficulty, lesson in lessons.items():
            school = ReaderSchool(bank, seed=4711, lesson=lesson, artwork_weight=weight)
            books[f"{kind}, {difficulty}"] = LessonBook(*school.batch(count))
    if photos is not None:
        kept = read_photographs(photos / "annotations.json", validation=True)
        for difficulty, lesson in lessons.items():
            only = replace(lesson, photos=1.0, unclear=0.0)
            school = ReaderSchool(bank, seed=4712, lesson=only, photos=kept)
            books[f"photographs kept aside, {difficulty}"] = LessonBook(*school.batch(count))
    return books


def _table(judged: dict[str, ReaderFigures]) -> list[str]:
    first = next(iter(judged.values()))
    columns = [
        "right",
        *(f"{band} px" for band in first.by_width),
        *first.by_turn,
        "unclear found",
        "said at 0.99",
        "wrong then",
    ]
    lines = ["| crops | " + " | ".join(columns) + " |", "| --- |" + " --- |" * len(columns)]
    for name, judgement in judged.items():
        shares = [judgement.right, *judgement.by_width.values(), *judgement.by_turn.values()]
        shares += [judgement.unclear_found, judgement.confident, judgement.wrong_when_confident]
        cells = ["" if np.isnan(share) else f"{100 * share:.2f} %" for share in shares]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def _reliability(
    read: Callable[[npt.NDArray[np.uint8]], Logits], books: dict[str, LessonBook], temperature: float
) -> list[str]:
    """Return a Markdown table of the accuracy of readings by confidence, over all rows."""
    sure, right = [], []
    for book in books.values():
        logits = read(book.pictures) / temperature
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        sure.append((shares / shares.sum(axis=1, keepdims=True)).max(axis=1))
        right.append(logits.argmax(axis=1) == book.labels)
    confidence, correct = np.concatenate(sure), np.concatenate(right)
    lines = ["| confidence | crops | right |", "| --- | --- | --- |"]
    for low, high in CONFIDENCE_BANDS:
        inside = (confidence >= low) & (confidence < high)
        if inside.any():
            lines.append(f"| {low} to {min(high, 1.0)} | {inside.sum()} | {100 * correct[inside].mean():.2f} % |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
