"""Translation of arithmetic expressions to SQL or Prolog, which both use infix operators.

Dates are days and times are seconds, so an expression that mixes them is computed in seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, assert_never

from structtree.data.dates import DAY
from structtree.data.schema import Kind
from structtree.errors import UsageError
from structtree.lang import syntax as syn
from structtree.lang.background import arithmetic_kind

__all__ = ["InfixNotation", "TypedText"]


class TypedText(NamedTuple):
    """Expression in the target language, with the kind of its value."""

    text: str
    kind: Kind


class InfixNotation(NamedTuple):
    """Functions that write the parts of an expression in the target language.

    Parameters
    ----------
    operand : function
        Returns the expression for a value of a row.
    number : function
        Returns a numeric literal.
    quotient : function
        Returns the quotient of two expressions, which is missing if the divisor is 0.
    """

    operand: Callable[[syn.Operand], TypedText]
    number: Callable[[float], str]
    quotient: Callable[[str, str], str]

    def translated(self, expression: syn.Expression) -> TypedText:
        """Translate an expression to the target language.

        Examples
        --------
        >>> plain = InfixNotation(lambda value: TypedText(value.path[-1], "date"), str, "({} / {})".format)
        >>> plain.translated(syn.Arithmetic(syn.Operand(("paid",)), "+", 2))
        TypedText(text='(paid + 2)', kind='date')
        """
        match expression:
            case int() | float():
                return TypedText(self.number(expression), "int" if isinstance(expression, int) else "real")
            case syn.Operand():
                return self.operand(expression)
            case syn.Negative(inner):
                text, kind = self.translated(inner)
                return TypedText(f"(- {text})", kind)
            case syn.Absolute(inner):
                text, kind = self.translated(inner)
                return TypedText(f"abs({text})", kind)
            case syn.Smarts(pattern):
                raise UsageError(
                    f"{syn.SmartsName.of(pattern)} is evaluated by RDKit, which SQL and Prolog do not have; "
                    "export the model as SMARTS, or use a definition without smarts(...)"
                )
            case syn.Arithmetic(left, op, right):
                return self._combined(self.translated(left), op, self.translated(right))
            case _ as never:
                assert_never(never)

    def _combined(self, one: TypedText, op: str, other: TypedText) -> TypedText:
        kind = arithmetic_kind(one.kind, op, other.kind)
        assert kind is not None, "the expression was checked"
        if op == "/":
            return TypedText(self.quotient(one.text, other.text), kind)
        in_days = not {one.kind, other.kind} & {"date", "time"} or kind == "date" or one.kind == other.kind == "date"
        if in_days:
            return TypedText(f"({one.text} {op} {other.text})", kind)
        a, b = (each.text if each.kind == "time" else f"({each.text} * {DAY})" for each in (one, other))
        seconds = f"({a} {op} {b})"
        return TypedText(seconds if kind == "time" else f"({seconds} / {DAY})", kind)
