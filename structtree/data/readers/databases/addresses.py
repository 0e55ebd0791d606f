"""URLs of databases, as text: recognised, and shown without their secrets.

`structtree.data.readers.databases.urls` reads what they lead to.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["is_url", "shown_url"]


def is_url(where: Any) -> bool:
    """Return whether a string is the URL of a database.

    Examples
    --------
    >>> is_url("sqlite:///bank.db"), is_url("mysql+pymysql://host/bank"), is_url("bank.db"), is_url("https://a.org/b.csv")
    (True, True, False, False)
    """
    found = re.match(r"([A-Za-z][\w+.-]*)://", where) if isinstance(where, str) else None
    return found is not None and found[1].lower() not in ("http", "https", "ftp", "file", "s3", "gs")


def shown_url(where: str) -> str:
    """Return a URL without password and parameters; other strings are unchanged.

    Examples
    --------
    >>> shown_url("postgresql://ann:se/c@ret@host:5432/bank?sslkey=k"), shown_url("mysql://ann:secret")
    ('postgresql://ann:***@host:5432/bank', 'mysql://ann:***')
    >>> shown_url("sqlite:///bank.db"), shown_url("a?b.csv")
    ('sqlite:///bank.db', 'a?b.csv')
    """
    if not is_url(where):
        return where
    hidden = re.sub(r"^([\w+.-]+://[^:/@]*):.*@", r"\1:***@", where, flags=re.DOTALL)
    if hidden == where:
        hidden = re.sub(r"^([\w+.-]+://[^:/@?]*):(?!\d*(?:[/?]|$))[^/?]*", r"\1:***", where)
    return hidden.partition("?")[0]
