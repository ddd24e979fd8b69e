"""Compares the verdicts of grammask-lark with those of llguidance and XGrammar on generated grammars.

Run by hand, in a virtual environment with the packages `llguidance` and `xgrammar`:

    cargo build --example verdicts -p grammask-lark
    python crates/grammask-lark/examples/peers.py target/debug/examples/verdicts --seeds 0 500
    python crates/grammask-lark/examples/peers.py target/debug/examples/verdicts --mistral

`--stubs DIR` adds a folder with small modules `torch` and `transformers`, which XGrammar imports.
`--mistral` renders the templates of the installed `mistral_common` in all their modes and loads each result.
"""

import argparse
import collections
import itertools
import json
import pathlib
import random
import subprocess
import sys


class Grammar:
    """A random grammar: rules without recursion and terminals of regular parts, with a sampler."""

    def __init__(self, rng, with_lazy, with_ignore):
        self.rng = rng
        self.letters = "abc"
        self.terminals = {}
        self.rules = {}
        self.ignored = rng.choice([" ", None]) if with_ignore else None
        for i in range(rng.randint(1, 3)):
            self.terminals[f"T{i}"] = self.terminal(2)
        for i in reversed(range(rng.randint(1, 4))):
            self.rules[f"r{i}"] = self.rule(2, list(self.rules))
        self.heads = {}
        if with_lazy:
            self.heads["head"] = rng.choice(["ab", "c", "bc"])
        self.rules["start"] = self.rule(3, list(self.rules))

    def terminal(self, depth):
        kind = self.rng.randrange(6 if depth else 2)
        if kind == 0:
            return ("text", "".join(self.rng.choices(self.letters, k=self.rng.randint(1, 3))))
        if kind == 1:
            return ("class", "".join(sorted(set(self.rng.choices(self.letters, k=2)))))
        if kind == 2:
            return ("or", [self.terminal(depth - 1) for _ in range(2)])
        if kind == 3:
            return ("seq", [self.terminal(depth - 1) for _ in range(2)])
        bounds = [(0, None), (1, None), (0, 1), (1, 2), (2, 3)]
        return ("repeat", self.terminal(depth - 1), *self.rng.choice(bounds))

    def rule(self, depth, names):
        kind = self.rng.randrange(8 if depth else 4)
        if kind == 0 and names:
            return ("name", self.rng.choice(names))
        if kind <= 1:
            return ("name", self.rng.choice(list(self.terminals)))
        if kind <= 3:
            return self.terminal(0)
        if kind == 4:
            return ("or", [self.rule(depth - 1, names) for _ in range(self.rng.randint(2, 3))])
        if kind <= 6:
            return ("seq", [self.rule(depth - 1, names) for _ in range(self.rng.randint(2, 3))])
        bounds = [(0, None), (1, None), (0, 1), (1, 2)]
        return ("repeat", self.rule(depth - 1, names), *self.rng.choice(bounds))

    def write(self, tree):
        kind = tree[0]
        if kind == "text":
            return json.dumps(tree[1])
        if kind == "class":
            return f"/[{tree[1]}]/"
        if kind == "name":
            return tree[1]
        if kind == "or":
            return "(" + " | ".join(map(self.write, tree[1])) + ")"
        if kind == "seq":
            return "(" + " ".join(map(self.write, tree[1])) + ")"
        low, high = tree[2:]
        sign = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((low, high), f"~{low}..{high}")
        return self.write(tree[1]) + sign

    def text(self):
        lines = [f"{name}: {self.write(tree)}" for name, tree in self.rules.items()]
        lines += [f"{name}: {self.write(tree)}" for name, tree in self.terminals.items()]
        for name, marker in self.heads.items():
            lines[-1:] = [lines[-1], f'{name}[lazy]: ANY "{marker}"', "ANY: /(.|\\n)*/", "tail: ANY"]
            lines = [line.replace("start:", f"start: ({name} r0)* tail\nunused_start:") for line in lines]
        if self.ignored:
            lines.append(f"%ignore {json.dumps(self.ignored)}")
        return "\n".join(lines) + "\n"

    def sample(self, tree, is_terminal=False):
        blank = self.ignored if self.ignored and not is_terminal and self.rng.random() < 0.2 else ""
        kind = tree[0]
        if kind == "text":
            return tree[1] + blank
        if kind == "class":
            return self.rng.choice(tree[1]) + blank
        if kind == "name":
            if tree[1] in self.terminals:
                return self.sample(self.terminals[tree[1]], True) + blank
            return self.sample(self.rules[tree[1]])
        if kind == "or":
            return self.sample(self.rng.choice(tree[1]), is_terminal)
        if kind == "seq":
            return "".join(self.sample(part, is_terminal) for part in tree[1])
        low, high = tree[2:]
        count = self.rng.randint(low, high if high is not None else low + 2)
        return "".join(self.sample(tree[1], is_terminal) for _ in range(count))

    def texts(self):
        found = {""}
        for _ in range(12):
            sample = self.sample(self.rules["start"])
            if self.heads:
                marker = next(iter(self.heads.values()))
                piece = lambda: "".join(self.rng.choices(self.letters, k=self.rng.randint(0, 3)))
                sample = piece() + marker + self.sample(self.rules["r0"]) + piece()
            found.add(sample)
            if sample:
                at = self.rng.randrange(len(sample))
                found.add(sample[:at] + self.rng.choice(self.letters + " ") + sample[at:])
                found.add(sample[:at] + sample[at + 1 :])
        return sorted(text for text in found if len(text) < 40)


