import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, final

__all__ = [
    "Grammar",
    "GrammarCache",
    "Matcher",
    "Request",
    "Vocabulary",
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

__version__: str

_End = int | str | Iterable[int | str] | None
_Begin = int | str | None

@final
class Vocabulary:
    """The tokens of a model."""

    def __new__(
        cls,
        tokens: Iterable[bytes | None],
        special: Mapping[int, str] | None = None,
        *,
        end: _End = None,
        size: int | None = None,
    ) -> Vocabulary: ...
    @staticmethod
    def load(
        data: bytes | str | os.PathLike[str],
        *,
        format: str | None = None,
        added: str | Iterable[str] | None = None,
        end: _End = None,
        size: int | None = None,
    ) -> Vocabulary:
        """Reads a tokenizer in any format: its bytes, its path, or a folder with the files of a model.

        The configurations of a folder say which tokens end a sequence. ``size`` is by default the number of
        logits that the file says, or the number of ids.

        ``format`` is detected unless it is given: ``"tokenizer.json"``, ``"sentencepiece"``, ``"gguf"``,
        ``"tekken"``, ``"tiktoken"`` or ``"tiktoken:NAME"`` with the special tokens of a known vocabulary,
        ``"tiktoken-json"``, ``"rwkv-text"``, ``"rwkv-json"``, ``"vocab.json"`` or
        ``"vocab.json:SPELLING"`` with ``literal``, ``byte-level`` or ``sentencepiece``.

        ``added`` says which added tokens are special: ``"turns"`` for those with the flag and those that end,
        begin or separate turns (the default), ``"flag"``, ``"all"``, or their names.
        """
    @staticmethod
    def from_tokenizer(
        tokenizer: Any,
        *,
        format: str | None = None,
        added: str | Iterable[str] | None = None,
        end: _End = None,
        size: int | None = None,
    ) -> Vocabulary:
        """Makes a vocabulary of a tokenizer object of another library; see ``grammask.tokenizers``."""
    def resized(self, size: int) -> Vocabulary:
        """A vocabulary with the same tokens and ends, for another number of logits."""
    def with_ends(self, end: _End) -> Vocabulary:
        """A vocabulary with the same tokens and other ends."""
    def with_known_ends(self) -> Vocabulary:
        """A vocabulary with the same tokens, and as ends the special tokens whose names end a text in known
        models.
        """
    @property
    def size(self) -> int:
        """The number of logits that a mask covers."""
    @property
    def words(self) -> int:
        """The number of 32-bit words in a row."""
    @property
    def ends(self) -> list[int]:
        """The ids of the tokens that end an output, unless a grammar is given others."""
    @property
    def begins(self) -> list[int]:
        """The ids of the tokens that begin a sequence, as far as the tokenizer says so."""
    @property
    def rows(self) -> int:
        """The number of logits that the tokenizer says the model has, else the number of ids."""
    @property
    def strips_first_space(self) -> bool:
        """True if the decoder removes one space at the beginning of a text. The tokens keep it."""
    @property
    def notes(self) -> list[str]:
        """Remarks about how a file was read, and a warning if no token ends an output."""
    @property
    def special_tokens(self) -> dict[int, str]:
        """The special tokens: id to name. Another name of ``special``."""
    @property
    def special(self) -> dict[int, str]:
        """The special tokens: id to name."""
    @property
    def fingerprint(self) -> int:
        """A number that is equal for equal vocabularies, ends and sizes apart."""
    def token(self, token: int) -> bytes | None:
        """The bytes of a token; ``None`` for special tokens and ids without a token."""
    def stats(self) -> dict[str, int]:
        """Sizes of what all grammars of the vocabulary share."""
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Grammar:
    """A grammar that is compiled for a vocabulary."""

    @staticmethod
    def kbnf(
        text: str,
        vocabulary: Vocabulary,
        *,
        start: str | None = None,
        end: _End = None,
        begin: _Begin = None,
    ) -> Grammar:
        """Compiles a KBNF text. Raises ``GrammarError`` if it is wrong.

        ``start`` is the name of the first rule. ``end`` are the tokens that end an output, those of the
        vocabulary by default. With ``begin``, a token id, the name of a special token or a text, everything
        but an end is allowed up to its first occurrence, and the grammar begins after it.
        """
    @staticmethod
    def json_schema(
        schema: Any, vocabulary: Vocabulary, *, end: _End = None, begin: _Begin = None, **options: Any
    ) -> Grammar:
        """Compiles a JSON Schema: text, a dict, a Pydantic model or a ``TypeAdapter``.

        ``end`` and ``begin`` are as for ``kbnf``.

        Options: ``profile`` (``"generation"`` or ``"standard"``, a set of options that the others change),
        ``whitespace`` (``"bounded"``, ``"flexible"``, ``"compact"`` or a pair of separators),
        ``max_whitespace`` (bytes, with ``whitespace="flexible"``), ``surrounding_whitespace`` (a bool),
        ``literal_escapes`` for keys, ``enum`` and ``const``, and ``string_escapes`` for other strings
        (``"any"``, ``"short"``, ``"required"``), ``integers`` (``"any"``, ``"digits"``, ``"32"``, ``"53"``,
        ``"64"``), ``numbers`` (``"any"``, ``"double"``), ``order`` (``"any"``, ``"as-written"``), ``extra``
        (``"open"``, ``"closed"``), ``formats`` (``"extended"``, ``"asserted"``, ``"annotations"``),
        ``date_times`` (``"any"``, ``"common"``), ``naive_times`` (a bool), ``untagged_unions`` (``"exact"``,
        ``"omitted"``), ``pattern_dialect`` (``"auto"``, ``"ecma"``, ``"rust"``, ``"python"``),
        ``unsupported`` (``"error"``, ``"relax"``), ``draft`` (``"2020-12"``, ``"2019-09"``, ``"draft7"``,
        ``"draft6"``, ``"draft4"``, ``"openapi-3.0"``), ``documents`` (a dict from URI to schema).

        ``prefetch`` is a budget of work, in nodes of the vocabulary's trie, for masks that compiling computes
        ahead: with at least 1, those after ``{"`` and ``[``; 0 by default. A server that compiles well before
        the first output takes 2048.
        """
    @staticmethod
    def gbnf(
        text: str,
        vocabulary: Vocabulary,
        *,
        start: str | None = None,
        end: _End = None,
        begin: _Begin = None,
    ) -> Grammar:
        """Compiles a text in GBNF, the notation of llama.cpp. ``start`` is ``root`` by default."""
    @staticmethod
    def ebnf(
        text: str,
        vocabulary: Vocabulary,
        *,
        start: str | None = None,
        end: _End = None,
        begin: _Begin = None,
    ) -> Grammar:
        """Compiles a text in the EBNF of xgrammar. ``start`` is ``root`` by default."""
    @staticmethod
    def lark(
        text: str, vocabulary: Vocabulary, *, end: _End = None, begin: _Begin = None, **options: Any
    ) -> Grammar:
        """Compiles a text in Lark, in the dialect of llguidance or in that of Lark itself.

        The options are those of ``json_schema``, for the schemas in ``%json {…}``. By default, properties have
        the order of the schema.
        """
    @staticmethod
    def structural_tag(
        tag: Any, vocabulary: Vocabulary, *, end: _End = None, begin: _Begin = None, **options: Any
    ) -> Grammar:
        """Compiles structural tags of xgrammar: a JSON text, or an object.

        The options are those of ``json_schema``, for the schemas in the tags. By default they are read as
        xgrammar reads them: properties have the order of the schema and no others are allowed, and keywords
        without a grammar are dropped with a note. ``profile`` keeps these three.
        """
    @staticmethod
    def regex(
        pattern: str,
        vocabulary: Vocabulary,
        *,
        end: _End = None,
        begin: _Begin = None,
    ) -> Grammar:
        """Compiles a regular expression, which outputs match from end to end."""
    @staticmethod
    def choice(
        choices: Iterable[str],
        vocabulary: Vocabulary,
        *,
        end: _End = None,
        begin: _Begin = None,
    ) -> Grammar:
        """Compiles texts, of which the output is one."""
    @staticmethod
    def load(data: bytes, vocabulary: Vocabulary) -> Grammar:
        """Reads what ``save`` wrote, for an equal vocabulary."""
    def save(self, *, warm: bool = False) -> bytes:
        """The compiled grammar as bytes; with ``warm``, the masks that are known as well."""
    def matcher(self, *, end: _End = None) -> Matcher:
        """A matcher at the beginning of an output.

        ``end`` are the tokens that end this output, instead of those of the grammar. Matchers with the same
        ends share their masks.
        """
    def warm(self, *, states: int = 1000, threads: int = 1) -> None:
        """Computes masks before they are asked for: breadth first, of at most ``states`` states."""
    @property
    def relaxations(self) -> list[dict[str, str | bool]]:
        """The parts of the schema that outputs are not held to."""
    @property
    def ends(self) -> list[int]:
        """The ids of the tokens that end an output."""
    @property
    def notes(self) -> list[str]:
        """Remarks for the person who runs the grammar: that no token ends an output is one."""
    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary that the grammar was compiled for."""
    def stats(self) -> dict[str, int | float]:
        """Sizes of the grammar's tables, how often masks were asked for, and the seconds for first visits."""
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Matcher:
    """Follows one output: which tokens may come next, and where the output is."""

    def accept(self, token: int) -> bool:
        """Accepts a token; returns ``False`` and changes nothing if it is not allowed."""
    def accept_bytes(self, data: bytes) -> bool:
        """Accepts bytes as if they were one token."""
    def accept_all(self, tokens: Iterable[int]) -> int:
        """Accepts tokens up to the first that is not allowed; returns how many were accepted."""
    def validate(self, tokens: Iterable[int]) -> int:
        """How many of these tokens could be accepted, one after the other. Changes nothing."""
    def rollback(self, count: int = 1) -> None:
        """Takes back the last ``count`` tokens."""
    def reset(self) -> None:
        """Goes back to the beginning of the output."""
    def copy(self) -> Matcher:
        """A matcher in the same place, which goes its own way from here."""
    def fill(self, rows: Any, index: int = 0) -> None:
        """Writes the mask into row ``index``: token ``t`` is bit ``t % 32`` of word ``t // 32``."""
    def fill_within(self, rows: Any, tokens: int, index: int = 0) -> bool:
        """Writes the mask of the tokens after which the output can still end within ``tokens`` tokens.

        The next token and an end token count. Returns ``False``, and writes zeros, if there is none.
        """
    def fill_ends(self, rows: Any, index: int = 0) -> None:
        """Writes a row that allows the end tokens and nothing else."""
    def fill_tree(
        self,
        rows: Any,
        next_token: Sequence[int],
        next_sibling: Sequence[int],
        draft: Sequence[int],
        start: int = 0,
        *,
        keep: bool = False,
    ) -> int:
        """Writes the masks along a tree of draft tokens without accepting any of them.

        ``draft[n]`` is the token of node ``n``; node 0 is the last accepted token. ``next_token[n]`` is the
        first child of node ``n``, ``next_sibling[n]`` its next sibling, -1 where there is none. Row ``start +
        n`` gets the mask after node ``n``. Rows of nodes that cannot be reached are 0, or stay as they are
        with ``keep``, as do those after an end. Returns the number of nodes that can be accepted, node 0
        included.
        """
    def forced_bytes(self) -> bytes:
        """The bytes that every output has next."""
    def forced_tokens(self, tokenize: Callable[[bytes], Iterable[int]]) -> list[int]:
        """The tokens that need no model."""
    def allowed(self) -> list[int]:
        """The ids of all tokens that may come next."""
    def min_tokens_to_end(self) -> int | None:
        """The number of tokens with which the output can end, an end token included: the least one unless the
        search meets its limits. ``None`` if no completion is known.
        """
    def tokens_to_end(self) -> tuple[int, int | None]:
        """Bounds on the number of tokens to the end, which are equal unless the search meets its limits."""
    @property
    def ends(self) -> list[int]:
        """The ids of the tokens that end the output."""
    @property
    def is_complete(self) -> bool:
        """True if the output so far is in the language."""
    @property
    def is_finished(self) -> bool:
        """True if the output has ended: nothing more is accepted."""
    @property
    def is_stuck(self) -> bool:
        """True if the output has not ended and no token can follow."""
    @property
    def text(self) -> bytes:
        """The bytes that were accepted."""
    @property
    def error(self) -> str | None:
        """The limit that the last call met, or ``None``."""
    def stats(self) -> dict[str, int | float]:
        """Masks that this matcher was asked for since it was made or reset."""
    @property
    def grammar(self) -> Grammar:
        """The grammar."""
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __copy__(self) -> Matcher: ...
    def __deepcopy__(self, _memo: Any) -> Matcher: ...

@final
class Request:
    """A caller of ``GrammarCache.get`` that may give up."""

    def __new__(cls) -> Request: ...
    @property
    def is_cancelled(self) -> bool:
        """True if ``GrammarCache.cancel`` was called for it."""

@final
class GrammarCache:
    """Compiled grammars of one vocabulary, by their text and options, for the requests of a server.

    Requests for one grammar at the same time share one compile. Grammars that were used least recently are
    dropped when the tables of all together have more than ``budget`` bytes.
    """

    def __new__(cls, vocabulary: Vocabulary, *, budget: int = 268435456) -> GrammarCache: ...
    def get(
        self,
        kind: str,
        source: Any,
        *,
        end: _End = None,
        begin: _Begin = None,
        request: Request | None = None,
        **options: Any,
    ) -> Grammar:
        """Returns the grammar of a source: compiles it on this thread, or waits for another thread that does.

        ``kind`` is the name of a method of ``Grammar``, such as ``"json_schema"``; the options are those of
        the method. Raises what the method raises, and ``Cancelled`` if ``request`` is cancelled. Errors are
        not kept.
        """
    def cancel(self, request: Request) -> None:
        """Cancels a request. Its compile stops if no other request waits for it."""
    def clear(self) -> None:
        """Drops all grammars. Those in use stay alive."""
    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of all grammars."""
    def stats(self) -> dict[str, int]:
        """Counts: ``grammars``, ``bytes``, ``budget``, ``compiling``, ``hits``, ``misses``, ``shared``,
        ``failures``, ``cancelled``, ``evicted``.
        """
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...

def check_kbnf(text: str, *, start: str | None = None) -> None:
    """Checks a KBNF text without a vocabulary. Raises ``GrammarError`` if it is wrong."""

def check_gbnf(text: str, *, start: str | None = None) -> None:
    """Checks a GBNF text without a vocabulary. Raises ``GrammarError`` if it is wrong."""

def check_ebnf(text: str, *, start: str | None = None) -> None:
    """Checks an EBNF text without a vocabulary. Raises ``GrammarError`` if it is wrong."""

def check_regex(pattern: str) -> None:
    """Checks a regular expression without a vocabulary. Raises ``GrammarError`` if it is wrong."""

def check_lark(text: str, **options: Any) -> None:
    """Checks a text in Lark without a vocabulary. Raises ``GrammarError`` if it is wrong."""

def check_structural_tag(tag: Any, **options: Any) -> None:
    """Checks structural tags without a vocabulary. Raises ``GrammarError`` if they are wrong."""

def check_choice(choices: Iterable[str]) -> None:
    """Checks a list of texts without a vocabulary. Raises ``GrammarError`` if it is wrong."""

def check_json_schema(schema: Any, **options: Any) -> list[dict[str, str | bool]]:
    """Checks a JSON Schema without a vocabulary; returns its relaxations."""

def fill_masks(
    matchers: Sequence[Matcher], rows: Any, *, indices: Sequence[int] | None = None, threads: int = 1
) -> int:
    """Writes the masks of a batch, without the GIL; returns the number of matchers that met a limit."""
