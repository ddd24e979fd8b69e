#!/bin/sh
# XGrammar writes the numbers of `enum` and `const` with 17 significant digits. A model that should choose among
# prices or weights cannot write 0.1: it must write 0.10000000000000001, digit by digit, which is another
# text for most users of the document, and some fifteen tokens.
#
# Expected: `{"const": 0.1}` takes the text 0.1, the shortest one of that number and the one in the schema.
# Seen:     it takes 0.10000000000000001 only, `{"const": 19.99}` takes 19.989999999999998 only, and 0.5, which
#           a double holds exactly, is 0.5.
#
# Runs without grammask. Needs Python 3.11, a network, and 6 GB in a temporary folder, most of it PyTorch.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check xgrammar==0.2.8 torch==2.15.0
"$folder/venv/bin/python" - <<'PYTHON'
import importlib.metadata
import json
import sys

import xgrammar

END = 256
tokens = [bytes([byte]) for byte in range(256)] + [b"</s>"]
info = xgrammar.TokenizerInfo(tokens, xgrammar.VocabType.RAW, vocab_size=257, stop_token_ids=[END])
compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)


def accepts(schema, text, **options):
    """Returns True if the text, byte by byte, and the end token are accepted."""
    matcher = xgrammar.GrammarMatcher(compiler.compile_json_schema(json.dumps(schema), **options))
    return all(matcher.accept_token(token) for token in [*text.encode(), END])


seen = {}
for number, digits in [(0.1, "0.10000000000000001"), (19.99, "19.989999999999998"), (0.5, "0.50000000000000000")]:
    seen[number] = [accepts({"const": number}, text) for text in [str(number), digits]]
    print(f"const {number}: {number} is accepted: {seen[number][0]}, {digits}: {seen[number][1]}")
print("xgrammar", importlib.metadata.version("xgrammar"))
sys.exit(0 if seen == {0.1: [False, True], 19.99: [False, True], 0.5: [True, False]} else 1)
PYTHON
echo "as stated above"
