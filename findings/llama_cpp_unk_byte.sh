#!/bin/sh
# llama.cpp prints `[UNK_BYTE_0x...]` for tokens of Command-R whose text is outside the byte-level alphabet.
#
# The vocabulary has 1,403 tokens such as U+200D, which joins emoji. They are spelled as they are, not in the
# alphabet of byte-level BPE. The decoder `ByteLevel` of Hugging Face's tokenizers leaves such texts alone.
# A constraint engine that takes the token's bytes and a server that takes llama.cpp's text then disagree.
#
# Expected: llama_token_to_piece gives the three bytes E2 80 8D for id 264.
# Seen:     5B 55 4E 4B ... = "[UNK_BYTE_0xe2808d" E2 80 8D "]"
#
# Runs without grammask. Needs Python 3.11, a network, and about 150 MB in a temporary folder.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
python="$folder/venv/bin/python"
"$python" -m pip install --quiet --disable-pip-version-check tokenizers==0.23.3 xllamacpp==2026.10.11549
# The source package has the vocabularies of llama.cpp.
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary llama-cpp-python \
    --dest "$folder" llama-cpp-python==0.3.36
tar -xzf "$folder/llama_cpp_python-0.3.36.tar.gz" -C "$folder" --wildcards '*/ggml-vocab-command-r.gguf'
gguf=$(find "$folder" -name ggml-vocab-command-r.gguf)
"$python" - "$gguf" <<'PYTHON' 2>/dev/null
import ctypes
import glob
import importlib.metadata
import os
import sys

import xllamacpp
from tokenizers import AddedToken, Tokenizer, decoders, models


class Parameters(ctypes.Structure):
    """`llama_model_params`: 80 bytes in this version, of which byte 72 is `vocab_only`."""

    _fields_ = [("raw", ctypes.c_ubyte * 80)]


(path,) = glob.glob(os.path.join(os.path.dirname(xllamacpp.__file__), "*.so"))
llama = ctypes.CDLL(path)
pointer, number = ctypes.c_void_p, ctypes.c_int32
for name, result, arguments in [
    ("llama_model_default_params", Parameters, []),
    ("llama_model_load_from_file", pointer, [ctypes.c_char_p, Parameters]),
    ("llama_model_get_vocab", pointer, [pointer]),
    ("llama_vocab_n_tokens", number, [pointer]),
    ("llama_vocab_get_text", ctypes.c_char_p, [pointer, number]),
    ("llama_token_to_piece", number, [pointer, number, ctypes.c_char_p, number, number, ctypes.c_bool]),
]:
    function = getattr(llama, name)
    function.restype, function.argtypes = result, arguments
llama.llama_backend_init()
parameters = llama.llama_model_default_params()
parameters.raw[72] = 1
model = llama.llama_model_load_from_file(sys.argv[1].encode(), parameters)
vocab = llama.llama_model_get_vocab(model)

buffer = ctypes.create_string_buffer(1 << 16)
unlike, first = 0, None
for token in range(llama.llama_vocab_n_tokens(vocab)):
    length = llama.llama_token_to_piece(vocab, token, buffer, len(buffer), 0, False)
    piece = buffer.raw[:length]
    if piece.startswith(b"[UNK_BYTE_"):
        unlike += 1
        first = first or (token, piece, llama.llama_vocab_get_text(vocab, token))

token, piece, text = first
# A vocabulary with this one token, and the decoder that Command-R has at Hugging Face.
tokenizer = Tokenizer(models.BPE(vocab={"a": 0, text.decode(): 1}, merges=[]))
tokenizer.decoder = decoders.ByteLevel()
decoded = tokenizer.decode([1]).encode()
versions = {name: importlib.metadata.version(name) for name in ["xllamacpp", "tokenizers"]}
print(versions)
print(f"id {token}, text {text!r}: llama.cpp prints {piece!r}, tokenizers decodes {decoded!r}")
print(f"{unlike} ids begin with [UNK_BYTE_; expected 0")
sys.exit(0 if unlike == 1403 and decoded == text and b"[UNK_BYTE_" not in decoded else 1)
PYTHON
echo "as stated above"
