#!/bin/sh
# A JSON string with `minLength` or `maxLength` has no escapes in XGrammar. So it holds no quote, no backslash
# and no line break, however long it may be. Without the two keywords, all escapes are allowed. A schema for
# program code or quoted text loses them when somebody adds a generous `maxLength`.
#
# Expected: the keywords count characters, and `\n` is one.
# Seen:     `{"type": "string"}` takes "a\nb", "\"" and "\\". With `"maxLength": 20` or `"minLength": 1`, it
#           refuses the three, and takes "a b".
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


TEXTS = [json.dumps(text) for text in ["a\nb", "\"", "\\", "a b"]]
seen = {}
for bounds in [{}, {"maxLength": 20}, {"minLength": 1}]:
    schema = {"type": "string", **bounds}
    seen[json.dumps(bounds)] = [accepts(schema, text) for text in TEXTS]
    print(schema, dict(zip(TEXTS, seen[json.dumps(bounds)])))
print("xgrammar", importlib.metadata.version("xgrammar"))
bounded = [False, False, False, True]
expected = {"{}": [True] * 4, json.dumps({"maxLength": 20}): bounded, json.dumps({"minLength": 1}): bounded}
sys.exit(0 if seen == expected else 1)
PYTHON
echo "as stated above"
