"""Token masks for language models: outputs obey a grammar or a JSON Schema.

>>> import grammask
>>> vocabulary = grammask.Vocabulary([b"yes", b"no", b",", b"ye", b"s"], {5: "<|end|>"}, end="<|end|>")
>>> grammar = grammask.Grammar.kbnf("start ::= answer (',' answer)*; answer ::= 'yes' | 'no';", vocabulary)
>>> matcher = grammar.matcher()
>>> matcher.allowed()
[0, 1, 3]
>>> matcher.accept(0), matcher.is_complete
(True, True)
"""

from grammask._grammask import (
    Grammar,
    GrammarCache,
    Matcher,
    Request,
    Vocabulary,
    __version__,
    check_choice,
    check_ebnf,
    check_gbnf,
    check_json_schema,
    check_kbnf,
    check_lark,
    check_regex,
    check_structural_tag,
    fill_masks,
)
from grammask.errors import (
    Cancelled,
    GrammarError,
    InternalError,
    LimitError,
    VocabularyError,
    VocabularyMismatch,
)

__all__ = [
    "Cancelled",
    "Grammar",
    "GrammarCache",
    "GrammarError",
    "InternalError",
    "LimitError",
    "Matcher",
    "Request",
    "Vocabulary",
    "VocabularyError",
    "VocabularyMismatch",
    "__version__",
    "check_choice",
    "check_ebnf",
    "check_gbnf",
    "check_json_schema",
    "check_kbnf",
    "check_lark",
    "check_regex",
    "check_structural_tag",
    "fill_masks",
]
