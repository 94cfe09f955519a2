"""Evaluate how much an enrolled deck helps the reader, and whether a wrong one harms it.

Each deck of a bank is enrolled from a few easy crops per card and then read from realistic camera crops: `python -m
thirdcard.models.reader.enrolment_evaluate --bank build/reader/held_out.npy`.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thirdcard.models.reader.reader_bank import BACK, TextureBank, open_bank
from thirdcard.models.reader.reader_crops import CLASSES, CropDifficulty, ReaderSchool
from thirdcard.vision.inference.enrolled_deck import EnrolledFace, HouseDeck
from thirdcard.vision.inference.enrolled_reader import SharpReader
from thirdcard.vision.inference.reader import Reader

ENROLLED_CROPS = 3
MILD = CropDifficulty(strength=0.3, width_px=(50.0, 70.0), unclear=0.0, occluded=0.0, neighbours=0.0, cloths=12)
HARD = CropDifficulty(unclear=0.0, cloths=12)
USUAL = CropDifficulty(strength=0.55, width_px=(45.0, 70.0), unclear=0.0, occluded=0.0, cloths=12)
WHOLE = slice(6, 74)


class _Course(ReaderSchool):
    """Draws crops of one deck, always of the card in `wanted`."""

    wanted: int | None = None

    def _label(self, deck: int) -> int:
        if self.wanted is None or not self._bank.has[deck, self.wanted]:
            return super()._label(deck)
        return self.wanted


@dataclass(frozen=True, slots=True)
class Tally:
    """Number of crops, and of those read correctly in each way."""

    crops: int = 0
    plain: int = 0
    enrolled: int = 0
    other: int = 0
    sure: int = 0
    """Crops read at 0.99 or more with the enrolled deck."""
    wrong_then: int = 0
    plain_sure: int = 0
    plain_wrong_then: int = 0

    def plus(self, more: Tally) -> Tally:
        """Return the sum of both."""
        return Tally(*(getattr(self, key) + getattr(more, key) for key in self.__slots__))

    def line(self, name: str) -> str:
        """Return a row of the Markdown table."""
        shares = [self.plain / self.crops, self.enrolled / self.crops, self.other / self.crops]
        cells = [f"{100 * share:.2f} %" for share in shares]
        cells += [f"{self.plain_sure} ({self.plain_wrong_then})", f"{self.sure} ({self.wrong_then})"]
        return f"| {name} | {self.crops} | " + " | ".join(cells) + " |"


def enrolled_deck(bank: TextureBank, *, seed: int) -> HouseDeck:
    """Enrol a deck from easy crops: each pixel is the median of some crops, all turned the same way up."""
    course = _Course(bank, seed=seed, lesson=MILD)
    faces = {}
    for label, name in enumerate(CLASSES[: BACK + 1]):
        if not bank.has[0, label]:
            continue
        course.wanted = label
        crops: list[npt.NDArray[np.uint8]] = []
        while len(crops) < ENROLLED_CROPS:
            made = course.crop()
            if made.label == label:
                crops.append(_same_end_up(np.ascontiguousarray(made.picture[..., ::-1]), crops))
        faces[name] = EnrolledFace(np.median(crops, axis=0).astype(np.uint8), WHOLE)
    return HouseDeck(bank.names[0], faces)


def judge(
    reader: Reader, bank: TextureBank, decks: list[HouseDeck], *, own: int, count: int, lesson: CropDifficulty
) -> Tally:
    """Read some crops of one deck without enrolment, with the deck enrolled, and with another deck enrolled."""
    book = ReaderSchool(bank, seed=9 + own, lesson=lesson).batch(count)
    crops = [np.ascontiguousarray(picture[..., ::-1]) for picture in book[0]]
    labels = book[1]
    kept = labels < BACK
    crops, labels = [crop for crop, keep in zip(crops, kept, strict=True) if keep], labels[kept]
    plain = reader.read(crops)
    sharp = SharpReader(reader, decks[own])
    sharp.read(crops[:30])
    told = sharp.read(crops)
    misled = SharpReader(reader, decks[(own + 1) % len(decks)])
    misled.read(crops[:30])
    other = misled.read(crops)
    right = told.log_probs.argmax(axis=1) == labels
    plainly = plain.log_probs.argmax(axis=1) == labels
    sure, plain_sure = told.confidence >= 0.99, plain.confidence >= 0.99
    return Tally(
        len(labels),
        int(plainly.sum()),
        int(right.sum()),
        int((other.log_probs.argmax(axis=1) == labels).sum()),
        int(sure.sum()),
        int((sure & ~right).sum()),
        int(plain_sure.sum()),
        int((plain_sure & ~plainly).sum()),
    )


def _same_end_up(crop: npt.NDArray[np.uint8], others: list[npt.NDArray[np.uint8]]) -> npt.NDArray[np.uint8]:
    """Return the crop or its half turn, whichever is more similar to the first of `others`."""
    if not others:
        return crop
    turned, first = np.ascontiguousarray(crop[::-1, ::-1]), others[0].astype(np.float32)
    off = [float(np.abs(each.astype(np.float32) - first).mean()) for each in (crop, turned)]
    return crop if off[0] <= off[1] else turned


def one_deck(bank: TextureBank, index: int) -> TextureBank:
    """Return a bank with a single deck."""
    part = slice(index, index + 1)
    return TextureBank(bank.textures[part], bank.names[part], bank.index_boxes_mm[part], bank.has[part])


def main(arguments: list[str] | None = None) -> int:
    """Print a table of the accuracy without enrolment, with the own deck, and with another one; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.reader.enrolment_evaluate", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--bank", type=Path, default=Path("build/reader/held_out.npy"))
    parser.add_argument("--count", type=int, default=120, help="crops a deck and row")
    parser.add_argument("--decks", type=int, default=0, help="so many decks only, spread over the bank; 0: all")
    told = parser.parse_args(arguments)
    bank, reader = open_bank(told.bank), Reader.open()
    indices = list(range(len(bank.names)))
    if told.decks:
        indices = [indices[int(i)] for i in np.linspace(0, len(indices) - 1, told.decks)]
    banks = [one_deck(bank, i) for i in indices]
    decks = [enrolled_deck(each, seed=7000 + i) for i, each in zip(indices, banks, strict=True)]
    sys.stdout.write(
        "| crops | count | plain | own deck enrolled | another enrolled | at 0.99 plain (wrong) | enrolled (wrong) |\n"
    )
    sys.stdout.write("| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
    for name, lesson in (("all a camera does", HARD), ("usual camera, 45 to 70 px", USUAL)):
        for kind, is_machine in (("machine-drawn decks", True), ("artwork decks", False)):
            tally = Tally()
            for own, each in enumerate(banks):
                if each.names[0].startswith("machine:") == is_machine:
                    tally = tally.plus(judge(reader, each, decks, own=own, count=told.count, lesson=lesson))
            if tally.crops:
                sys.stdout.write(tally.line(f"{kind}, {name}") + "\n")
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
