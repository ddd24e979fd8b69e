"""Builds the program of llama_texts.cpp: llama.py FOLDER. Needs the network and a C++ compiler.

The sources of llama.cpp are those in the source package of llama-cpp-python, 76 MB, which is kept in FOLDER.
"""

import pathlib
import subprocess
import sys
import tarfile

PACKAGE = "llama-cpp-python==0.3.36"
SOURCES = ["llama-grammar.cpp", "unicode.cpp", "unicode-data.cpp"]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob("*.tar.gz")):
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--no-binary", "llama-cpp-python", PACKAGE], cwd=folder, check=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    sources = next(folder.glob("*/vendor/llama.cpp"))
    includes = [f"-I{sources / name}" for name in ("src", "include", "ggml/include")]
    program = pathlib.Path(__file__).with_name("llama_texts.cpp")
    files = [program, *(sources / "src" / name for name in SOURCES)]
    subprocess.run(["c++", "-std=c++17", "-O1", *includes, *files, "-o", folder / "llama_texts"], check=True)


main()
