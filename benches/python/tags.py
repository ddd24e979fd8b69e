"""Structural tags of many tools with grammask and with xgrammar, in one Python process.

    python tags.py LLAMA3_TIKTOKEN_FILE TEXT_FILE [--tools N]

Needs grammask, numpy, torch, tiktoken, and xgrammar 0.2.8. The grammar is free text with calls of N tools,
400 unless told otherwise. Each call has the arguments of a JSON Schema of its own.

The first table has compiling with the first mask, in milliseconds of CPU time of the process: five new
compiles, which take turns. The libraries use one thread, and xgrammar no cache. grammask shares results
between the grammars of a vocabulary, so its first compile is listed by itself. The second table has one mask
at each token of the text, each from a state that is seen for the first time, in microseconds. The text is the
first 2,000 tokens of TEXT_FILE, with a call after each 500 of them.
"""

from __future__ import annotations

import argparse
import functools
import json
import pathlib
import statistics
import time
from collections.abc import Callable
from typing import Any

import compare
import tiktoken
import tiktoken.load

import grammask

ROUNDS = 5
LENGTH = 2000
CALL_EVERY = 500
KINDS: list[dict[str, Any]] = [
    {"type": "string"},
    {"type": "integer", "minimum": 0},
    {"type": "boolean"},
    {"type": "number"},
    {"enum": ["celsius", "fahrenheit", "kelvin"]},
    {"type": "array", "items": {"type": "string"}, "maxItems": 8},
    {"type": "string", "format": "date"},
    {
        "type": "object",
        "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}},
        "required": ["lat", "lon"],
    },
]
WORDS = ["city", "user", "path", "limit", "query", "unit", "date", "place", "mode", "tag", "owner", "page", "filter"]


def tool(number: int) -> tuple[str, dict[str, Any]]:
    """The name and the schema of a tool: two to six parameters, the first half of them required."""
    names = [f"{WORDS[(number + 3 * place) % len(WORDS)]}_{place}" for place in range(2 + number % 5)]
    properties = {name: KINDS[(number * 5 + place) % len(KINDS)] for place, name in enumerate(names)}
    schema = {
        "type": "object",
        "properties": properties,
        "required": names[: (len(names) + 1) // 2],
        "additionalProperties": False,
    }
    return f"{WORDS[number % len(WORDS)]}_service_{number}", schema


def structural_tag(tools: int) -> dict[str, Any]:
    tags = []
    for number in range(tools):
        name, schema = tool(number)
        content = {"type": "json_schema", "json_schema": schema}
        tags.append({"type": "tag", "begin": f"<function={name}>", "content": content, "end": "</function>"})
    tag = {"type": "triggered_tags", "triggers": ["<function="], "tags": tags}
    return {"type": "structural_tag", "format": tag}


class Grammask(compare.Grammask):
    """Structural tags of this library."""

    def compile(self, schema: Any) -> Any:
        return grammask.Grammar.structural_tag(schema, self.vocabulary)


class XGrammar(compare.XGrammar):
    """Structural tags of xgrammar."""

    def compile(self, schema: Any) -> Any:
        return self.compiler.compile_structural_tag(json.dumps(schema))


def microseconds(work: Callable[[], Any], clock: Callable[[], int] = time.perf_counter_ns) -> tuple[float, Any]:
    start = clock()
    result = work()
    return (clock() - start) / 1000, result


def first_mask(library: Any, tag: dict[str, Any]) -> Any:
    grammar = library.compile(tag)
    library.fill(library.matcher(grammar), 0)
    return grammar


def call(number: int) -> str:
    """A call of a tool, with the required parameters."""
    name, schema = tool(number)
    values: dict[str, Any] = {"string": "Berlin", "integer": 3, "boolean": True, "number": 1.5, "array": ["a", "b"]}
    arguments = {}
    for key in schema["required"]:
        kind = schema["properties"][key]
        if "enum" in kind:
            arguments[key] = kind["enum"][0]
        elif "format" in kind:
            arguments[key] = "2026-11-28"
        elif kind["type"] == "object":
            arguments[key] = {"lat": 52.5, "lon": 13.4}
        else:
            arguments[key] = values[kind["type"]]
    return f"<function={name}>{json.dumps(arguments)}</function>"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocabulary", help="llama3.tiktoken")
    parser.add_argument("text", help="a file with prose")
    parser.add_argument("--tools", type=int, default=400)
    arguments = parser.parse_args()
    tokens = compare.tokens_of(arguments.vocabulary)
    end = len(tokens) - 1
    libraries = [Grammask(tokens, end), XGrammar(tokens, end)]
    tag = structural_tag(arguments.tools)

    times: dict[str, list[float]] = {library.name: [] for library in libraries}
    grammars = {}
    for _ in range(ROUNDS):
        for library in libraries:
            work = functools.partial(first_mask, library, tag)
            spent, grammars[library.name] = microseconds(work, time.process_time_ns)
            times[library.name].append(spent / 1000)
    print(f"grammask {grammask.__version__}, {arguments.tools} tools, ms\n")
    print("| compile + first mask | first | median of the others |\n| --- | --: | --: |")
    for name, (first, *others) in times.items():
        print(f"| {name} | {first:.1f} | {statistics.median(others):.1f} |")

    ranks = tiktoken.load.load_tiktoken_bpe(arguments.vocabulary)
    pattern = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    encoding = tiktoken.Encoding("llama3", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    prose = encoding.encode(pathlib.Path(arguments.text).read_text()[: 20 * LENGTH])
    text: list[int] = []
    for number, start in enumerate(range(0, LENGTH, CALL_EVERY)):
        text += prose[start : start + CALL_EVERY] + encoding.encode(call(97 * number % arguments.tools))
    print(f"\n{len(text)} tokens, us\n")
    print("| one mask | mean | p50 | p99 | largest |\n| --- | --: | --: | --: | --: |")
    for library in libraries:
        matcher = library.matcher(first_mask(library, tag))
        spent = []
        for token in text:
            spent.append(microseconds(functools.partial(library.fill, matcher, 0))[0])
            if not library.accept(matcher, token):
                raise ValueError(f"{library.name} refuses token {token} of the text")
        spent.sort()
        percentiles = [statistics.mean(spent), *(spent[int(share * (len(spent) - 1))] for share in (0.5, 0.99, 1.0))]
        print(f"| {library.name} | " + " | ".join(f"{value:.1f}" for value in percentiles) + " |")


if __name__ == "__main__":
    main()
