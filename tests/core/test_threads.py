import threading
import time
from collections.abc import Iterator

import pytest
import torch

from dqlore.core.threads import parallel_map


@pytest.fixture(autouse=True)
def four_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)


def threads_of_a_new_thread() -> int:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(torch.get_num_threads()))
    thread.start()
    thread.join()
    return found[0]


def test_workers_divide_the_threads_and_nobody_else_notices() -> None:
    with parallel_map(2) as mapped:
        assert list(mapped(lambda part: (part, torch.get_num_threads()), "abc")) == [("a", 2), ("b", 2), ("c", 2)]
        assert torch.get_num_threads() == threads_of_a_new_thread() == 4
    assert torch.get_num_threads() == threads_of_a_new_thread() == 4


@pytest.mark.parametrize("parts", [0, 1])
def test_a_single_part_stays_in_its_thread(parts: int) -> None:
    with parallel_map(parts) as mapped:
        assert list(mapped(lambda part: threading.current_thread(), [1])) == [threading.current_thread()]


def test_an_error_calls_off_what_has_not_begun() -> None:
    begun: list[int] = []

    def work(part: int) -> None:
        begun.append(part)
        if part == 1:
            raise ZeroDivisionError
        time.sleep(0.02)

    with pytest.raises(ZeroDivisionError), parallel_map(2) as mapped:
        for _ in mapped(work, range(200)):
            pass
    assert len(begun) < 20
