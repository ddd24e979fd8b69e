"""Compares grammask with llama.cpp and XGrammar on random grammars and texts. Run by hand.

    compare.py gbnf GRAMMASK LLAMA COUNT [SEED]    LLAMA is llama.cpp (the program of llama_texts.cpp)
    compare.py ebnf GRAMMASK - COUNT [SEED]        needs the Python package xgrammar 0.2.8
    compare.py tags GRAMMASK - COUNT [SEED]        needs the Python package xgrammar 0.2.8

GRAMMASK is the command `grammask`. Each difference is printed with its seed; the last line counts them.
Grammars that a peer refuses are counted and skipped: left recursion and nullable repetitions in llama.cpp.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp())
LETTERS = "aabbcc\nd"


def grammask(command, notation, grammar, text):
    """Returns A (in the language), L (live prefix), R (rejected) or G (grammar error), and the output."""
    file, output = FOLDER / "grammar", FOLDER / "text"
    file.write_text(grammar)
    output.write_text(text)
    arguments = [command, "accept", "--notation", notation, file, "--file", output]
    run = subprocess.run(arguments, capture_output=True, text=True)
    return {0: "A", 1: "R", 2: "L", 4: "G"}.get(run.returncode, "X"), run.stderr


def llama(command, grammar, texts):
    """Returns the verdicts of llama.cpp, or None if it refuses the grammar."""
    file, lines = FOLDER / "grammar", FOLDER / "texts"
    file.write_text(grammar)
    lines.write_text("".join(text.encode().hex() + "\n" for text in texts))
    run = subprocess.run([command, file, lines], capture_output=True, text=True)
    verdicts = run.stdout.split("\n")
    return None if run.returncode or verdicts[0] == "GERR" else [verdict[0] for verdict in verdicts[: len(texts)]]


def xgrammar(make, texts):
    """Returns the verdicts of XGrammar, or None if it refuses the grammar."""
    from xgrammar.testing import _get_matcher_from_grammar

    try:
        grammar = make()
        return [xgrammar_verdict(_get_matcher_from_grammar(grammar), text) for text in texts]
    except Exception:  # Its errors have no common type.
        return None


def xgrammar_verdict(matcher, text):
    for byte in text.encode():
        if not matcher.accept_string(bytes([byte])):
            return "R"
    return "A" if matcher.is_completed() else "L"


def element(rng):
    if rng.random() < 0.5:
        return '"' + "".join(rng.choice("abc") for _ in range(rng.randint(0, 3))) + '"'
    members = "".join(rng.choice(["a", "b", "c", "a-b", "b-c", "\\n"]) for _ in range(rng.randint(1, 2)))
    return "[" + rng.choice(["", "^"]) + members + "]"


def expression(rng, names, depth):
    kind = rng.random()
    if depth == 0 or kind < 0.35:
        return element(rng)
    if kind < 0.5:
        return rng.choice(names)
    parts = [expression(rng, names, depth - 1) for _ in range(rng.randint(1, 3))]
    if kind < 0.7:
        return " ".join(parts)
    group = "(" + " | ".join(parts) + ")"
    return group if kind < 0.85 else group + rng.choice(["*", "+", "?", "{2}", "{1,2}", "{1,}", "{0,2}"])


def random_grammar(rng):
    names = ["root", "x", "y-z"][: rng.randint(1, 3)]
    rules = []
    for index, name in enumerate(names):
        known = names if rng.random() < 0.3 else names[index + 1 :] or names
        alternatives = [expression(rng, known, 3) for _ in range(rng.randint(1, 3))]
        rules.append(f"{name} ::= " + " | ".join(alternatives))
    return "\n".join(rules) + "\n"


def random_dispatch(rng):
    triggers = rng.sample(["ab", "b", "ca", "abc", "bc", "a"], rng.randint(1, 3))
    excludes = rng.sample(["cc", "ac", "ba", "abb", "ccc"], rng.randint(0, 2))
    operands = [f'("{trigger}", t)' for trigger in triggers]
    if excludes:
        operands.append("excludes=(" + ", ".join(f'"{text}"' for text in excludes) + ",)")
    if rng.random() < 0.3:
        operands.append("loop_after_dispatch=false")
    tail = rng.choice(["", ' "c"'])
    return f'root ::= TagDispatch({", ".join(operands)}){tail}\nt ::= "d" | "c" "d"\n'


def random_format(rng, depth):
    text = lambda: "".join(rng.choice("abc") for _ in range(rng.randint(1, 2)))
    kinds = ["const_string", "any_text", "regex", "tag"]
    if depth:
        kinds += ["sequence", "or", "optional", "star", "triggered_tags", "tags_with_separator", "dispatch"]
    kind = rng.choice(kinds)
    value = {"type": kind}
    inner = lambda: random_format(rng, max(depth - 1, 0))
    tag = lambda begin: {"type": "tag", "begin": begin, "content": inner(), "end": rng.choice(["d", "cd", ["d", "b"]])}
    if kind == "const_string":
        value["value"] = text()
    elif kind == "any_text":
        value["excludes"] = [text() for _ in range(rng.randint(0, 1))]
    elif kind == "regex":
        value["pattern"] = rng.choice(["a*", "[ab]+", "a|bc", "(ab)?c"])
    elif kind in ("sequence", "or"):
        value["elements"] = [inner() for _ in range(rng.randint(1, 3))]
    elif kind in ("optional", "star"):
        value["content"] = inner()
    elif kind == "tag":
        value = tag(text()) if depth else {"type": "const_string", "value": text()}
    else:
        flags = {"at_least_one": rng.random() < 0.3, "stop_after_first": rng.random() < 0.3}
        if kind == "triggered_tags":
            triggers = rng.sample(["a", "bc", "cb"], rng.randint(1, 2))
            tags = [tag(trigger + rng.choice(["", "a", "b"])) for trigger in triggers]
            value |= {"triggers": triggers, "tags": tags, "excludes": [text() for _ in range(rng.randint(0, 1))], **flags}
        elif kind == "tags_with_separator":
            value |= {"tags": [tag(text()) for _ in range(rng.randint(1, 2))], "separator": rng.choice(["", "c"]), **flags}
        else:
            value |= {"rules": [[text(), inner()] for _ in range(rng.randint(1, 2))], "loop": rng.random() < 0.7}
    return value


def main():
    notation, command, peer, count = *sys.argv[1:4], int(sys.argv[4])
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    total, different, refused = 0, 0, 0
    for number in range(seed, seed + count):
        rng = random.Random(number)
        if notation == "tags":
            grammar = json.dumps({"type": "structural_tag", "format": random_format(rng, 2)})
        else:
            grammar = random_dispatch(rng) if notation == "ebnf" and rng.random() < 0.4 else random_grammar(rng)
        texts = ["".join(rng.choice(LETTERS) for _ in range(rng.randint(0, 6))) for _ in range(12)]
        if notation == "gbnf":
            verdicts = llama(peer, grammar, texts)
        else:
            import xgrammar as peer_module

            make = peer_module.Grammar.from_ebnf if notation == "ebnf" else peer_module.Grammar.from_structural_tag
            verdicts = xgrammar(lambda: make(grammar), texts)
        if verdicts is None:
            refused += 1
            continue
        for text, verdict in zip(texts, verdicts):
            total += 1
            found, error = grammask(command, notation, grammar, text)
            if found != verdict:
                different += 1
                print(f"seed {number}: {grammar!r} {text!r}: {verdict}, grammask {found} {error}")
    print(f"{total} texts, {different} different; {refused} of {count} grammars refused by the peer")


main()
