"""The errors of training and exporting models."""

from __future__ import annotations


class ModelsError(Exception):
    """Root of these errors; the text is one line."""


class ModelExportError(ModelsError):
    """A trained network cannot be exported in this way."""


class BelowFloorsError(ModelExportError):
    """A new model is worse than the floors allow, or was not evaluated."""
