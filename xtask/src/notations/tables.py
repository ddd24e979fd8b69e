"""Compares grammask with other programs on tables of grammars and texts. Run by hand.

    cargo build -p grammask-cli --example notations
    python xtask/src/notations/tables.py target/debug/examples/notations [--llama PROGRAM] [--show] [NAME …]

Each `NAME` is a file of `xtask/src/notations/tables/`, by default all: lines of JSON with a notation, a grammar
and texts. Peers are the Python packages xgrammar 0.2.8, llguidance 1.9.1 and lark 1.3.1, the module `re`, and
llama.cpp (the program of llama_texts.cpp). Each runs in a process of its own, which is ended if it takes long.

A difference is of a kind of `KINDS`, which docs/notations.md and docs/lark.md list, or it is printed. The last
lines are a table: grammars, grammars that only one side refuses, texts, texts with the same verdict, texts of
a listed kind, others.
"""

import argparse
import collections
import json
import pathlib
import re
import select
import subprocess
import sys
import tempfile

PEERS = {
    "gbnf": ["llama.cpp"],
    "ebnf": ["xgrammar"],
    "tags": ["xgrammar"],
    "lark": ["llguidance", "xgrammar", "lark"],
    "regex-xgrammar": ["xgrammar"],
    "regex-rust": ["llguidance"],
    "regex-python": ["re"],
    "regex-auto": ["xgrammar", "llguidance", "re"],
}

# Name, notations, peers, pattern in the grammar, pattern in a pair of verdicts (peer, grammask).
KINDS = [
    ("dead prefixes", ".*", ".*", "", "LR"),
    ("JSON Schema keywords", "tags|lark", ".*", r'"(not|allOf|uniqueItems|patternProperties|x-guidance)"', ".."),
    ("required alone", "lark", "xgrammar", r'"required":\["z"\]', ".."),
    ("exponents", "lark", ".*", '"minimum"', "RL"),
    ("lengths and excludes", "tags", ".*", '"(min|max)Length"', ".."),
    ("any order", "tags", ".*", '"any_order": true', "A."),
    ("named keys", "tags", ".*", '"additionalProperties": true', ".."),
    ("max_chars", "tags", ".*", '"max_chars"', "RA"),
    ("token sets", ".*", ".*", r"!<\[|any_tokens|<\[\^|<\[\*", ".."),
    ("max_tokens", "lark|tags", ".*", "max_tokens", ".."),
    ("capture of lexemes", "lark", "llguidance", r"\[capture.*\]: A B", ".."),
    ("empty suffix", "lark", "llguidance", 'suffix=""', "AR"),
    ("lazy lexemes", "lark", "xgrammar", r"lazy", ".."),
    ("budget of characters", "lark", "xgrammar", "max_chars", ".."),
    ("classes of a regex", "regex-auto|lark", ".*", r"\\[dDwWsSAzZpP]|\.|\[\[|&&|\\x\{", ".."),
    ("classes of xgrammar", "regex-.*", "xgrammar", r"\[\\\^|\\w-z|\[\\1|\\07|uD83D|\[\^\]a", ".."),
    ("classes of rust", "regex-auto", "llguidance", r"--|~~|\[\[|\[\^?\]|a\{", ".."),
    ("classes of python", "regex-auto", "re", r"\{,3\}|uD83D|\[\^?\]|\\B", ".."),
    ("anchors inside", "regex-auto", ".*", r"a[$^]b", ".."),
    ("cuts into lexemes", "lark", "llguidance|lark", "", "[LNR]A"),
    ("ignored first", "lark", "lark", "%ignore", "AR"),
    ("greedy terminals", "lark", "lark", "", "A[LR]"),
    ("TagDispatch()", "ebnf", ".*", r"TagDispatch\(\)", ".."),
]


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--llama")
    parser.add_argument("--show", action="store_true", help="print differences of listed kinds, too")
    return parser.parse_args()


class Peer:
    """A process that answers for all peers."""

    def __init__(self, llama):
        self.llama = llama
        self.process = None

    def ask(self, case):
        if self.process is None:
            command = [sys.executable, str(pathlib.Path(__file__).with_name("peers.py")), self.llama or ""]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
            self.process = subprocess.Popen(command, text=True, bufsize=1, **pipes)
            self.process.stdout.readline()
        try:
            self.process.stdin.write(json.dumps(case) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.process = None
            return None
        ready, _, _ = select.select([self.process.stdout], [], [], 20)
        answer = self.process.stdout.readline() if ready else ""
        if not answer:
            self.process.kill()
            self.process.wait()
            self.process = None
            return None
        return json.loads(answer)


def verdicts(program, cases):
    """Returns the answers of grammask: verdicts, or an error."""
    with tempfile.TemporaryFile("w+") as lines:
        lines.writelines(json.dumps(case) + "\n" for case in cases)
        lines.seek(0)
        run = subprocess.run([program], stdin=lines, capture_output=True, text=True, check=True)
    # Other characters that end lines may be in texts.
    return [json.loads(line) for line in run.stdout.split("\n") if line]


def kind_of(notation, peer, grammar, pair):
    for name, notations, peers, pattern, pairs in KINDS:
        fits = re.fullmatch(notations, notation) and re.fullmatch(peers, peer) and re.fullmatch(pairs, pair)
        if fits and re.search(pattern, grammar):
            return name
    return None


def main():
    options = arguments()
    folder = pathlib.Path(__file__).with_name("tables")
    files = [folder / f"{name}.jsonl" for name in options.names] or sorted(folder.glob("*.jsonl"))
    cases = [json.loads(line) for file in files for line in file.read_text().split("\n") if line]
    peer = Peer(options.llama)
    counts = collections.defaultdict(collections.Counter)
    kinds = collections.Counter()
    for case, own in zip(cases, verdicts(options.program, cases), strict=True):
        notation, grammar, texts = case["notation"], case["grammar"], case["texts"]
        for name in PEERS[notation]:
            if name == "llama.cpp" and not options.llama:
                continue
            count = counts[notation, name]
            answer = peer.ask({**case, "peer": name})
            count["grammars"] += 1
            if answer is None or "verdicts" not in own:
                if answer is not None:
                    count["refused here"] += 1
                    print(f"{notation}, {name}: refused here: {grammar!r}: {own['error']}")
                elif "verdicts" in own:
                    count["refused there"] += 1
                continue
            for text, there, here in zip(texts, answer, own["verdicts"], strict=True):
                count["texts"] += 1
                # N is "not accepted": these peers do not tell prefixes.
                if there == here or there == "N" and here in "LR":
                    count["same"] += 1
                    continue
                kind = kind_of(notation, name, grammar, there + here)
                count["listed" if kind else "other"] += 1
                kinds[kind, notation, name] += 1
                if options.show or not kind:
                    print(f"{notation}, {name}: {grammar!r} {text!r}: {there}, here {here} ({kind})")
    columns = ["grammars", "refused here", "refused there", "texts", "same", "listed", "other"]
    print("| notation | peer | " + " | ".join(columns) + " |")
    print("| --- " * (len(columns) + 2) + "|")
    for (notation, name), count in sorted(counts.items()):
        print(f"| {notation} | {name} | " + " | ".join(str(count[column]) for column in columns) + " |")
    for (kind, notation, name), count in sorted(kinds.items(), key=str):
        print(f"{notation}, {name}: {kind}: {count}")


main()
