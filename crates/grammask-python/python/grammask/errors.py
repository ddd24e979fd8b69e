"""The exceptions of grammask."""

from typing import Any

__all__ = [
    "Cancelled",
    "GrammarError",
    "InternalError",
    "LimitError",
    "VocabularyError",
    "VocabularyMismatch",
]


class GrammarError(ValueError):
    """A grammar or a JSON Schema that does not compile.

    ``diagnostics`` is a list of dicts, one for each error. A KBNF error has ``message``, ``hint``, ``start``,
    ``end`` (byte offsets), ``line`` and ``column`` (from 1). A schema's error has ``message``, ``pointer`` (a
    JSON pointer) and ``keyword``. ``rendered`` shows a KBNF error with the source line and a caret; it is
    ``None`` for schemas.
    """

    def __init__(
        self, message: str, diagnostics: list[dict[str, Any]] | None = None, rendered: str | None = None
    ) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics or []
        self.rendered = rendered

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.diagnostics, self.rendered)


class LimitError(RuntimeError):
    """A limit of the configuration is exceeded. The object that was called is as before."""


class Cancelled(RuntimeError):
    """A request of a ``GrammarCache`` that was cancelled while its grammar was compiled."""


class VocabularyError(ValueError):
    """Tokens or a tokenizer file that do not make a vocabulary."""


class VocabularyMismatch(ValueError):
    """A saved grammar that was compiled for another vocabulary."""


class InternalError(RuntimeError):
    """A fault in grammask. The object that was called cannot be used any more."""
