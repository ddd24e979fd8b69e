#!/bin/sh
# XGrammar requires a property only if `properties` has a schema for it. Tools whose arguments are any JSON are
# often described so: the name in `required`, and no more. The call then comes without the argument, and
# nothing says that the keyword had no effect.
#
# Expected: `required` names are required, or the schema is an error, as closing it leaves no object.
# Seen:     with `properties` of "a" and `"required": ["a", "c"]`, an object without "c" is accepted. In the
#           default mode, one with "c" is refused; with `strict_mode=False`, both are accepted.
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


SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a", "c"]}
TEXTS = ["{\"a\": 1}", "{\"a\": 1, \"c\": 2}"]
seen = {}
for strict_mode in [True, False]:
    seen[strict_mode] = [accepts(SCHEMA, text, strict_mode=strict_mode) for text in TEXTS]
    print(f"strict_mode={strict_mode}:", dict(zip(TEXTS, seen[strict_mode])))
print("xgrammar", importlib.metadata.version("xgrammar"))
sys.exit(0 if seen == {True: [True, False], False: [True, True]} else 1)
PYTHON
echo "as stated above"
