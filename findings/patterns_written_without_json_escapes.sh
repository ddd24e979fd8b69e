#!/bin/sh
# XGrammar puts the characters that a `pattern` matches into the JSON string as they are. Where the pattern
# matches a quote, a backslash or a control character, what the grammar accepts is no JSON, and the right
# spelling is refused. Patterns for file paths of Windows and for quoted words are such ones.
#
# Expected: `{"pattern": "^C:\\\\$"}`, a drive with a backslash, takes "C:\\" with two backslashes.
# Seen:     it takes one backslash, which escapes the closing quote for a parser, and refuses two. A pattern for
#           a line break takes the line break itself, and refuses \n.
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


seen = []
for pattern, value in [(r"^C:\\$", "C:\\"), (r"^a\nb$", "a\nb")]:
    schema = {"type": "string", "pattern": pattern}
    right, raw = json.dumps(value), f"\"{value}\""
    try:
        json.loads(raw)
        is_json = True
    except ValueError:
        is_json = False
    seen.append((accepts(schema, right), accepts(schema, raw), is_json))
    print(f"{pattern}: {right} is accepted: {seen[-1][0]}; {raw!r}: {seen[-1][1]}, and it is JSON: {is_json}")
print("xgrammar", importlib.metadata.version("xgrammar"))
sys.exit(0 if seen == [(False, True, False)] * 2 else 1)
PYTHON
echo "as stated above"
