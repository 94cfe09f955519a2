"""Index finder and reader may not get worse than `models/metrics.yaml` on drawn fans of decks training never saw."""

from __future__ import annotations

from thirdcard.models.index.index_evaluate import exam_figures, exam_readout
from thirdcard.models.index.index_reader_crops import CLASSES
from thirdcard.models.publishing import floors_of, shortfalls
from thirdcard.vision.inference.index_finder import IndexFinder
from thirdcard.vision.inference.index_reader import IndexReader
from thirdcard.vision.inference.model_spec import load_model_spec


def test_shipped_index_models_keep_their_floors() -> None:
    figures = exam_figures(exam_readout(IndexFinder.open(), IndexReader.open()))
    assert figures["wanted"] >= 200, "too few to tell"
    assert figures["sure"] >= 50, "too few to tell"
    assert shortfalls(figures, floors_of("index")) == [], figures


def test_registry_declares_the_index_models_and_all_weights_stay_small() -> None:
    specs = [
        load_model_spec(name) for name in ("detector", "reader", "comparer", "gauge", "index_finder", "index_reader")
    ]
    for spec in specs:
        spec.check_weights()
    assert load_model_spec("index_reader").classes == CLASSES
    assert load_model_spec("index_reader").setting("temperature") >= 1.0
    assert sum(spec.weights.stat().st_size for spec in specs) < 20_000_000
