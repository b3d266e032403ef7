"""Where candidates lie in two dimensions, before and after low-rank re-ranking. Arrays only."""

import numpy as np

from dqlore.core.events import Candidates


def flat_map(found: Candidates, *, centred: bool) -> np.ndarray:
    """Return the rows [E; q] (M+1, 2) along their first two right-singular directions, the target last.

    Not centred, this is what the retriever's inner product sees: all rows lie to one side, for they share most of
    their length. Centred by their mean, it is what LoRe keeps first (DQ-LoRe, section 3.3).
    """
    rows = np.vstack([found.vectors, found.query[None]]).astype(np.float64)
    if centred:
        rows -= rows.mean(axis=0)
    left, sizes, directions = np.linalg.svd(rows, full_matrices=False)
    # A direction's sign is free; its largest entry is made positive so that the map does not flip between questions.
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=1)[:, None], axis=1)[:, 0]
    points = (left * sizes * np.where(largest < 0, -1, 1))[:, :2]
    return np.pad(points, ((0, 0), (0, 2 - points.shape[1])))
