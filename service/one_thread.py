"""What processes do that work side by side, one a core: each keeps to one thread.

Two that share their pictures among two threads each wait for one another, busily: a tenth of their time.
"""

from __future__ import annotations

import cv2


def keep_to_one_thread() -> None:
    """OpenCV begins no threads of its own in this process; models have one each as it is."""
    cv2.setNumThreads(1)
