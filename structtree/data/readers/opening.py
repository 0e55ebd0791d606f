"""Opening of data by name: a built-in dataset, a file, a folder, a URL, or a stream."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from structtree.data.datasets.catalog import Entry, dataset_catalog, dataset_names, load_dataset
from structtree.data.labels import Unlabelled, labelled_rows
from structtree.data.population import Population
from structtree.data.provenance import Provenance, provenance_of, record_values
from structtree.data.readers.databases.addresses import is_url, shown_url
from structtree.data.readers.graphs.reading import is_of_graphs
from structtree.data.readers.options import MoleculeOptions, ReadingOptions, given_options
from structtree.data.readers.sources import is_database, read_data, target_of
from structtree.data.readers.streams import STANDARD_INPUT, is_piped, spooled
from structtree.data.selection import excluded_attributes
from structtree.errors import MissingFileError, UsageError, WrongIndividualError, did_you_mean, option_text
from structtree.files import STANDARD_STREAM
from structtree.reprs import short_repr

__all__ = ["Opened", "open_data"]

_SEVERAL_FILES = ("c45", "tu", "tables")


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """Opened data: the individuals, their source, and their target if it is known."""

    name: str
    population: Population
    target: NDArray[Any] | None = None
    target_name: str | None = None
    description: str = ""
    source: str = ""
    grammar: str | None = None
    left_out: tuple[str, ...] = ()

    @property
    def provenance(self) -> Provenance:
        """Record numbers and names of the individuals in the source, and skipped records."""
        return provenance_of(self.population)

    @property
    def rows(self) -> NDArray[np.int64]:
        """Record number of each individual in the source, starting at 0."""
        return self.provenance.rows[self.population.individuals]

    def __repr__(self) -> str:
        target = f"target {self.target_name}" if self.target_name else "without target"
        return short_repr(self, self.name, f"{len(self.population):,} {self.population.schema.individual}", target)


def open_data(
    where: str | Path,
    *,
    target: str | None = None,
    features: str | Collection[str] | None = None,
    ignore: str | Collection[str] = (),
    id: str | None = None,
    unlabelled: Unlabelled = "refuse",
    **options: Unpack[ReadingOptions],
) -> Opened:
    """Open a built-in dataset, a file or folder, a database URL, or standard input.

    Parameters
    ----------
    where : str or Path
        ``-`` for standard input, whose format is guessed by default; an existing path; a database URL such as
        ``postgresql://...``; or the name of a built-in dataset (see `structtree.dataset_names`).
    target : str, optional
        Target attribute of the individuals. Built-in datasets, TU folders, ARFF files and C4.5 files have a default.
    features, ignore : str or collection of str, optional
        Names and globs of the attributes to use and to ignore, such as ``"CT_*,logp"``; `ignore` takes precedence.
    id : str, optional
        Attribute that identifies individuals in predictions and explanations; in files it is read as text.
    unlabelled : {"refuse", "leave out"}
        Whether to raise an error for individuals without a target value, or to skip them with a warning.
    format, types, individual, schema, group, link
        Options for files; see `structtree.data.readers.sources.read_data`.
    delimiter, header, names, encoding, decimal, missing_words
        Options for text; see `structtree.data.readers.tables.reading.read_csv`.
    keys, links, exclude, condition, schema_file, layout, strict
        Options for databases; see `structtree.data.readers.databases.reading.from_database`.
    smiles, hydrogens, largest_fragment, neutralise, skip_bad, cache
        Options for molecules; see `structtree.data.readers.molecules.reading.read_molecules`.
    positives, negatives, modes, part, fact, sample_negatives, sample_seed
        Options for facts; see `structtree.data.readers.facts.reading.read_facts`.

    Examples
    --------
    >>> opened = open_data("lenses")
    >>> len(opened.population), opened.target_name
    (24, 'lenses')
    """
    if is_piped(where):
        opened = _read_stream(where, target, unlabelled, options, id)
    elif is_url(where) or Path(where).exists():
        opened = _read(where, target, unlabelled, options, id)
    else:
        reading = _reading_of_dataset(str(where), options)
        opened = _load_dataset(str(where), target, unlabelled, id, reading)
    record = opened.population.schema.type(opened.population.schema.individual)
    gone = excluded_attributes([a.name for a in record.attributes], features, ignore, opened.target_name)
    return replace(opened, population=opened.population.without(*gone), left_out=gone) if gone else opened


def _read(
    where: str | Path, target: str | None, unlabelled: Unlabelled, options: ReadingOptions, id: str | None
) -> Opened:
    if id is not None and Path(where).is_file() and not is_database(where, options.get("format")):
        options = {**options, "types": {id: "nominal", **(options.get("types") or {})}}  # keep codes such as 007
    population = _with_names(read_data(where, target, **options), id)
    if target is None:
        target = target_of(where, population, options.get("format"))
    shown = shown_url(str(where))
    if target is None:
        return Opened(Path(shown).stem, population, source=shown)
    rest, labels = _split(population, target, unlabelled)
    return Opened(Path(shown).stem, rest, labels, target, source=shown)


def _read_stream(
    where: str | Path, target: str | None, unlabelled: Unlabelled, options: ReadingOptions, id: str | None
) -> Opened:
    """Read a stream through a temporary file."""
    format = options.get("format")
    if format in _SEVERAL_FILES:
        raise UsageError(f"format {format} consists of several files, but {where} is a stream; pass the file names")
    with spooled(where) as file:
        opened = _read(file, target, unlabelled, options, id)
    name = STANDARD_INPUT if str(where) == STANDARD_STREAM else str(where)
    return replace(opened, name=name, source=name)


def _load_dataset(
    name: str, target: str | None, unlabelled: Unlabelled, id: str | None, reading: Mapping[str, Any]
) -> Opened:
    found = load_dataset(name, **reading)
    rest, labels = _with_names(found.population, id), found.target
    if target is not None and target != found.target_name:
        rest, labels = _split(rest, target, unlabelled)
    about = found.description, found.source, found.grammar
    return Opened(found.name, rest, labels, target or found.target_name, *about)


def _reading_of_dataset(name: str, options: ReadingOptions) -> dict[str, Any]:
    """Return the reading options of a built-in dataset; raise an error for those that do not apply."""
    if name not in dataset_names():
        raise MissingFileError(f"{name!r} is neither a file nor a dataset{did_you_mean(name, _near(Path(name)))}")
    given = {option: value for option, value in given_options(options).items() if value != {}}
    entry = next(entry for entry in dataset_catalog() if entry.name == name)
    for option in given:
        if option not in entry.reading:
            raise UsageError(
                f"{option_text(option)} does not apply to {name}, a built-in dataset {_why_not(entry, option)}"
            )
    return given


def _why_not(entry: Entry, option: str) -> str:
    """Return the reason why a reading option does not apply to a dataset."""
    if entry.kind == "generated":
        return "that is generated, not read"
    if option in MoleculeOptions.__annotations__:
        return "without a SMILES column"
    return f"whose files are always read in the same way, except for {option_text('types')}"


def _with_names(population: Population, id: str | None) -> Population:
    """Return the population with its provenance, including the `id` attribute as a name."""
    provenance = provenance_of(population)
    if id is not None:
        texts = [None if value is None else str(value) for value in record_values(population, id)]
        provenance = replace(provenance, names={id: texts, **{k: v for k, v in provenance.names.items() if k != id}})
    return replace(population, provenance=provenance)


def _split(population: Population, target: str, unlabelled: Unlabelled) -> tuple[Population, NDArray[Any]]:
    schema = population.schema
    if schema.type(schema.individual).attribute(target) is None:
        owners = [record.name for record in schema.types if record.attribute(target) is not None]
        if owners and (is_of_graphs(population) or provenance_of(population).relations is not None):
            raise WrongIndividualError(schema.individual, target, owners[0])
        _refuse_key(population, target)
    missing = population.column(target).missing
    kept = labelled_rows(missing, unlabelled, target, stacklevel=4)
    if kept is not None:
        provenance = provenance_of(population)
        gone = dict.fromkeys(provenance.rows[population.individuals[missing]].tolist(), f"it has no {target}")
        known = replace(provenance, left_out={**provenance.left_out, **gone})
        population = replace(population, provenance=known).take(kept)
    return _without_labels(population, target).split_target(target)


def _without_labels(population: Population, target: str) -> Population:
    """Remove the labels of other individuals, which are rows of other types in data as of a date."""
    relations, individual = provenance_of(population).relations, population.schema.individual
    origins = {} if relations is None else relations.origins
    for name, table in origins.items():
        if name != individual and table == origins[individual]:
            population = population.without_attributes(name, target)
    return population


def _refuse_key(population: Population, target: str) -> None:
    """Raise `UsageError` if the target is a key of its table, which is not an attribute."""
    relations, individual = provenance_of(population).relations, population.schema.individual
    if relations is None:
        return
    relations.database.refuse_unread(f"{individual}.{target}")
    if target in relations.database.tables[individual].sheet.columns:
        fix = f"to predict it anyway, as classes: {option_text('types', {f'{individual}.{target}': 'nominal'})}"
        raise UsageError(f"{target!r} is a key of {individual}, which links it to other rows; {fix}")


def _near(path: Path) -> list[str]:
    """Return candidates for a misspelled name: datasets, and the file with the most similar name."""
    files = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
    closest = get_close_matches(path.name, files, n=1)
    return [*dataset_names(), *(str(path.with_name(file)) for file in closest)]
