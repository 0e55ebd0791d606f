"""English grammar: plurals, articles, numbers in words, and names from the data as words."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["PREPOSITIONS", "article", "counted", "enumerated", "name_words", "plural", "singular", "with_article"]

PREPOSITIONS = frozenset(
    (
        "at",
        "behind",
        "below",
        "by",
        "from",
        "in",
        "inside",
        "near",
        "of",
        "on",
        "over",
        "to",
        "under",
        "with",
        "within",
    )
)
"""Names of references that read as prepositions, as in a bond *to* an atom."""

_IRREGULAR = {
    "child": "children",
    "person": "people",
    "man": "men",
    "woman": "women",
    "foot": "feet",
    "tooth": "teeth",
    "mouse": "mice",
    "vertex": "vertices",
    "index": "indices",
    "matrix": "matrices",
    "axis": "axes",
    "basis": "bases",
    "analysis": "analyses",
    **{f"{stem}f": f"{stem}ves" for stem in ("lea", "hal", "shel", "wol", "cal", "loa", "thie", "scar", "sel", "el")},
    **{f"{stem}fe": f"{stem}ves" for stem in ("wi", "li", "kni")},
    "datum": "data",
    "medium": "media",
    "touch": "touches",
    "series": "series",
    "species": "species",
    "movie": "movies",
    "tie": "ties",
    "cookie": "cookies",
}
_AFTER_NOUNS = frozenset(("that", "whose", "without", "outside", "between", "next", "two", "three", "four", "five"))
"""Further words before which the noun of a phrase ends, as in an atom *two* bonds from a ring."""

_SINGULAR = {many: one for one, many in _IRREGULAR.items()}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def plural(noun: str) -> str:
    """Return the plural of a noun; in a phrase, the word before a preposition or ``that`` is inflected.

    Examples
    --------
    >>> plural("car"), plural("bus"), plural("country"), plural("child"), plural("end of a chain")
    ('cars', 'buses', 'countries', 'children', 'ends of a chain')
    """
    words = noun.split(" ")
    head = _head(words)
    return " ".join([*words[:head], _plural_word(words[head]), *words[head + 1 :]])


def _head(words: Sequence[str]) -> int:
    """Return the place of the noun in a phrase: the word before a preposition or a relative clause."""
    ends = (i for i, word in enumerate(words) if i and (word in PREPOSITIONS or word in _AFTER_NOUNS))
    return next(ends, len(words)) - 1


def _plural_word(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if re.search(r"(s|x|z|ch|sh)$", word) else f"{word}s"


def singular(noun: str) -> str:
    """Return the singular of a noun; a noun that is not a plural is returned unchanged.

    Examples
    --------
    >>> singular("cars"), singular("boxes"), singular("countries"), singular("children"), singular("class")
    ('car', 'box', 'country', 'child', 'class')
    """
    words = noun.split(" ")
    head = _head(words)
    return " ".join([*words[:head], _singular_word(words[head]), *words[head + 1 :]])


def _singular_word(word: str) -> str:
    if word in _SINGULAR:
        return _SINGULAR[word]
    if re.search(r"[^aeiou]ies$", word):
        return f"{word[:-3]}y"
    if re.search(r"(ss|x|z|ch|sh)es$", word):
        return word[:-2]
    return word[:-1] if re.search(r"[^sui]s$", word) and len(word) > 2 else word


def article(word: str) -> str:
    """Return the indefinite article of a word.

    Examples
    --------
    >>> article("car"), article("oxygen atom"), article("hour"), article("user")
    ('a', 'an', 'an', 'a')
    """
    if re.match(r"[AEFHILMNORSX](?![aeiou])(?=[\W\d]|[^\Waeiouy]+\b|$)|sp\d", word, re.ASCII):
        return "an"  # spelled letter by letter: an N-oxide, an sp2 atom
    exception = re.match(r"(hour|honest|heir)|(uni|use|eu|one\b|ur[aeiou]|ut[aeiou])", word, re.IGNORECASE)
    if exception:
        return "an" if exception[1] else "a"
    return "an" if word[:1].lower() in "aeiou" and word[:1] else "a"


def with_article(noun: str) -> str:
    """Return a noun with its indefinite article.

    Examples
    --------
    >>> with_article("open car")
    'an open car'
    """
    return f"{article(noun)} {noun}"


def counted(n: int) -> str:
    """Format a number for a sentence; small numbers are written as words.

    Examples
    --------
    >>> counted(2), counted(1200)
    ('two', '1,200')
    """
    return _NUMBERS[n] if 0 <= n < len(_NUMBERS) else f"{n:,}"


def enumerated(parts: Sequence[str], word: str = "and") -> str:
    """Join items with commas and a conjunction.

    Examples
    --------
    >>> enumerated(["a"]), enumerated(["a", "b"], "or"), enumerated(["a", "b", "c"])
    ('a', 'a or b', 'a, b and c')
    """
    return f" {word} ".join(filter(None, (", ".join(parts[:-1]), parts[-1]))) if parts else ""


def name_words(name: str) -> str:
    """Return a name from the data as words: ``works_for`` and ``WorksFor`` as *works for*.

    Examples
    --------
    >>> name_words("works_for"), name_words("WorksFor"), name_words("capital-gain"), name_words("born.weekday")
    ('works for', 'works for', 'capital-gain', 'weekday of born')
    """
    dated = re.fullmatch(r"(.+)\.(weekday|day|month|year|hour)", name)
    if dated is not None:
        return f"{dated[2]} of {name_words(dated[1])}"
    cycles = re.fullmatch(r"cycles([3-8])", name)
    if cycles is not None:
        return f"cycles of length {cycles[1]}"
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", " ", name.replace("_", " ")).split()
    return " ".join(part.lower() if re.fullmatch(r"[A-Z][a-z0-9]+", part) else part for part in parts) or name
