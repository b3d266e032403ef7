"""What an evaluation costs beside the model: throughput and memory against a server that answers after 200 ms.

    python bench/eval_overhead.py [--questions 5000] [--concurrency 64]

The server is a process of its own on the loopback address. Ideal throughput is concurrency / 0.2 s per request; the
table gives the share of it that each method reaches, and the memory after a tenth of the questions and at the end.
"""

import argparse
import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DELAY = 0.2
REPLY = {
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "First 3, then 4 more.\nThe answer is 7."},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 900, "completion_tokens": 12},
}


async def serve() -> None:
    """Answer every request after DELAY seconds, connections kept open; print the port first."""
    body = json.dumps(REPLY).encode()
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"(?i)content-length: *(\d+)", head)
                await reader.readexactly(int(length[1]) if length else 0)
                await asyncio.sleep(DELAY)
                writer.write(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(client, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


def memory_mb() -> float:
    """Return the resident memory of this process in MB."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--questions", type=int, default=5000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--methods", default="cot,bm25,epr+dq,dq-lore")
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve())
        return
    server = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        measure(given, int(server.stdout.readline()))
    finally:
        server.kill()


def measure(given: argparse.Namespace, port: int) -> None:
    from dqlore.commands.running import run
    from dqlore.core import Exemplar, Parts, Pool, load_settings
    from dqlore.core.evaluate.questions import Questions
    from dqlore.core.evaluate.run import Plan, evaluate
    from dqlore.core.evaluate.tally import Tally
    from dqlore.core.methods import find_method
    from dqlore.core.starter import starter_pool

    shown = [e.question for e in starter_pool()]
    rows = tuple(
        Exemplar(f"q{i}", f"{shown[i % len(shown)]} (variant {i})", "3 + 4 = 7", "7") for i in range(given.questions)
    )
    questions = Questions("overhead", "test", "number", Pool(rows, "overhead"))
    columns = ("method", "calls", "seconds", "calls/s", "of ideal", "CPU ms/call", "MB at 10 %", "MB at end")
    print("".join(f"{column:>12}" for column in columns))
    for method in given.methods.split(","):
        with tempfile.TemporaryDirectory() as folder:
            settings = load_settings(
                {
                    "lm": {"name": "openai:stub", "max_tokens": 64},
                    "endpoint": {"base_url": f"http://127.0.0.1:{port}/v1", "concurrency": given.concurrency},
                    "cache": {"path": Path(folder) / "cache", "enabled": True},
                    "task": {"kind": "number"},
                }
            )
            memory: list[float] = []

            def tell(tally: Tally, memory: list[float] = memory) -> None:
                if tally.done in (given.questions // 10, given.questions):
                    memory.append(memory_mb())

            parts = Parts(settings, pool=starter_pool())
            if find_method(method).encodes:
                parts.index.vectors  # noqa: B018 - built before the clock starts
            started, used = time.perf_counter(), time.process_time()
            run(parts, evaluate(parts, method, questions, Plan(), Path(folder) / "run", tell=tell))
            seconds, used = time.perf_counter() - started, time.process_time() - used
        calls = given.questions * find_method(method).lm_calls
        ideal = given.concurrency / DELAY
        rate = calls / seconds
        cells = (
            method,
            calls,
            f"{seconds:.2f}",
            f"{rate:.1f}",
            f"{rate / ideal:.1%}",
            f"{used / calls * 1e3:.2f}",
            f"{memory[0]:.0f}",
            f"{memory[-1]:.0f}",
        )
        print("".join(f"{cell:>12}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