def of_llguidance():
    from llguidance import LLMatcher, LLTokenizer

    tokenizer = LLTokenizer("byte")

    def verdict(grammar, text):
        matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_lark(grammar), log_level=0)
        if matcher.is_error():
            return "error"
        for at, byte in enumerate(text.encode()):
            if matcher.is_stopped() or not matcher.consume_token(byte):
                return f"reject@{at}"
        return "accept" if matcher.is_accepting() else "prefix"

    return verdict


def of_xgrammar():
    import xgrammar
    from xgrammar.testing import _get_matcher_from_grammar

    compiled = {}

    def verdict(grammar, text):
        if grammar not in compiled:
            compiled.clear()
            try:
                compiled[grammar] = xgrammar.Grammar.from_lark(grammar)
            except Exception:
                compiled[grammar] = None
        if compiled[grammar] is None:
            return "error"
        matcher = _get_matcher_from_grammar(compiled[grammar])
        for at, byte in enumerate(text.encode()):
            if not matcher.accept_string(bytes([byte])):
                return f"reject@{at}"
        return "accept" if matcher.is_completed() else "prefix"

    return verdict


def ours(program, cases):
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    output = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def compare(program, seeds):
    peers = {}
    for name, make in [("llguidance", of_llguidance), ("xgrammar", of_xgrammar)]:
        try:
            peers[name] = make()
        except ImportError as error:
            print(f"without {name}: {error}")
    cases = []
    for seed in range(*seeds):
        rng = random.Random(seed)
        grammar = Grammar(rng, seed % 4 == 3, seed % 3 == 1)
        cases.append({"grammar": grammar.text(), "texts": grammar.texts()})
    counts = collections.Counter()
    shown = collections.Counter()
    for seed, case, answer in zip(itertools.count(seeds[0]), cases, ours(program, cases)):
        for name, verdict in peers.items():
            for at, text in enumerate(case["texts"]):
                found = answer["verdicts"][at] if "verdicts" in answer else "error"
                expected = verdict(case["grammar"], text)
                kind = f"{expected.split('@')[0]} there, {found.split('@')[0]} here"
                kind = "equal" if found == expected else kind
                counts[name, kind] += 1
                if found != expected:
                    shown[name, kind] += 1
                    if shown[name, kind] <= 3:
                        print(f"seed {seed}, {name}: {text!r}: {expected} there, {found} here")
                        print(case["grammar"], answer.get("error", ""))
    for (name, kind), count in sorted(counts.items()):
        print(f"{name}: {kind}: {count}")


def mistral(program):
    import jinja2
    import mistral_common

    folder = pathlib.Path(mistral_common.__file__).parent / "guidance" / "data"
    schema = json.dumps({"type": "object", "properties": {"a": {"type": "integer"}}})
    call = f"<[9]> SAFE_WS? /.+/ <[32]> SAFE_WS? %json {schema} SAFE_WS?"
    cases = []
    for path in sorted(folder.glob("*.lark.jinja")):
        template = jinja2.Template(path.read_text())
        modes = itertools.product(["auto", "required", "none"], [schema, None], [True, False], [True, False])
        for mode, json_schema, json_only, think_with_json in modes:
            grammar = template.render(
                mode=mode,
                fcall=f"({call})+",
                json_schema_str=json_schema,
                parallel_tool_calls=True,
                json_only=json_only,
                think_with_json=think_with_json,
                begin_think_token="<[34]>",
                end_think_token="<[35]>",
            )
            cases.append({"grammar": grammar, "texts": ["a"], "name": path.name})
    refused = 0
    for case, answer in zip(cases, ours(program, cases)):
        if "error" in answer:
            refused += 1
            print(case["name"], answer["error"], case["grammar"], sep="\n")
    print(f"{len(cases)} grammars, {refused} refused")
    return refused


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seeds", nargs=2, type=int, default=[0, 100])
    parser.add_argument("--stubs")
    parser.add_argument("--mistral", action="store_true")
    arguments = parser.parse_args()
    if arguments.stubs:
        sys.path.insert(0, arguments.stubs)
    if arguments.mistral:
        sys.exit(mistral(arguments.program))
    compare(arguments.program, arguments.seeds)


if __name__ == "__main__":
    main()
