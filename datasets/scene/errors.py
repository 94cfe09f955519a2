"""What can be wrong with what the renderer is given."""

from __future__ import annotations

from thirdcard.datasets.errors import DatasetsError


class StyleError(DatasetsError):
    """A world's style names a look that there is not, or gives it no fitting value."""


class CameraPoseError(DatasetsError):
    """A camera has no pose, or none can be found that sees all of a cloth."""
