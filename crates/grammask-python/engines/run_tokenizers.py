"""Vocabularies against the libraries that they are made from: the bytes of each id.

python run_tokenizers.py [MODEL_FOLDER]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import grammask


def compare(name: str, tokenizer: Any, bytes_of: Callable[[int], bytes | None], count: int) -> None:
    """Compares all ids; prints the number of equal ones."""
    vocabulary = grammask.Vocabulary.from_tokenizer(tokenizer)
    different = []
    for token in range(count):
        expected = bytes_of(token)
        found = vocabulary.token(token)
        if expected is not None and found != expected:
            different.append((token, expected, found))
    if different:
        print(f"{name} | {len(different)} of {count} ids differ: {different[:5]}")
        raise SystemExit(1)
    print(f"{name} | {count} ids equal, ends {vocabulary.ends} |")


def tiktoken_encodings() -> None:
    """tiktoken: an encoding made of bytes and pairs, as its files need a network."""
    import tiktoken

    ranks = {bytes([byte]): byte for byte in range(256)}
    for first in b"etaoin":
        for second in b"shrdlu":
            ranks[bytes([first, second])] = len(ranks)
    special = {"<|endoftext|>": len(ranks) + 3, "<|im_end|>": len(ranks) + 4}
    encoding = tiktoken.Encoding("test", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens=special)

    def bytes_of(token: int) -> bytes | None:
        return None if token >= len(ranks) else encoding.decode_single_token_bytes(token)

    compare(f"tiktoken {tiktoken.__version__}", encoding, bytes_of, encoding.n_vocab)


def transformers_tokenizer(folder: str) -> None:
    """transformers and tokenizers: each token decoded between two others, which keeps its spaces."""
    import tokenizers
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    special = set(tokenizer.all_special_ids) | {
        token for token, added in tokenizer.added_tokens_decoder.items() if added.special
    }
    before = tokenizer.encode("a", add_special_tokens=False)
    start = tokenizer.decode(before)

    def bytes_of(token: int) -> bytes | None:
        text = tokenizer.decode([*before, token], clean_up_tokenization_spaces=False)
        # A token that is a part of a character decodes to a replacement.
        if token in special or "\ufffd" in text:
            return None
        return text[len(start) :].encode()

    compare(f"transformers {transformers.__version__}", tokenizer, bytes_of, len(tokenizer))
    compare(f"tokenizers {tokenizers.__version__}", tokenizer.backend_tokenizer, bytes_of, len(tokenizer))


def sentencepiece_processor() -> None:
    """SentencePiece: a model that is trained here, with a fallback to bytes."""
    import io

    import sentencepiece

    words = ["the", "quick", "brown", "fox", "jumps", "over", "lazy", "dogs", "caf\u00e9", "na\u00efve"]
    sentences = [" ".join(words[(line * step) % len(words)] for step in range(1, 9)) for line in range(400)]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_writer=model, vocab_size=330, byte_fallback=True,
        model_type="bpe", minloglevel=2, hard_vocab_limit=False,
    )  # fmt: skip
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())

    def bytes_of(token: int) -> bytes | None:
        if processor.is_control(token) or processor.is_unknown(token):
            return None
        if processor.is_byte(token):
            return bytes([int(processor.id_to_piece(token)[3:5], 16)])
        # Between two pieces, `decode` keeps the space of a piece.
        other = processor.piece_to_id("a")
        return processor.decode([other, token])[1:].encode()

    compare(f"sentencepiece {sentencepiece.__version__}", processor, bytes_of, processor.get_piece_size())


def mistral_tokenizer() -> None:
    """mistral-common: the Tekken tokenizer that its package contains, if it does."""
    import pathlib

    import mistral_common
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    files = sorted(pathlib.Path(mistral_common.__file__).parent.glob("data/tekken*.json"))
    if not files:
        print(f"mistral-common {mistral_common.__version__} | no file in the package |")
        return
    tokenizer = Tekkenizer.from_file(files[0])
    specials = tokenizer.num_special_tokens

    def bytes_of(token: int) -> bytes | None:
        return None if token < specials else tokenizer.id_to_byte_piece(token)

    compare(f"mistral-common {mistral_common.__version__}", tokenizer, bytes_of, tokenizer.n_words)


def main() -> None:
    """Compares what is installed."""
    for run in (tiktoken_encodings, sentencepiece_processor, mistral_tokenizer):
        try:
            run()
        except ImportError as error:
            print(f"{run.__name__} | not installed: {error} |")
    if len(sys.argv) > 1:
        transformers_tokenizer(sys.argv[1])


if __name__ == "__main__":
    main()
