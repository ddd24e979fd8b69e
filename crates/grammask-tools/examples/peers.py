"""Checks the outputs of `tests/outputs.toml` with XGrammar. Run by hand:

    cargo run --example tags -p grammask-tools | python crates/grammask-tools/examples/peers.py

A folder with stubs of `torch` and `transformers` may be given as argument.
"""

import json
import sys

if len(sys.argv) > 1:
    sys.path.insert(0, sys.argv[1])

import xgrammar
from xgrammar.testing import _is_grammar_accept_string

wrong = total = 0
for line in sys.stdin:
    case = json.loads(line)
    total += 1
    try:
        grammar = xgrammar.Grammar.from_structural_tag(json.dumps(case["tag"]))
        found = _is_grammar_accept_string(grammar, case["text"])
    except Exception as error:
        found = str(error).strip().splitlines()[0]
    if found != case["accept"]:
        wrong += 1
        print(case["format"], "expected", case["accept"], "found", found, repr(case["text"]))
print(f"{total} outputs, {wrong} differ")
