"""Many molecules at once: read by several processes, and cached.

The texts are divided into batches, and each batch is described separately
(`structtree.data.readers.molecules.descriptors`), by this or another process, with the same result. Processes are
started as plain programs, so that they do not run the caller's script, and Ctrl-C does not reach them: they end with
this process, when their input is closed. If they cannot be started, this process reads all batches.

The key of the cache is a digest of the texts, the reading options, and the versions of RDKit and of this format.
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
"""Minimum number of molecules for several processes, which take a second to start."""

CACHED_FROM = 1000
"""Minimum number of molecules to cache."""

CACHE_LIMIT = 2_000_000_000
"""Maximum size of the cache in bytes."""

NUMBERS_FORMAT = 2
"""Version of the numbers; raise it whenever they or their computation change."""

MAX_PROCESSES = 32


def read_numbers(
    items: Sequence[Any], recipe: Recipe, *, cache: bool = True, processes: int | None = None
) -> MoleculeNumbers:
    """Return the numbers of molecules, from the cache or computed by one or more processes.

    Parameters
    ----------
    items : sequence of str, RDKit molecules or None
        Texts may be read by other processes and are cached.
    recipe : Recipe
    cache : bool
        Whether to cache the numbers of many texts.
    processes : int, optional
        Number of processes; by default one per processor if there are many texts.

    Examples
    --------
    >>> read_numbers(["CCO", "C"], Recipe())["n_atoms"].tolist()
    [3, 1]
    """
    are_texts = all(item is None or isinstance(item, str) for item in items)
    if not (cache and are_texts and len(items) >= CACHED_FROM):
        return _read(items, recipe, _n_processes(items, are_texts, processes))
    kept, key = FileCache(cache_folder("molecules"), ".npz", CACHE_LIMIT), _key(items, recipe)
    content = kept.get(key)
    if content is not None:
        with suppress(ValueError):  # the file is damaged and is written again
            return MoleculeNumbers.from_bytes(content)
    numbers = _read(items, recipe, _n_processes(items, are_texts, processes))
    kept.keep(key, numbers.to_bytes())
    return numbers


def _key(texts: Sequence[str | None], recipe: Recipe) -> str:
    import rdkit

    meant = {"format": NUMBERS_FORMAT, "rdkit": rdkit.__version__, "recipe": asdict(recipe), "texts": list(texts)}
    return hashlib.sha256(json.dumps(meant).encode()).hexdigest()


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
        with closing(_read_by_others(batches, recipe, processes)) as shared:
            for place, numbers in shared:
                found[place] = numbers
                done += numbers.n
                _tell(done, len(items))
    for place, batch in enumerate(batches):
        if place not in found:
            found[place] = describe_molecules(batch, recipe)
            done += len(batch)
            if len(batches) > 1:
                _tell(done, len(items))
    return joined([found[place] for place in range(len(batches))])


def _tell(done: int, total: int) -> None:
    report_status("reading", done, total, f"{done:,} of {total:,} molecules")


# ---- other processes ----------------------------------------------------------------------------------------

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from structtree.data.readers.molecules.batches import serve_batches; "
    "serve_batches(sys.stdin.buffer, sys.stdout.buffer)"
)


def _read_by_others(
    batches: Sequence[Sequence[str | None]], recipe: Recipe, processes: int
) -> Generator[tuple[int, MoleculeNumbers], None, None]:
    """Yield the index and numbers of each batch as it is read, without the batches that fail."""
    workers: list[subprocess.Popen[bytes]] = []
    pool = ThreadPoolExecutor(processes)
    try:
        idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        for _ in range(processes):
            workers.append(_started())
            idle.put(workers[-1])
        tasks = {pool.submit(_read_by_one, idle, batch, recipe): place for place, batch in enumerate(batches)}
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
    """Return a process that serves batches, in a separate group, which Ctrl-C does not reach."""
    if not sys.executable or getattr(sys, "frozen", False):
        raise OSError("this program is not a Python interpreter that can be started again")
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    command = [sys.executable, "-I", "-c", _PROGRAM, json.dumps(sys.path)]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, **apart)


def _read_by_one(
    idle: SimpleQueue[subprocess.Popen[bytes]], texts: Sequence[str | None], recipe: Recipe
) -> MoleculeNumbers | None:
    """Return the numbers that the next idle process computes, or None if it fails."""
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
    """Answer requests for the numbers of batches until the input ends.

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
