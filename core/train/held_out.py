"""The metrics of held-out anchors under an encoder."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from .metrics import FloatArray, ranking_metrics
from .rows import Scored
from .split import Row
from .texts import Texts

Encode = Callable[[list[str]], npt.NDArray[np.float32]]


def held_out_metrics(rows: Sequence[Row], texts: Texts, encode: Encode) -> dict[str, FloatArray]:
    """Return each metric of each row, from how an encoder ranks what the LM scored.

    `encode` maps n texts to vectors (n, d). Candidates are ranked by the inner product with the anchor, as `dqlore
    index` finds them, and sets by their probability under CEIL's process. Raises
    FloatingPointError for vectors that are no numbers.
    """
    wanted = [text for row in rows for text in _texts(row, texts)]
    place = {text: i for i, text in enumerate(dict.fromkeys(wanted))}
    vectors = encode(list(place))
    if not np.isfinite(vectors).all():
        raise FloatingPointError("an embedding of the held-out anchors is not a finite number")
    scored = []
    for row in rows:
        anchor, *candidates = (vectors[place[text]] for text in _texts(row, texts))
        scored.append(_similarities(row, anchor, np.stack(candidates)))
    return ranking_metrics([row.scores for row in rows], scored)


def _texts(row: Row, texts: Texts) -> list[str]:
    return [texts.anchor[row.anchor], *(texts.exemplar[name] for name in row.candidates)]


def _similarities(
    row: Row, anchor: npt.NDArray[np.float32], candidates: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    if isinstance(row, Scored):
        return np.asarray(candidates.astype(np.float64) @ anchor.astype(np.float64))
    import torch

    from .ceil import log_probabilities

    sets = torch.tensor(row.sets)
    return np.asarray(log_probabilities(torch.from_numpy(anchor), torch.from_numpy(candidates), sets))
