"""Answers for the peers of tables.py: lines of JSON in, verdicts or null out.

A is accepted, L a live prefix, R rejected, N not accepted.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp())


def llama(grammar, texts):
    file, lines = FOLDER / "grammar", FOLDER / "texts"
    file.write_text(grammar, newline="")
    lines.write_text("".join(text.encode().hex() + "\n" for text in texts))
    run = subprocess.run([sys.argv[1], file, lines], capture_output=True, text=True, timeout=10)
    answers = run.stdout.split("\n")
    return None if run.returncode or answers[0] == "GERR" else "".join(line[0] for line in answers[: len(texts)])


def xgrammar(notation, grammar, texts):
    import xgrammar as peer
    from xgrammar.testing import _get_matcher_from_grammar

    make = {"ebnf": "from_ebnf", "tags": "from_structural_tag", "lark": "from_lark"}.get(notation, "from_regex")
    made = getattr(peer.Grammar, make)(grammar)

    def verdict(text):
        matcher = _get_matcher_from_grammar(made)
        if all(matcher.accept_string(bytes([byte])) for byte in text.encode()):
            return "A" if matcher.is_completed() else "L"
        return "R"

    return "".join(map(verdict, texts))


def llguidance(notation, grammar, texts):
    from llguidance import LLMatcher, LLTokenizer

    make = LLMatcher.grammar_from_lark if notation == "lark" else LLMatcher.grammar_from_regex
    first = LLMatcher(LLTokenizer("byte"), make(grammar), log_level=0)
    if first.is_error():
        return None

    def verdict(text):
        matcher = first.deep_copy()
        if any(matcher.is_stopped() or not matcher.consume_token(byte) for byte in text.encode()):
            return "R"
        return "A" if matcher.is_accepting() else "L"

    return "".join(map(verdict, texts))


def lark(grammar, texts):
    from lark import Lark, LarkError

    parser = Lark(grammar)

    def verdict(text):
        try:
            parser.parse(text)
        except LarkError:
            return "N"
        return "A"

    return "".join(map(verdict, texts))


def answer(case):
    peer, notation, grammar, texts = (case[key] for key in ("peer", "notation", "grammar", "texts"))
    if peer == "llama.cpp":
        return llama(grammar, texts)
    if peer == "xgrammar":
        return xgrammar(notation, grammar, texts)
    if peer == "llguidance":
        return llguidance(notation, grammar, texts)
    if peer == "lark":
        return lark(grammar, texts)
    pattern = re.compile(grammar)
    return "".join("A" if pattern.fullmatch(text) else "N" for text in texts)


def main():
    # The packages print to stdout.
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    out.write("ready\n")
    for line in sys.stdin:
        try:
            result = answer(json.loads(line))
        except BaseException:  # The errors of the packages have no common type.
            result = None
        out.write(json.dumps(result) + "\n")


main()
