#!/bin/sh
# With a parser of thoughts, SGLang 0.5.23 wraps its grammar backend. The wrapper reads three functions from
# the backend that BaseGrammarBackend does not declare and that SGLang's own backend for llguidance lacks. So
# each request with a grammar fails, and the server says nothing at its start.
#
# Expected: `--grammar-backend llguidance --reasoning-parser qwen3` constrains what follows the thoughts, as
#           xgrammar's backend does. What the wrapper needs would be declared by the base class.
# Seen:     both backends are made; xgrammar compiles a schema; with llguidance the same schema raises
#           AttributeError for `allocate_vocab_mask`, which the scheduler reports as a grammar that does not
#           compile. A backend of one's own needs `allocate_vocab_mask`, `move_vocab_mask` and
#           `apply_vocab_mask` as well as the functions of the base class.
#
# Runs without grammask, on the CPU. Needs Python 3.11, a network, and 8 GB in a temporary folder, most of it
# PyTorch.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    torch==2.15.0 torchvision==0.29.2 transformers==5.24.0 llguidance==1.9.1 apache-tvm-ffi==0.1.15.post2 \
    numpy==2.4.6 pillow==13.0.0 orjson==3.13.0 psutil==7.2.2 pybase64==1.5.1 requests==2.34.2 \
    pydantic==2.14.4 tqdm==4.70.1 aiohttp==3.14.5 fastapi==0.165.0 ipython==9.18.1 msgspec==0.22.0 \
    pyzmq==27.3.0 openai==3.57.0 dill==0.4.1 partial-json-parser==0.2.1.1.post7 sentencepiece==0.2.3 \
    compressed-tensors==0.20.1 gguf==0.19.0 einops==0.8.2
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
    sglang==0.5.23 xgrammar==0.2.8
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys

from sglang.srt.constrained.base_grammar_backend import create_grammar_backend
from sglang.srt.runtime_context import get_context
from sglang.version import __version__
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

# All bytes, and two special tokens.
alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
plain = Tokenizer(models.BPE(vocab={char: token for token, char in enumerate(alphabet)}, merges=[]))
plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
plain.decoder = decoders.ByteLevel()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=plain, eos_token="<end>")
tokenizer.add_special_tokens({"additional_special_tokens": ["<think>", "</think>"]})
thoughts_end = tokenizer.convert_tokens_to_ids("</think>")


def compile_with(backend):
    """Compiles a schema with a backend. Returns the type of the result, or the error."""
    with get_context().override_server_args(grammar_backend=backend, reasoning_parser="qwen3"):
        made = create_grammar_backend(
            None, tokenizer, len(tokenizer), {tokenizer.eos_token_id}, think_end_ids=[thoughts_end]
        )
        future, _ = made.get_cached_or_future_value(("json", '{"type": "integer"}'), True)
        try:
            return type(future.result()).__name__
        except AttributeError as error:
            return f"AttributeError: {error}"


print("sglang", __version__)
seen = {backend: compile_with(backend) for backend in ("xgrammar", "llguidance")}
for backend, result in seen.items():
    print(f"{backend}: {result}")
is_as_stated = seen["xgrammar"] == "ReasonerGrammarObject" and "allocate_vocab_mask" in seen["llguidance"]
sys.exit(0 if is_as_stated else 1)
PYTHON
echo "as stated above"
