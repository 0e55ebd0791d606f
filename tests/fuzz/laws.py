"""A law is a named function of a drawn case that must not fail; cases are plain JSON values.

Everything that the fuzzer knows about what it runs is here. A case is plain data, so a failure is a file that people
can read, and that can be replayed whatever becomes of the strategy that drew it.
"""

from __future__ import annotations

import json
import shutil
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from hypothesis.errors import UnsatisfiedAssumption
from hypothesis.strategies import SearchStrategy

FAILURES = Path(__file__).parent / "failures"
Case = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Law:
    """What must be true of every case.

    Parameters
    ----------
    name : str
    cases : SearchStrategy
        Draws JSON objects.
    check : function
        Raises an error for a case that breaks the law; may call ``assume``.
    round : int
        Number of cases that the fuzzer tries with one seed; a round should last a few seconds.
    quick : int
        Number of cases in ``make test``.
    lacking : str
        The program that it needs and that is not installed, if that is so; it is skipped then.
    """

    name: str
    cases: SearchStrategy[Case]
    check: Callable[[Case], None]
    round: int
    quick: int
    lacking: str = ""


def law(
    name: str, cases: SearchStrategy[Case], *, round: int, quick: int, needs: str | None = None
) -> Callable[[Callable[[Case], None]], Law]:
    """Make a law of a function that checks a case; it may need a program."""
    lacking = needs if needs and shutil.which(needs) is None else ""
    return lambda check: Law(name, cases, check, round, quick, lacking)


def laws_in(*modules: Any) -> dict[str, Law]:
    """The laws that modules define, by name."""
    return {each.name: each for module in modules for each in vars(module).values() if isinstance(each, Law)}


# ---- failures -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that broke a law.

    Parameters
    ----------
    law : str
    seed : int
        Of the round in which it was found.
    case : dict or None
        None if no case could be drawn.
    error : str
        The traceback, or what became of the process.
    place : str
        Kind of error, and where it was raised; failures with the same place are counted as one.
    """

    law: str
    seed: int
    case: Case | None
    error: str
    place: str

    @classmethod
    def of(cls, law: str, seed: int, case: Case | None, error: BaseException) -> Failure:
        """The failure that an error stands for."""
        text = "".join(traceback.format_exception(error))
        return cls(law, seed, case, text, f"{type(error).__name__} at {_raised_at(error)}")

    @property
    def file_name(self) -> str:
        """The name of its file: the law, and what tells it from other failures of the law."""
        return f"{self.law}-{sha256(self.place.encode()).hexdigest()[:8]}.json"

    def save(self, folder: Path) -> Path:
        """Write the file that is replayed."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.file_name
        document = {"law": self.law, "seed": self.seed, "place": self.place, "case": self.case}
        text = json.dumps(document, indent=1, ensure_ascii=False)
        path.write_text(f"{text}\n", encoding="utf-8", errors="surrogateescape")
        return path


def _raised_at(error: BaseException) -> str:
    """The innermost line of the project that an error came through, without its number, which changes."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "site-packages" not in f.filename]
    frame = frames[-1] if frames else None
    return f"{Path(frame.filename).name}:{frame.name}: {frame.line}" if frame else "an unknown line"


def replay(path: Path, laws: Mapping[str, Law]) -> Failure | None:
    """Check the case of a file again; None if the law holds, or if this is no longer a case of it."""
    document = json.loads(path.read_text(encoding="utf-8"))
    name, case = document["law"], document["case"]
    try:
        laws[name].check(case)
    except UnsatisfiedAssumption:
        return None
    except Exception as error:
        return Failure.of(name, document["seed"], case, error)
    return None
