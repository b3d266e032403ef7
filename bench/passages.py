"""How often retrieval brings the paragraph that an XQuAD question is about: recall@1, 5 and 10 among its 240.

    DQLORE_DATA=FOLDER python bench/passages.py [--encoder minilm]

BM25 is taken without and with word endings folded, dense retrieval by the encoder. The last part says how many of ten
passages fit the window of the bundled language model beside a reply of up to 256 tokens.
"""

import argparse
import time
from collections import Counter
from collections.abc import Sequence

from dqlore.core.answer import prompts
from dqlore.core.evaluate.questions import dataset_questions
from dqlore.core.events import PassagesFound, Query
from dqlore.core.exemplars import Exemplar
from dqlore.core.lm.base import LM
from dqlore.core.parts import Parts
from dqlore.core.passages import Passage
from dqlore.core.select.passages import find_passages
from dqlore.core.settings import load_settings

CUTS = (1, 5, 10)
REPLY_TOKENS = 256


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", default="minilm")
    encoder = parser.parse_args().encoder
    rows = list(dataset_questions("xquad").rows)
    ways = {
        "bm25": {},
        "bm25, stem = english": {"bm25": {"stem": "english"}},
        f"dense, {encoder}": {"passages": {"retriever": "dense"}, "encoder": {"name": encoder}},
    }
    print(f"{len(rows)} questions\n{'':24}" + "".join(f"  recall@{k:<3}" for k in CUTS) + "  ms/question")
    found: list[PassagesFound] = []
    for name, flags in ways.items():
        parts = Parts(load_settings({**flags, "passages": {**flags.get("passages", {}), "path": "xquad"}}))
        find_passages(parts, [Query(rows[0].question)])  # what loads is not timed
        started = time.perf_counter()
        results = find_passages(parts, [Query(row.question) for row in rows])
        seconds = time.perf_counter() - started
        shares = "".join(f"  {recall(rows, results, k):10.4f}" for k in CUTS)
        print(f"{name:24}{shares}  {1000 * seconds / len(rows):11.2f}")
        found = found or results
    fitting(rows, found)


def recall(rows: list[Exemplar], results: list[PassagesFound], k: int) -> float:
    """Return the share of questions whose own paragraph is among the first k passages."""
    hits = (
        any(each.passage.text == row.meta["context"] for each in found.passages[:k])
        for row, found in zip(rows, results, strict=True)
    )
    return sum(hits) / len(rows)


def fitting(rows: list[Exemplar], results: list[PassagesFound]) -> None:
    lm = Parts(load_settings()).lm
    assert lm.context_window is not None
    kept, sizes = Counter[int](), []
    for row, found in zip(rows, results, strict=True):
        passages = [each.passage for each in found.passages]
        sizes.append(tokens := size(lm, row, passages))
        while passages and tokens > lm.context_window - REPLY_TOKENS:
            passages.pop()
            tokens = size(lm, row, passages)
        kept[len(passages)] += 1
    spread = ", ".join(f"{count} for {kept[count]} questions" for count in sorted(kept, reverse=True))
    print(f"\n{lm.name}, window of {lm.context_window} tokens: of 10 passages fit {spread}")
    print(f"prompts with all 10: {sum(sizes) / len(sizes):.0f} tokens in the mean, {max(sizes)} at most")


def size(lm: LM, row: Exemplar, passages: Sequence[Passage]) -> int:
    return lm.count_tokens(prompts.candidates(Query(row.question), passages, 2)) or 0


if __name__ == "__main__":
    main()
