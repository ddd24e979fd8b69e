"""grammask beside xgrammar and llguidance, in one Python process: the calls of a server.

    python compare.py LLAMA3_TIKTOKEN_FILE [--schemas FOLDER] [--only NAME]

Needs grammask, torch, xgrammar 0.2.8 and llguidance 1.9.1. Each number is the median of many calls, in
microseconds, with rows in torch tensors. The time of empty calls is subtracted from accept and rollback, and
from a known fill. ``--schemas`` is a folder with one JSON Schema in each file. The percentiles are those of
the schemas that all libraries of the table compile.
"""

from __future__ import annotations

import argparse
import base64
import gc
import json
import pathlib
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

import grammask
import grammask.torch

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 40},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "email": {"type": "string", "pattern": "^[a-z]+@[a-z]+\\.com$"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "zip": {"type": "integer"}},
            "required": ["street"],
            "additionalProperties": False,
        },
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
DOCUMENT = (
    b'{"name": "Ada Lovelace", "age": 36, "tags": ["x", "yz"], "address": {"street": "A 1", "zip": 12}}'
)


def tokens_of(path: str) -> list[bytes]:
    """The ids of Llama 3: those of the file, and 256 special tokens."""
    tokens = []
    for line in pathlib.Path(path).read_bytes().splitlines():
        text, _ = line.split()
        tokens.append(base64.b64decode(text))
    return tokens + [f"<|special_{number}|>".encode() for number in range(256)]


class Library:
    """What all libraries have."""

    def nothing(self, matcher: Any, argument: int) -> None:
        """A call without work: what calling costs."""


class Grammask(Library):
    """The calls of this library."""

    name = "grammask"

    def __init__(self, tokens: list[bytes], end: int) -> None:
        special = {token: text.decode() for token, text in enumerate(tokens) if token > end - 2}
        plain = [None if token in special else text for token, text in enumerate(tokens)]
        self.vocabulary = grammask.Vocabulary(plain, special, end=end)
        self.rows = grammask.torch.allocate(256, self.vocabulary, pin=False)

    def compile(self, schema: Any) -> Any:
        return grammask.Grammar.json_schema(schema, self.vocabulary)

    def matcher(self, grammar: Any) -> Any:
        return grammar.matcher()

    def fill(self, matcher: Any, row: int) -> None:
        matcher.fill(self.rows, row)

    def accept(self, matcher: Any, token: int) -> bool:
        return matcher.accept(token)

    def rollback(self, matcher: Any, count: int) -> None:
        matcher.rollback(count)

    def batch(self, matchers: list[Any]) -> None:
        grammask.fill_masks(matchers, self.rows)

    def tree(self, matcher: Any, next_token: list[int], next_sibling: list[int], draft: list[int]) -> None:
        matcher.fill_tree(self.rows, next_token, next_sibling, draft)


class XGrammar(Library):
    """The calls of xgrammar."""

    name = "xgrammar"

    def __init__(self, tokens: list[bytes], end: int) -> None:
        import xgrammar

        self.library = xgrammar
        info = xgrammar.TokenizerInfo(
            tokens, xgrammar.VocabType.RAW, vocab_size=len(tokens), stop_token_ids=[end]
        )
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        self.rows = xgrammar.allocate_token_bitmask(256, len(tokens))
        self.batcher = xgrammar.BatchGrammarMatcher(max_threads=1)

    def compile(self, schema: Any) -> Any:
        return self.compiler.compile_json_schema(json.dumps(schema))

    def matcher(self, grammar: Any) -> Any:
        return self.library.GrammarMatcher(grammar)

    def fill(self, matcher: Any, row: int) -> None:
        matcher.fill_next_token_bitmask(self.rows, row)

    def accept(self, matcher: Any, token: int) -> bool:
        return matcher.accept_token(token)

    def rollback(self, matcher: Any, count: int) -> None:
        matcher.rollback(count)

    def batch(self, matchers: list[Any]) -> None:
        self.batcher.batch_fill_next_token_bitmask(matchers, self.rows)

    def tree(self, matcher: Any, next_token: list[int], next_sibling: list[int], draft: list[int]) -> None:
        arrays = [torch.tensor(values) for values in (next_token, next_sibling, draft)]
        matcher.traverse_draft_tree(*arrays, self.rows[: len(draft)])


