"""Parallel and cached computation of molecular descriptors.

Molecules are divided into batches, which worker processes describe independently
(`structtree.data.readers.molecules.descriptors`). Workers are started as separate programs, so that they do not run
the caller's script and do not receive Ctrl-C; they exit when their input is closed, at the latest with this process.
If no worker can be started, this process describes all batches.

The cache key is a digest of the strings, the reading options, and the versions of RDKit and of this format.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, suppress
from dataclasses import asdict
from queue import SimpleQueue
from typing import IO, Any

from structtree.data.readers.caches import FileCache, cache_folder
from structtree.data.readers.molecules.descriptors import MoleculeNumbers, Recipe, describe_molecules, joined
from structtree.progress import report_status

__all__ = ["read_numbers", "serve_batches"]

BATCH = 500
"""Number of molecules per batch, which takes a few tenths of a second."""

SHARED_FROM = 3000
"""Minimum number of molecules for parallel reading; workers take a second to start."""

CACHED_FROM = 1000
"""Minimum number of molecules to cache."""

CACHE_LIMIT = 2_000_000_000
"""Maximum size of the cache in bytes."""

NUMBERS_FORMAT = 2
"""Version of the cached arrays; increase it whenever they or their computation change."""

MAX_PROCESSES = 32


def read_numbers(
    items: Sequence[Any], recipe: Recipe, *, cache: bool = True, processes: int | None = None
) -> MoleculeNumbers:
    """Return the descriptors of molecules, from the cache or computed by one or more processes.

    Parameters
    ----------
    items : sequence of str, RDKit molecules or None
        Only strings are sent to other processes and cached.
    recipe : Recipe
    cache : bool
        Whether to cache the descriptors of large inputs.
    processes : int, optional
        Number of processes; by default one per processor for large inputs.

    Examples
    --------
    >>> read_numbers(["CCO", "C"], Recipe())["n_atoms"].tolist()
    [3, 1]
    """
    are_texts = all(item is None or isinstance(item, str) for item in items)
    if not (cache and are_texts and len(items) >= CACHED_FROM):
        return _read(items, recipe, _n_processes(items, are_texts, processes))
    cached, key = FileCache(cache_folder("molecules"), ".npz", CACHE_LIMIT), _key(items, recipe)
    content = cached.get(key)
    if content is not None:
        with suppress(ValueError):  # the file is damaged and is written again
            return MoleculeNumbers.from_bytes(content)
    numbers = _read(items, recipe, _n_processes(items, are_texts, processes))
    cached.keep(key, numbers.to_bytes())
    return numbers


def _key(texts: Sequence[str | None], recipe: Recipe) -> str:
    import rdkit

    content = {"format": NUMBERS_FORMAT, "rdkit": rdkit.__version__, "recipe": asdict(recipe), "texts": list(texts)}
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _n_processes(items: Sequence[Any], are_texts: bool, wanted: int | None) -> int:
    """Return the number of processes, including this one."""
    if not are_texts:
        return 1
    if wanted is None:
        wanted = _n_processors() if len(items) >= SHARED_FROM else 1
    return min(wanted, MAX_PROCESSES, -(-len(items) // BATCH))


def _n_processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _read(items: Sequence[Any], recipe: Recipe, processes: int) -> MoleculeNumbers:
    batches = [items[start : start + BATCH] for start in range(0, max(len(items), 1), BATCH)]
    found: dict[int, MoleculeNumbers] = {}
    done = 0
    if processes > 1:
        with closing(_read_in_parallel(batches, recipe, processes)) as shared:
            for place, numbers in shared:
                found[place] = numbers
                done += numbers.n
                _report(done, len(items))
    for place, batch in enumerate(batches):
        if place not in found:
            found[place] = describe_molecules(batch, recipe)
            done += len(batch)
            if len(batches) > 1:
                _report(done, len(items))
    return joined([found[place] for place in range(len(batches))])


def _report(done: int, total: int) -> None:
    report_status("reading", done, total, f"{done:,} of {total:,} molecules")


# ---- worker processes ---------------------------------------------------------------------------------------

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from structtree.data.readers.molecules.batches import serve_batches; "
    "serve_batches(sys.stdin.buffer, sys.stdout.buffer)"
)


def _read_in_parallel(
    batches: Sequence[Sequence[str | None]], recipe: Recipe, processes: int
) -> Generator[tuple[int, MoleculeNumbers], None, None]:
    """Yield the index and descriptors of each batch when it is ready; failed batches are omitted."""
    workers: list[subprocess.Popen[bytes]] = []
    pool = ThreadPoolExecutor(processes)
    try:
        idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        for _ in range(processes):
            workers.append(_started())
            idle.put(workers[-1])
        tasks = {pool.submit(_read_by_worker, idle, batch, recipe): place for place, batch in enumerate(batches)}
        for task in as_completed(tasks):
            numbers = task.result()
            if numbers is not None:
                yield tasks[task], numbers
    except OSError:  # no process can be started; the caller reads the rest
        return
    finally:
        for worker in workers:
            worker.kill()
        pool.shutdown(cancel_futures=True)
        for worker in workers:
            worker.communicate()


def _started() -> subprocess.Popen[bytes]:
    """Start a worker process in its own process group, so that it does not receive Ctrl-C."""
    if not sys.executable or getattr(sys, "frozen", False):
        raise OSError("this program cannot be started again as a Python interpreter")
    group: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    command = [sys.executable, "-I", "-c", _PROGRAM, json.dumps(sys.path)]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, **group)


def _read_by_worker(
    idle: SimpleQueue[subprocess.Popen[bytes]], texts: Sequence[str | None], recipe: Recipe
) -> MoleculeNumbers | None:
    """Return the descriptors computed by the next idle worker, or None if it fails."""
    worker = idle.get()
    assert worker.stdin is not None and worker.stdout is not None  # because they are pipes
    try:
        _send(worker.stdin, json.dumps({"recipe": asdict(recipe), "texts": list(texts)}).encode())
        content = _received(worker.stdout)
        numbers = None if content is None else MoleculeNumbers.from_bytes(content)
        return numbers if numbers is not None and numbers.n == len(texts) else None
    except (OSError, ValueError):
        return None
    finally:
        idle.put(worker)


def serve_batches(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Compute the descriptors of batches on request until the input ends.

    Examples
    --------
    >>> import io
    >>> request, answer = io.BytesIO(), io.BytesIO()
    >>> _send(request, json.dumps({"recipe": asdict(Recipe()), "texts": ["CCO"]}).encode())
    >>> _ = request.seek(0)
    >>> serve_batches(request, answer)
    >>> _ = answer.seek(0)
    >>> MoleculeNumbers.from_bytes(_received(answer))["n_atoms"].tolist()
    [3]
    """
    while (content := _received(requests)) is not None:
        request = json.loads(content)
        _send(answers, describe_molecules(request["texts"], Recipe(**request["recipe"])).to_bytes())


def _send(stream: IO[bytes], content: bytes) -> None:
    stream.write(len(content).to_bytes(8, "big") + content)
    stream.flush()


def _received(stream: IO[bytes]) -> bytes | None:
    """Return the next message, or None if the stream has ended."""
    length = stream.read(8)
    if len(length) < 8:
        return None
    content = stream.read(int.from_bytes(length, "big"))
    return content if len(content) == int.from_bytes(length, "big") else None
