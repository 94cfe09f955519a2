"""A room with a reviewed shift."""

from tests.service.corrections.conftest import Reviewed, reviewed, seed

__all__ = ["Reviewed", "reviewed", "seed"]
