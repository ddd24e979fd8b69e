"""Writes the tables of crates/grammask-json-schema/src/language/format/idna_table.rs.

    python3 xtask/tables/idna.py > crates/grammask-json-schema/src/language/format/idna_table.rs

The classes follow RFC 5892 (which characters a label may have) and RFC 5893 (directions), computed from the
Unicode data of Python. Characters beyond U+FFFF are left out, and so are those that may combine with the
character before them in normal form C.
"""

import sys
import unicodedata

PVALID = {0x00DF, 0x03C2, 0x06FD, 0x06FE, 0x0F0B, 0x3007}
CONTEXT = {0x00B7, 0x0375, 0x05F3, 0x05F4, 0x30FB, 0x200C, 0x200D, *range(0x660, 0x66A), *range(0x6F0, 0x6FA)}
DISALLOWED = {0x0640, 0x07FA, 0x302E, 0x302F, *range(0x3031, 0x3036), 0x303B}
OLD_JAMO = {*range(0x1100, 0x1200), *range(0xA960, 0xA97D), *range(0xD7B0, 0xD7FC)}
IGNORABLE = {
    0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0x200B, 0x2010),
    *range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0x20D0, 0x2100), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF,
    0xFFA0, *range(0xFFF0, 0xFFF9),
}  # fmt: skip
LETTERS_AND_DIGITS = {"Ll", "Lu", "Lo", "Nd", "Lm", "Mn", "Mc"}


def is_valid(code):
    if code in PVALID:
        return True
    if code in CONTEXT | DISALLOWED | OLD_JAMO | IGNORABLE:
        return False
    text = chr(code)
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return folded == text and unicodedata.category(text) in LETTERS_AND_DIGITS


def may_combine():
    """Returns the characters that combine with the one before them in normal form C."""
    seconds = set()
    for code in range(0x110000):
        decomposed = unicodedata.decomposition(chr(code)).split()
        if len(decomposed) == 2 and not decomposed[0].startswith("<"):
            first, second = (chr(int(part, 16)) for part in decomposed)
            if unicodedata.normalize("NFC", first + second) == chr(code):
                seconds.add(ord(second))
    return seconds


def ranges(codes):
    codes, found = sorted(codes), []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return [f"\\u{{{a:x}}}" if a == b else f"\\u{{{a:x}}}-\\u{{{b:x}}}" for a, b in found]


def literal(codes):
    """Returns a string literal of Rust for a class, on several lines."""
    lines, line = [], "    "
    for part in ranges(codes):
        if len(line) + len(part) > 104:
            lines.append(line + "\\")
            line = "    "
        line += part
    return '"\\\n' + "\n".join([*lines, line]) + '"'


def constant(comment, name, codes):
    print(f"\n/// {comment}\npub(super) const {name}: &str = {literal(codes)};")


def main():
    combining = may_combine()
    valid = [code for code in range(0x80, 0xD800) if is_valid(code)]
    valid += [code for code in range(0xE000, 0x10000) if is_valid(code)]
    valid = [code for code in valid if code not in combining]
    direction = {code: unicodedata.bidirectional(chr(code)) for code in valid}
    order = {code: unicodedata.combining(chr(code)) for code in valid}
    is_mark = {code: unicodedata.category(chr(code)).startswith("M") for code in valid}
    right = {code for code in valid if direction[code] in ("R", "AL", "AN")}
    left = set(valid) - right
    print("//! Characters of labels in international host names, as classes of regular expressions.")
    print("//!")
    print(f"//! Written by `xtask/tables/idna.py` from Unicode {unicodedata.unidata_version}.")
    bases = {code for code in left if not is_mark[code] and order[code] == 0}
    constant("Characters that may begin a label that is written from left to right.", "LEFT", bases)
    constant("Marks that may follow any character, from left to right.", "MARKS", {
        code for code in left if is_mark[code] and order[code] == 0
    })
    constant("Characters that may begin a label that is written from right to left.", "RIGHT", {
        code for code in right if not is_mark[code] and order[code] == 0 and direction[code] != "AN"
    })
    constant("Marks that kill a vowel. A joiner may follow them.", "VIRAMAS", {
        code for code in left if order[code] == 9
    })
    constant("Dots below, of class 7.", "NUKTAS", {code for code in left if order[code] == 7})
    # Overlays, of class 1, are left out.
    marks = {code for code in left if order[code] > 9}
    print("\n/// The marks of each class above 9, in the order of normal form C.")
    print("pub(super) const ORDERED_MARKS: &[&str] = &[")
    for combining_class in sorted({order[code] for code in marks} - set(range(10, 37))):
        codes = {code for code in marks if order[code] == combining_class}
        print(f"    {literal(codes)},")
    print("];")
    constant("Marks of labels that are written from right to left.", "RIGHT_MARKS", {
        code for code in marks if 0x590 <= code < 0x900 and direction[code] == "NSM"
    })
    greek = {code for code in bases if 0x370 <= code < 0x400 or 0x1F00 <= code < 0x2000}
    constant("Letters of Greek.", "GREEK", greek)
    constant("Letters of Hebrew.", "HEBREW", {code for code in right if 0x5D0 <= code < 0x5F3 and not is_mark[code]})
    japanese = [*range(0x3041, 0x3097), *range(0x309D, 0x309F), *range(0x30A1, 0x30FB), *range(0x30FC, 0x30FF)]
    japanese += [0x3005, 0x3007, *range(0x3400, 0x4DC0), *range(0x4E00, 0xA000)]
    constant("Hiragana, Katakana and Han.", "JAPANESE", {code for code in japanese if code in bases})


main()