class LLGuidance(Library):
    """The calls of llguidance."""

    name = "llguidance"

    def __init__(self, tokens: list[bytes], end: int) -> None:
        import llguidance
        import llguidance.torch

        self.library, self.torch = llguidance, llguidance.torch

        class Tokenizer:
            eos_token_id = end
            bos_token_id = None
            special_token_ids = list(range(end - 1, len(tokens)))

            def __init__(self) -> None:
                self.tokens = tokens
                self.ids = {text: token for token, text in enumerate(tokens)}

            def __call__(self, text: bytes) -> list[int]:
                return [self.ids[bytes([byte])] for byte in text]

        self.tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(Tokenizer()))
        self.rows = llguidance.torch.allocate_token_bitmask(256, len(tokens))
        self.executor = llguidance.LLExecutor(num_threads=1)

    def compile(self, schema: Any) -> Any:
        text = self.library.LLMatcher.grammar_from_json_schema(json.dumps(schema))
        matcher = self.library.LLMatcher(self.tokenizer, text, log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher

    def matcher(self, grammar: Any) -> Any:
        return grammar.deep_copy()

    def fill(self, matcher: Any, row: int) -> None:
        self.torch.fill_next_token_bitmask(matcher, self.rows, row)

    def accept(self, matcher: Any, token: int) -> bool:
        return matcher.consume_token(token)

    def rollback(self, matcher: Any, count: int) -> None:
        matcher.rollback(count)

    def batch(self, matchers: list[Any]) -> None:
        self.torch.fill_next_token_bitmask_par(
            self.executor, [(matcher, row) for row, matcher in enumerate(matchers)], self.rows
        )

    def tree(self, matcher: Any, next_token: list[int], next_sibling: list[int], draft: list[int]) -> None:
        raise TypeError("llguidance takes chains of draft tokens, no trees")


def median(work: Callable[[], Any], repeats: int, per_call: int = 1) -> float:
    """The median time of a call, in microseconds."""
    for _ in range(3):
        work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter_ns()
        work()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1000 / per_call


def once(work: Callable[[], Any]) -> tuple[float, Any]:
    """The time of one call, in microseconds, and its result."""
    start = time.perf_counter_ns()
    result = work()
    return (time.perf_counter_ns() - start) / 1000, result


def path_of(tokens: list[bytes]) -> list[int]:
    """The document as the longest tokens."""
    ids = {text: token for token, text in enumerate(tokens)}
    path, start = [], 0
    while start < len(DOCUMENT):
        end = next(end for end in range(len(DOCUMENT), start, -1) if DOCUMENT[start:end] in ids)
        path.append(ids[DOCUMENT[start:end]])
        start = end
    return path


def measure(
    library: Any, tokens: list[bytes], end: int, schemas: list[Any]
) -> tuple[dict[str, float], dict[int, float]]:
    """All numbers of one library, and the times of compile and first mask by the index of the schema."""
    found: dict[str, float] = {}
    found["vocabulary"], peer = once(lambda: library(tokens, end))
    path = path_of(tokens)
    found["compile"], grammar = once(lambda: peer.compile(SCHEMA))
    matcher = peer.matcher(grammar)
    firsts = []
    for token in path:
        firsts.append(once(lambda: peer.fill(matcher, 0))[0])
        assert peer.accept(matcher, token), (library.name, tokens[token])
    found["first fill, median"] = statistics.median(firsts)
    found["first fill, most"] = max(firsts)
    found["new matcher"] = median(lambda: peer.matcher(grammar), 2000)
    matcher = peer.matcher(grammar)
    for token in path[:6]:
        peer.accept(matcher, token)

    def step() -> None:
        peer.accept(matcher, path[6])
        peer.rollback(matcher, 1)

    def no_step() -> None:
        peer.nothing(matcher, path[6])
        peer.nothing(matcher, 1)

    found["accept + rollback"] = median(step, 5000) - median(no_step, 5000)
    found["known fill"] = median(lambda: peer.fill(matcher, 0), 5000) - median(
        lambda: peer.nothing(matcher, 0), 5000
    )
    matchers = []
    for number in range(256):
        own = peer.matcher(grammar)
        for token in path[: number % len(path)]:
            peer.accept(own, token)
        matchers.append(own)
    for count in (64, 256):
        found[f"batch of {count}, a mask"] = median(
            lambda count=count: peer.batch(matchers[:count]), 300, count
        )
    rows = peer.rows
    copies = torch.empty_like(rows)
    found["copying 256 rows, a row"] = median(lambda: copies.copy_(rows), 300, 256)
    nodes = 64
    chain = [0, *path[6:]]
    draft = [chain[node % len(chain)] for node in range(nodes)]
    next_token = [node * 2 + 1 if node * 2 + 1 < nodes else -1 for node in range(nodes)]
    next_sibling = [node + 1 if node % 2 == 1 and node + 1 < nodes else -1 for node in range(nodes)]
    try:
        found["tree of 64 nodes"] = median(lambda: peer.tree(matcher, next_token, next_sibling, draft), 300)
    except (NotImplementedError, TypeError, RuntimeError, AttributeError) as error:
        print(f"{library.name}: no draft tree ({type(error).__name__}: {str(error)[:80]})")
    times: dict[int, float] = {}
    for index, schema in enumerate(schemas):
        gc.collect(0)

        def compile_and_fill(schema: Any = schema) -> None:
            own = peer.matcher(peer.compile(schema))
            peer.fill(own, 0)

        try:
            times[index] = once(compile_and_fill)[0]
        except Exception as error:  # noqa: BLE001 - each library has errors of its own
            del error
    if schemas:
        found["schemas compiled"] = len(times)
    return found, times


def main() -> None:
    """Prints one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vocabulary")
    parser.add_argument("--schemas", type=pathlib.Path)
    parser.add_argument("--only")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    tokens = tokens_of(arguments.vocabulary)
    schemas = []
    if arguments.schemas:
        for path in sorted(arguments.schemas.glob("*.json"))[:300]:
            schemas.append(json.loads(path.read_text()))
    libraries = [Grammask, LLGuidance, XGrammar]
    if arguments.only:
        libraries = [library for library in libraries if library.name == arguments.only]
    columns: dict[str, dict[str, float]] = {}
    times: list[dict[int, float]] = []
    for library in libraries:
        columns[library.name], own = measure(library, tokens, 128_001, schemas)
        times.append(own)
    common = set(times[0]).intersection(*times[1:]) if times else set()
    for column, own in zip(columns.values(), times, strict=True):
        if common:
            ordered = sorted(own[index] for index in common)
            column[f"compile + first mask of {len(ordered)}, p50"] = statistics.median(ordered)
            column["the same, p99"] = ordered[int(len(ordered) * 0.99)]
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    print("| microseconds | " + " | ".join(columns) + " |\n| --- |" + " ---: |" * len(columns))
    for name in names:
        cells = [f"{column[name]:,.2f}" if name in column else "" for column in columns.values()]
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
