"""Gemma's SentencePiece model as a tokenizer of the library that everything else here uses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tokenizers
from sentencepiece import SentencePieceProcessor, sentencepiece_model_pb2
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers

from ...data.errors import IsyaratError

SPACE = "▁"
# PaliGemma's own pieces: places in a picture, and codewords of segmentation masks (arXiv:2407.07726, section 3.2).
LOCATIONS, SEGMENTS = 1024, 128
EXTRA = [*(f"<loc{i:04}>" for i in range(LOCATIONS)), *(f"<seg{i:03}>" for i in range(SEGMENTS))]
# Texts that tell other normalisations from Gemma's, which changes nothing.
PROBES = ("apa kabar", " apa", "apa  kabar ", "A\tb\n\nc", "ﬁ ① Ａ", "é", "\U0001f91f")


def convert_sentencepiece(path: Path) -> tokenizers.Tokenizer:
    """Reads a tokenizer.model; PaliGemma's <loc> and <seg> pieces are added after the others where they lack.

    Raises:
        IsyaratError: it is missing or damaged, or not of Gemma's kind (byte pairs with bytes to fall back on, no
            normalisation).
    """
    processor = SentencePieceProcessor()
    proto: Any = sentencepiece_model_pb2.ModelProto()  # type: ignore[attr-defined]  # protobuf makes it at run time
    try:
        content = path.read_bytes()
        processor.LoadFromSerializedProto(content)
        proto.ParseFromString(content)
    except Exception as error:  # the library has no class of its own for it
        raise IsyaratError(
            f"{path}: no SentencePiece model can be read from it ({error}); download it again."
        ) from None
    if proto.trainer_spec.model_type != proto.trainer_spec.BPE or not proto.trainer_spec.byte_fallback:
        raise IsyaratError(f"{path}: it has no byte pairs with bytes to fall back on; give Gemma's tokenizer.model.")
    vocabulary = {piece.piece: i for i, piece in enumerate(proto.pieces)}
    unknown = next(piece.piece for piece in proto.pieces if piece.type == piece.UNKNOWN)
    merges = list_merges({piece.piece: piece.score for piece in proto.pieces if piece.type == piece.NORMAL}, vocabulary)
    inner = tokenizers.Tokenizer(
        models.BPE(vocab=vocabulary, merges=merges, unk_token=unknown, fuse_unk=True, byte_fallback=True)
    )
    inner.normalizer = normalizers.Replace(" ", SPACE)
    inner.pre_tokenizer = pre_tokenizers.Split(SPACE, "merged_with_next") if not crosses_words(proto) else None
    inner.decoder = decoders.Sequence([decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()])
    for piece in proto.pieces:
        if piece.type in (piece.CONTROL, piece.UNKNOWN):
            inner.add_special_tokens([AddedToken(piece.piece, normalized=False, special=True)])
        elif piece.type == piece.USER_DEFINED:
            inner.add_tokens([AddedToken(piece.piece, normalized=True, special=False)])
    for probe in PROBES:
        if inner.encode(probe, add_special_tokens=False).ids != processor.EncodeAsIds(probe):
            raise IsyaratError(f"{path}: it changes texts before it reads them; give Gemma's tokenizer.model.")
    if inner.token_to_id(EXTRA[0]) is None:
        inner.add_tokens([AddedToken(piece, normalized=False, special=False) for piece in EXTRA])
    return inner


def crosses_words(proto: Any) -> bool:
    """Whether pieces may hold a space in their middle."""
    return not proto.trainer_spec.split_by_whitespace


def list_merges(scores: dict[str, float], vocabulary: dict[str, int]) -> list[tuple[str, str]]:
    """The pairs that make a piece, in the order in which SentencePiece joins them: by the score of the result."""
    merges = []
    for piece, score in scores.items():
        for cut in range(1, len(piece)):
            left, right = piece[:cut], piece[cut:]
            if left in scores and right in scores:
                merges.append((-score, vocabulary[left], vocabulary[right], left, right))
    return [(left, right) for *_, left, right in sorted(merges)]
