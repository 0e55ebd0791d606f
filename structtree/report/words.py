"""Translation of predicates to plain English, with the schema and the phrases of the grammar.

A predicate about the individual becomes a clause (*some nitrogen atom has at least two bonds to oxygen atoms*).
Conditions on other rows become *properties*: each can follow a verb (*is aromatic*, *has degree 2*), some can also
precede a noun (*an aromatic atom*), and some are nouns themselves (*a nitro group*).

The words describe a test; its text in the grammar language defines it, and is shown next to them if there is room. As
in every test, a condition on a missing value is false, and *every* is true of an empty set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from structtree.data.schema import RecordType, Schema
from structtree.errors import require
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty, pretty_scalar
from structtree.report.english import (
    PREPOSITIONS,
    counted,
    enumerated,
    name_words,
    plural,
    singular,
    with_article,
)

__all__ = ["in_words"]

_VALUE_ADJECTIVES = frozenset(
    ("element", "order", "colour", "color", "kind", "type", "sort", "hybridisation", "material")
)
"""Nominal attributes whose values are used as adjectives: a *double* bond, a *red* car."""

_ELEMENTS = {
    "H": "hydrogen",
    "He": "helium",
    "Li": "lithium",
    "Be": "beryllium",
    "B": "boron",
    "C": "carbon",
    "N": "nitrogen",
    "O": "oxygen",
    "F": "fluorine",
    "Ne": "neon",
    "Na": "sodium",
    "Mg": "magnesium",
    "Al": "aluminium",
    "Si": "silicon",
    "P": "phosphorus",
    "S": "sulfur",
    "Cl": "chlorine",
    "Ar": "argon",
    "K": "potassium",
    "Ca": "calcium",
    "Ti": "titanium",
    "V": "vanadium",
    "Cr": "chromium",
    "Mn": "manganese",
    "Fe": "iron",
    "Co": "cobalt",
    "Ni": "nickel",
    "Cu": "copper",
    "Zn": "zinc",
    "Ga": "gallium",
    "Ge": "germanium",
    "As": "arsenic",
    "Se": "selenium",
    "Br": "bromine",
    "Ag": "silver",
    "Cd": "cadmium",
    "Sn": "tin",
    "Sb": "antimony",
    "Te": "tellurium",
    "I": "iodine",
    "Pt": "platinum",
    "Au": "gold",
    "Hg": "mercury",
    "Tl": "thallium",
    "Pb": "lead",
    "Bi": "bismuth",
}
_BARE = frozenset(("use", "stock", "service", "transit", "progress", "debt", "place", "time", "sale", "loan", "duty"))
"""Nouns without an article after a preposition, as in *in use*."""

_UNITS = {
    **{unit: unit for unit in ("kg", "g", "mg", "km", "m", "cm", "mm", "ms", "kwh", "mb", "gb", "hours", "minutes")},
    **{unit: unit for unit in ("seconds", "days", "weeks", "months", "years", "percent")},
    **{unit: unit.upper() for unit in ("eur", "usd", "gbp", "chf")},
}
"""Ends of names that are units, as in ``weight_kg``."""

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_CONTINUED = re.compile(rf"\b(with|that|whose|either|and|or|{'|'.join(sorted(PREPOSITIONS))})\b")
"""Words after which a further ``and`` might continue a phrase."""

_LEADING = {"to": ("leads to", "lead to"), "from": ("comes from", "come from")}
_FUNCTIONS: dict[syn.AggregateFunction, str] = {
    "sum": "total {}",
    "mean": "average {}",
    "min": "least {}",
    "max": "greatest {}",
    "range": "range of {}",
    "deviation": "standard deviation of {}",
    "distinct": "number of different values of {}",
    "latest": "latest {}",
    "earliest": "earliest {}",
    "trend": "trend of {}",
    "share": "share",
}


def in_words(predicate: syn.Predicate, schema: Schema, type_name: str | None = None) -> str:
    """Translate a predicate to plain English.

    Parameters
    ----------
    predicate : Predicate
        From a tree, a rule or a grammar.
    schema : Schema
        Schema of the individuals.
    type_name : str, optional
        Type of the rows that the predicate applies to; the individual by default.

    Examples
    --------
    >>> from structtree.data.schema import Attribute, Link
    >>> from structtree.lang.parse import parse_predicate
    >>> atom = RecordType("Atom", (Attribute("element", "nominal"), Attribute("aromatic", "bool")),
    ...                   (Link("bonds", "set", "Bond"),))
    >>> bond = RecordType("Bond", (Attribute("order", "nominal"),), (Link("to", "one", "Atom"),))
    >>> molecule = RecordType("Molecule", (Attribute("logp", "real"),), (Link("atoms", "set", "Atom"),))
    >>> schema = Schema((molecule, atom, bond), "Molecule")
    >>> for text in (
    ...     "exists atoms (element = N and count bonds (to.element = O) >= 2)",
    ...     "count atoms (aromatic and element = C) >= 6",
    ...     "none atoms (element = C and exists bonds (order = double and to.element = O))",
    ...     "logp >= 2.5",
    ... ):
    ...     print(in_words(parse_predicate(text), schema))
    some nitrogen atom has at least two bonds to oxygen atoms
    there are at least six aromatic carbon atoms
    no carbon atom has a double bond to an oxygen atom
    logp is at least 2.5
    """
    syn.require_predicate(predicate)
    require(schema, Schema, "schema", "a Schema, such as that of a population or a tree")
    start = type_name or schema.individual
    return _Phrases(schema, start, _noun_of_type(start)).clause(predicate)


@dataclass(frozen=True, slots=True)
class _Property:
    """Property of a row in English: a phrase after a verb, and perhaps an adjective or a noun.

    `verb` is "be" (*aromatic*), "have" (*degree 2*) or "do" (*leads to ...*, with `many` for the plural); `post` is
    the form that may follow a noun instead (*to an oxygen atom*), and `posts` after a plural (*to oxygen atoms*).
    `is_row` says that it is about other rows, so that what follows it might be taken to be about them.
    """

    verb: Literal["be", "have", "do"]
    text: str
    many: str = ""
    before: str = ""
    noun: str = ""
    post: str = ""
    posts: str = ""
    is_row: bool = False

    @property
    def is_open(self) -> bool:
        """True if another row has properties of its own in the phrase, which a further ``and`` might continue."""
        return self.is_row and _CONTINUED.search(re.sub(r"\bat (least|most)\b", "", self.text)) is not None


@dataclass(frozen=True, slots=True)
class _Phrases:
    """Writer of English phrases about the rows of a type, which are named by a noun.

    `outer` has the nouns of the rows through which a phrase has come here.
    """

    schema: Schema
    type: str
    noun: str
    outer: tuple[str, ...] = ()

    @property
    def record(self) -> RecordType:
        return self.schema.type(self.type)

    def behind(self, link: str, *, several: bool) -> _Phrases:
        """Return an object that writes phrases about the rows that a link leads to."""
        found = self.record.link(link)
        if found is None:  # a predicate that was not checked on this schema
            return replace(self, noun=singular(name_words(link)), outer=(*self.outer, self.noun))
        noun = _noun_of_link(link, found.target, several=several)
        return _Phrases(self.schema, found.target, noun, (*self.outer, self.noun))

    def this(self, *, many: bool) -> str:
        """Return what to call the rows again: *that item*, *those items*, *that second block* behind a block."""
        n = self.outer.count(self.noun)
        nth = f"{_ORDINALS[n]} " if 0 < n < len(_ORDINALS) else ""
        return f"those {nth}{plural(self.noun)}" if many else f"that {nth}{self.noun}"

    # ---- clauses: about the individual itself

    def clause(self, predicate: syn.Predicate) -> str:
        """Translate a predicate to a complete clause."""
        match predicate:
            case syn.Top():
                return "anything"
            case syn.And(parts):
                return _conjunction(
                    [f"({self.clause(p)})" if isinstance(p, syn.Or) else self.clause(p) for p in parts]
                )
            case syn.Or(parts):
                return f"either {_conjunction([self.clause(part) for part in parts], 'or')}"
            case syn.Not(inner):
                return self._denied(inner)
            case syn.Exists(link, inner):
                return self.behind(link, several=True).some(inner)
            case syn.No(link, inner):
                return self.behind(link, several=True).none(inner)
            case syn.All(link, inner):
                there = self.behind(link, several=True)
                return f"every {there.noun} {there.verbs(inner)}"
            case syn.Count(link, inner, op, n):
                return self.behind(link, several=True).several(inner, _amount(op, n), one=n == 1)
            case syn.Follow(link, inner) if link not in PREPOSITIONS:
                there = self.behind(link, several=False)
                return f"the {there.noun} {there.verbs(inner)}"
            case syn.ListStep(_, syn.Top(), str() as link):
                return f"there is {_a(self.behind(link, several=True).noun)}"
            case syn.ListStep(step, inner, str() as link):
                there = self.behind(link, several=True)
                return f"the {step} {there.noun} {there.verbs(inner)}"
            case syn.Distinct(link, inners):
                return f"there are {self._distinct(link, inners)}"
            case syn.Aggregate():
                return f"the {self._computed(predicate)} is {_compared(predicate.op, predicate.value)}"
            case syn.Compare(attribute, op, value) if not self._is_amount(attribute):
                name, unit = _with_unit(attribute, value)
                return f"{name} is {_compared(op, value)}{unit}"
            case syn.Among(attribute) if not self._is_adjective(attribute):
                return f"{name_words(attribute)} is {_any_of(predicate)}"
            case syn.Within(attribute, low):
                name, unit = _with_unit(attribute, low)
                return f"{name} is {_interval(predicate)}{unit}"
            case syn.CompareOwn(attribute, op, other):
                return f"{_path(attribute)} is {_own(op, self._moments(attribute))} {_path(other)}"
            case syn.CompareMine(attribute, op, mine):
                return f"{_path(attribute)} is {_own(op, self._moments(attribute))} {_path(mine)} of the current row"
            case syn.Me():
                return "it is the current row"
            case syn.Missing(member) if self.record.link(member) is None:
                return f"{name_words(member)} is missing"
            case (
                syn.Flag() | syn.Compare() | syn.Among() | syn.Missing() | syn.Named() | syn.Follow() | syn.ListStep()
            ):
                return f"it {self.verbs(predicate)}"
            case _ as never:
                assert_never(never)

    def _denied(self, inner: syn.Predicate) -> str:
        """Translate the negation of a predicate to a clause."""
        match inner:
            case syn.Exists(link, what):
                return self.clause(syn.No(link, what))
            case syn.No(link, what):
                return self.clause(syn.Exists(link, what))
            case syn.Count(link, what, op, int() as n):
                limit = "fewer than" if op == ">=" else "more than"
                return self.behind(link, several=True).several(what, f"{limit} {counted(n)}", one=n == 1)
            case syn.All(link, what):
                there = self.behind(link, several=True)
                return f"not every {there.noun} {there.verbs(what)}"
            case syn.Not(what):
                return self.clause(what)
            case syn.Top():
                return "nothing"
            case _:
                text = self.clause(inner)
                found = re.match(r"^([\w\s.-]*?\b(?:is|are)) (?!no\b|not\b|at most\b)", text)
                is_step = isinstance(inner, syn.ListStep) and inner.link is None
                is_simple = isinstance(inner, syn.ValueTest | syn.Named) or is_step
                if is_simple and found is not None:
                    return f"{found[1]} not {text[found.end() :]}"
                return f"it {self.verbs(syn.Not(inner))}" if is_simple else f"it is not the case that {text}"

    # ---- clauses about rows behind a link

    def some(self, inner: syn.Predicate) -> str:
        """Return the clause that some row exists: *some aromatic atom has degree 2*."""
        subject, rest = self._divided(inner)
        if rest:
            return f"some {self.named(subject)} {self.joined(rest)}"
        return f"there is {_a(self.named(subject))}"

    def none(self, inner: syn.Predicate) -> str:
        """Return a clause saying that no such row exists: *no aromatic atom has degree 2*."""
        subject, rest = self._divided(inner)
        return f"no {self.named(subject)} {self.joined(rest)}" if rest else f"there is no {self.named(subject)}"

    def several(self, inner: syn.Predicate, amount: str, *, one: bool) -> str:
        """Return the clause that a number of rows exist: *at least two cars are long*."""
        subject, rest = self._divided(inner)
        noun = self.named(subject, many=not one)
        if rest:
            return f"{amount} {noun} {self.joined(rest, many=not one)}"
        return f"there {'is' if one else 'are'} {amount} {noun}"

    def _divided(self, inner: syn.Predicate) -> tuple[list[_Property], list[_Property]]:
        """Divide properties between the subject and the verb of a clause; a single flag goes to the verb."""
        found = self.properties(inner)
        subject = [each for each in found if each.noun or each.before]
        rest = [each for each in found if each not in subject]
        only_flag = len(subject) == 1 and not subject[0].noun and _is_flag(inner)
        return ([], subject) if only_flag and not rest else (subject, rest)

    # ---- phrases about a row

    def verbs(self, predicate: syn.Predicate, *, many: bool = False) -> str:
        """Describe rows with verbs: *is aromatic and has degree 2*."""
        return self.joined(self.properties(predicate), many=many) or ("exist" if many else "exists")

    def joined(self, properties: Sequence[_Property], *, many: bool = False) -> str:
        """Join properties with their verbs, so that it is clear which row each is about.

        *has price at least 3 and an item with quantity 2, and that order is followed by an order with price 4*
        """
        closed = [each for each in properties if not each.is_open]
        opened = [each for each in properties if each.is_open]
        first, others = opened[:1], opened[1:]
        if any(each.verb == "have" for each in first) and not any(each.verb == "do" for each in closed):
            parts = [_verbs([*closed, *first], many=many)]
        else:
            parts = [_verbs(closed, many=many), _verbs(first, many=many)]
        again = (f"{self.this(many=many)} {_verbs([each], many=many)}" for each in others)
        return ", and ".join([" and ".join(filter(None, parts)), *again])

    def described(self, predicate: syn.Predicate, *, many: bool = False) -> str:
        """Describe rows with a noun: *aromatic atom with degree 2*."""
        return self.named(self.properties(predicate), many=many)

    def named(self, properties: Sequence[_Property], *, many: bool = False) -> str:
        """Return a noun phrase with properties before and after the noun."""
        nouns = [each for each in properties if each.noun]
        noun = nouns[0].noun if nouns else self.noun
        before = [each for each in properties if each.before][:3]
        after = [each for each in properties if each not in before and each not in nouns[:1]]
        has = [each for each in after if each.verb == "have" and not each.post]
        others = [each for each in after if each.verb != "have" and not each.post]
        posts = [each.posts if many else each.post for each in after if each.post]
        words = [each.before for each in before] + [plural(noun) if many else noun]
        is_long = bool(_CONTINUED.search(noun) and has) or len(posts) > 1
        if is_long or (any(each.is_row for each in has) and (others or posts)):
            return " ".join([*words, f"that {self.joined(after, many=many)}"])
        words += [f"with {self._listed(has, many=many)}"] if has else []
        words += [f"that {self.joined(others, many=many)}"] if others else []
        return " ".join([*words, *posts])

    def _listed(self, has: Sequence[_Property], *, many: bool) -> str:
        """Join what rows have: *quantity at least 3 and, on that item, a tag with text fragile*."""
        own = enumerated([each.text for each in has if not each.is_row])
        rows = sorted((each for each in has if each.is_row), key=lambda each: each.is_open)
        again = f"on each of {self.this(many=True)}" if many else f"on {self.this(many=False)}"
        return f" and, {again}, ".join([*([own] if own else []), *(each.text for each in rows)])

    def properties(self, predicate: syn.Predicate) -> list[_Property]:
        """Translate a predicate to properties of a row."""
        match predicate:
            case syn.Top():
                return []
            case syn.And(parts):
                return [each for part in parts for each in self.properties(part)]
            case syn.Or(parts):
                one, many = ([self.verbs(part, many=many) for part in parts] for many in (False, True))
                either, both = f"either {enumerated(one, 'or')}", f"either {enumerated(many, 'or')}"
                return [_Property("do", either, both, is_row=True)]
            case syn.Not(inner):
                return [_negated(self.properties(inner))]
            case syn.Flag(syn.SmartsName() as name, positive):
                matches = _Property("do", f"matches {name.pattern}", f"match {name.pattern}")
                return [matches if positive else _negated([matches])]
            case syn.Flag(attribute, positive):
                return [_flag(attribute) if positive else _negated([_flag(attribute)])]
            case syn.Named():
                return [_named(predicate)]
            case syn.Missing(member):
                known = "" if self.record.link(member) else "known "
                return [_Property("have", f"no {known}{name_words(member)}")]
            case syn.Compare():
                return [self._comparison(predicate)]
            case syn.Among(attribute):
                return [self._one_of(predicate)]
            case syn.Within(attribute, low):
                measure, unit = _with_unit(attribute, low)
                return [_Property("have", f"{measure} {_interval(predicate)}{unit}")]
            case syn.CompareOwn(attribute, op, other):
                own = _own(op, self._moments(attribute))
                return [_Property("have", f"{_path(attribute)} {own} its {_path(other)}")]
            case syn.CompareMine(attribute, op, mine):
                own = _own(op, self._moments(attribute))
                return [_Property("have", f"{_path(attribute)} {own} {_path(mine)} of the current row")]
            case syn.Me():
                return [_Property("be", "the current row")]
            case syn.Follow(link, inner):
                return [self._reference(link, inner)]
            case syn.ListStep():
                return [self._step(predicate)]
            case syn.Exists(link, inner):
                return [_rows(link, _a(self.behind(link, several=True).described(inner)))]
            case syn.No(link, inner):
                return [_rows(link, f"no {self.behind(link, several=True).described(inner)}")]
            case syn.All(link, inner):
                rows = self.behind(link, several=True).described(inner, many=True)
                return [_rows(link, f"only {rows}")]
            case syn.Count(link, inner, op, n):
                noun = self.behind(link, several=True).described(inner, many=n != 1)
                return [_rows(link, f"{_amount(op, n)} {noun}")]
            case syn.Distinct(link, inners):
                return [_Property("have", self._distinct(link, inners), is_row=True)]
            case syn.Aggregate():
                computed = _a(self._computed(predicate))
                compared = _compared(predicate.op, predicate.value)
                return [_Property("have", f"{computed} that is {compared}", is_row=True)]
            case _ as never:
                assert_never(never)

    def _comparison(self, test: syn.Compare) -> _Property:
        name = name_words(test.attribute)
        if self._is_amount(test.attribute) and not isinstance(test.value, str):
            amount = _amount(test.op, test.value) if test.op in (">=", "<=") else _value(test.value)
            amount = "zero" if amount == "0" else amount
            noun = singular(name) if test.value == 1 else name
            return _Property("have", f"{amount} {noun}" if test.op != "!=" else f"other than {amount} {noun}")
        if self._is_adjective(test.attribute) and isinstance(test.value, str) and test.op in ("=", "!="):
            word = _adjective(test.attribute, test.value)
            if test.op == "!=":
                return _Property("be", f"not {word}")
            return _Property("be", word, before=word)
        if test.op == "!=":
            return _Property("have", f"{_a(name)} other than {_value(test.value)}")
        name, unit = _with_unit(test.attribute, test.value)
        return _Property("have", f"{name} {_compared(test.op, test.value)}{unit}")

    def _one_of(self, test: syn.Among) -> _Property:
        values = [value for value in test.values if isinstance(value, str)]
        if self._is_adjective(test.attribute) and len(values) == len(test.values) and values:
            word = enumerated([_adjective(test.attribute, value) for value in values], "or")
            return _Property("be", word, before=word if len(values) <= 4 else "")
        return _Property("have", f"{name_words(test.attribute)} {_any_of(test)}")

    def _reference(self, link: str, inner: syn.Predicate) -> _Property:
        there = self.behind(link, several=False)
        if link in PREPOSITIONS:
            one, many = (there.described(inner, many=many) for many in (False, True))
            verb = _LEADING.get(link, (f"is {link}", f"are {link}"))
            post, posts = f"{link} {_a(one)}", f"{link} {many}"
            leads, lead = f"{verb[0]} {_a(one)}", f"{verb[1]} {many}"
            return _Property("do", leads, lead, post=post, posts=posts, is_row=True)
        return _Property("have", _a(there.described(inner)), is_row=True)

    def _step(self, step: syn.ListStep) -> _Property:
        if step.link is not None:
            there = self.behind(step.link, several=True)
            return _Property("have", f"{_a(step.step)} {there.described(step.inner)}", is_row=True)
        what = _a(replace(self, outer=(*self.outer, self.noun)).described(step.inner))
        verbs = {"next": "followed by", "previous": "preceded by"}
        verb = verbs.get(step.step, "followed, at once or later, by")
        return _Property("be", f"{verb} {what}", is_row=True)

    def _distinct(self, link: str, inners: tuple[syn.Predicate, ...]) -> str:
        there = self.behind(link, several=True)
        ones = [f"one that {there.verbs(inner)}" for inner in inners]
        is_long = any(" and " in one for one in ones)
        listed = ", and ".join(ones) if is_long else enumerated(ones)
        return f"{counted(len(inners))} different {plural(there.noun)}: {listed}"

    def _computed(self, test: syn.Aggregate) -> str:
        """Translate an aggregate to a noun phrase: *total price of the items with kind gift*."""
        there, by = self.behind(test.link, several=True), f" by {name_words(test.order)}" if test.order else ""
        rows = there.described(test.inner or syn.Top(), many=True)
        if test.attribute is None:
            return f"share of {plural(there.noun)} that {there.verbs(test.inner or syn.Top(), many=True)}"
        name = name_words(test.attribute)
        if there._is_amount(test.attribute):
            name = f"number of {name}"
        of = "sum of {}" if test.function == "sum" and name.startswith("total ") else _FUNCTIONS[test.function]
        return f"{of.format(name)}{by} of the {rows}"

    def _is_adjective(self, attribute: str) -> bool:
        found = self.record.attribute(attribute)
        return attribute in _VALUE_ADJECTIVES and (found is None or found.kind == "nominal")

    def _is_amount(self, attribute: str) -> bool:
        """Return whether an attribute is an amount, such as ``wheels``."""
        found, name = self.record.attribute(attribute), name_words(attribute)
        is_counted = _UNITS.get(name.rpartition(" ")[2]) is None and singular(name) != name
        return found is not None and found.kind == "int" and is_counted

    def _moments(self, path: syn.ValuePath) -> bool:
        record = self.record
        for link in path[:-1]:
            found = record.link(link)
            if found is None:
                return False
            record = self.schema.type(found.target)
        attribute = record.attribute(path[-1])
        return attribute is not None and attribute.kind in ("date", "time")


# ---- verbs ----------------------------------------------------------------------------------------------


def _verbs(properties: Iterable[_Property], *, many: bool = False) -> str:
    """Join properties with their verbs: *is long and closed and has three wheels*."""
    known = list(properties)
    be, have = ([each.text for each in known if each.verb == verb] for verb in ("be", "have"))
    parts = [f"{'are' if many else 'is'} {' and '.join(be)}"] if be else []
    parts += [f"{'have' if many else 'has'} {' and '.join(have)}"] if have else []
    parts += [each.many if many else each.text for each in known if each.verb == "do"]
    return " and ".join(parts)


def _negated(properties: Sequence[_Property]) -> _Property:
    rows = any(each.is_row for each in properties)
    match properties:
        case [_Property("be", text)]:
            opposite = text.removeprefix("not ") if text.startswith("not ") else f"not {text}"
            return _Property("be", opposite, is_row=rows)
        case [_Property("have", text)]:
            return _Property("do", f"does not have {text}", f"do not have {text}", is_row=rows)
        case [_Property("do", text, many, post=str() as post, posts=posts)] if post:
            base = many.partition(" ")[0]
            return _Property("do", f"does not {base} {post}", f"do not {base} {posts}", is_row=rows)
        case []:
            return _Property("do", "does not exist", "do not exist")
        case _:
            return _Property(
                "do",
                f"is not one that {_verbs(properties)}",
                f"are not ones that {_verbs(properties, many=True)}",
                is_row=True,
            )


def _flag(attribute: str) -> _Property:
    """Translate a boolean attribute to a property: ``aromatic``, ``in_ring``, ``has_roof``, ``is_open``."""
    name = name_words(attribute)
    first, _, rest = name.partition(" ")
    if first in ("has", "with") and rest:
        return _Property("have", rest if singular(rest) != rest else _a(rest))
    if first == "is" and rest:
        return _Property("be", rest, before=rest)
    if first in PREPOSITIONS and rest:
        is_bare = singular(rest) != rest or rest in _BARE
        return _Property("be", f"{first} {rest if is_bare else _a(rest)}")
    return _Property("be", name, before=name)


def _named(named: syn.Named) -> _Property:
    """Translate a definition to a property: its phrase, or its name as an adjective."""
    if named.says is None:
        name = name_words(named.name)
        values = enumerated([_value(value) for value in named.arguments])
        return _Property("be", f"{name} {values}") if values else _Property("be", name, before=name)
    says = _filled(named)
    first, _, rest = says.partition(" ")
    if first.lower() in ("a", "an", "the", "one") and rest:
        return _Property("be", says, noun=rest)
    if first in ("is", "has") and rest:
        return _Property("be" if first == "is" else "have", rest)
    return _Property("do", says, f"each {says}")


def _filled(named: syn.Named) -> str:
    """Return the phrase of a definition with its parameters filled in."""
    assert named.says is not None
    names = () if named.definition is None else named.definition.parameters
    values = {name: _value(value) for name, value in zip(names, named.arguments, strict=False)}
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), named.says)


def _rows(link: str, text: str) -> _Property:
    """Return the property of having rows behind a link, or of being *on* or *near* them."""
    if link in _LEADING:
        one, many = _LEADING[link]
        return _Property("do", f"{one} {text}", f"{many} {text}", is_row=True)
    return (
        _Property("be", f"{link} {text}", is_row=True)
        if link in PREPOSITIONS
        else _Property("have", text, is_row=True)
    )


def _is_flag(predicate: syn.Predicate) -> bool:
    return isinstance(predicate, syn.Flag | syn.Named)


# ---- nouns ----------------------------------------------------------------------------------------------


def _noun_of_type(name: str) -> str:
    return name_words(name).lower()


def _noun_of_link(link: str, target: str, *, several: bool) -> str:
    """Return the noun for a row behind a link: *car* for ``cars``, *atom* for ``to``."""
    name = name_words(link)
    if link in PREPOSITIONS:
        return _noun_of_type(target)
    noun = _noun_of_type(target)
    if several and plural(noun) == name.lower():
        return noun
    if several and singular(name) == name and re.search(r"(ed|ing)$", name):
        return f"{name} {noun}"
    return singular(name) if several else name


def _a(noun: str) -> str:
    return with_article(noun)


# ---- values ---------------------------------------------------------------------------------------------


def _value(value: syn.Scalar | syn.ValueSource) -> str:
    match value:
        case syn.Star():
            return "some value"
        case syn.Bins() | syn.Quantiles() | syn.Listed() | syn.Range():
            return pretty(syn.Compare("", "=", value)).removeprefix("`` = ")
        case syn.OrderedCategory():
            return _text(value.name)
        case syn.Day():
            return str(value)
        case str():
            return _text(value)
        case _:
            whole = float(value).is_integer() and abs(value) < 1e15
            return f"{int(value):,}" if whole else f"{value:,}"


def _text(value: str) -> str:
    return value if re.fullmatch(r"\w[\w .+-]*", value) and value.strip() == value else pretty_scalar(value)


def _adjective(attribute: str, value: str) -> str:
    if attribute == "element":
        return _ELEMENTS.get(value, _text(value))
    return _text(value.lower()) if attribute == "hybridisation" else _text(value)


def _with_unit(attribute: str, value: syn.Scalar | syn.ValueSource) -> tuple[str, str]:
    """Return the name of an attribute and the unit of a number: ``weight_kg`` is *weight*, in kg."""
    name = name_words(attribute)
    rest, _, end = name.rpartition(" ")
    is_number = isinstance(value, int | float) and not isinstance(value, syn.Day | syn.OrderedCategory)
    unit = _UNITS.get(end.lower()) if rest and is_number else None
    return (name, "") if unit is None else (rest, f" {unit}")


def _amount(op: str, n: syn.Scalar | syn.ValueSource) -> str:
    """Return a comparison of an amount as a determiner: *at least two*; *no* instead of *at most zero*."""
    if op == "<=" and n == 0:
        return "no"
    whole = isinstance(n, int | float) and not isinstance(n, syn.Day | syn.OrderedCategory) and float(n).is_integer()
    text = counted(int(n)) if whole and isinstance(n, int | float) else _value(n)
    return f"{'at least' if op == '>=' else 'at most'} {'zero' if text == 'no' else text}"


def _bound(op: str, value: syn.Scalar | syn.ValueSource) -> str:
    at = _value(value)
    if isinstance(value, syn.Instant):
        return f"at {at} or {'later' if op == '>=' else 'earlier'}"
    if isinstance(value, syn.Day):
        return f"on {at} or {'later' if op == '>=' else 'earlier'}"
    return f"{'at least' if op == '>=' else 'at most'} {at}"


def _compared(op: str, value: syn.Scalar | syn.ValueSource) -> str:
    match op:
        case "=":
            return _value(value)
        case "!=":
            return f"other than {_value(value)}"
        case _:
            return _bound(op, value)


def _any_of(test: syn.Among) -> str:
    return enumerated([_value(value) for value in test.values], "or") if test.source is None else "in a set of values"


def _interval(test: syn.Within) -> str:
    if test.source is not None:
        return f"in one of {test.source.k} intervals"
    if test.low == float("-inf"):
        return f"{'at most' if test.closed else 'less than'} {_value(test.high)}"
    if test.high == float("inf"):
        return f"at least {_value(test.low)}"
    between = f"from {_value(test.low)} to {_value(test.high)}"
    return between if test.closed else f"at least {_value(test.low)} and less than {_value(test.high)}"


def _path(path: syn.ValuePath) -> str:
    *references, attribute = map(name_words, path)
    return attribute if not references else f"the {attribute} of the {' of the '.join(reversed(references))}"


def _own(op: str, moments: bool) -> str:
    match op:
        case "=":
            return "the same as"
        case "!=":
            return "different from"
        case ">=":
            return "not before" if moments else "at least as great as"
        case _:
            return "not after" if moments else "at most as great as"


def _conjunction(clauses: Sequence[str], word: str = "and") -> str:
    """Join clauses, with commas if one of them contains an ``and`` or ``or``."""
    comma = any(f" {other} " in clause for clause in clauses for other in ("and", "or"))
    return f"{', ' if comma else ' '}{word} ".join(clauses)
