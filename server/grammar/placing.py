"""Words with a fixed place: modals, negation and aspect before the predicate, "kenapa" and "tolong" first."""

from __future__ import annotations

from .chunks import PRE_PREDICATE, Chunks, find_verb, list_nominals
from .tagging import Tag

_PREDICATES = (Tag.VERB, Tag.ADJECTIVE)


def front_subject(chunks: Chunks) -> Chunks:
    """BACA BUKU DIA SUKA -> dia suka baca buku: a whole deed as the topic of what somebody likes or can."""
    likes = [i for i, c in enumerate(chunks) if c.tag is Tag.MODAL or c.head.key == "suka"]
    verb = find_verb(chunks)
    if (
        not likes
        or verb < 0
        or verb >= likes[-1]
        or likes[-1] < 2
        or any(c.tag is Tag.VERB for c in chunks[likes[-1] + 1 :])
    ):
        return chunks
    start = likes[-1]
    while start > 0 and chunks[start - 1].tag in PRE_PREDICATE:
        start -= 1
    subject = chunks[start - 1]
    if not subject.is_person or start - 1 <= verb or list_nominals(chunks, 0, verb):
        return chunks
    return [subject, *chunks[start : likes[-1] + 1], *chunks[: start - 1], *chunks[likes[-1] + 1 :]]


def move_modals(chunks: Chunks) -> Chunks:
    """SAYA RENANG BISA -> saya bisa renang; SAYA RENANG SUKA -> saya suka renang."""
    verb = find_verb(chunks)
    if verb < 0:
        return chunks
    for index in range(verb + 1, len(chunks)):
        chunk = chunks[index]
        if any(later.tag is Tag.VERB for later in chunks[index + 1 :]):
            continue
        last = all(later.tag in PRE_PREDICATE for later in chunks[index + 1 :])
        likes = chunk.head.key == "suka" and (index == verb + 1 or last)
        if chunk.tag is Tag.MODAL or likes:
            rest = [other for other in chunks if other is not chunk]
            return [*rest[:verb], chunk, *rest[verb:]]
    return chunks


def move_degrees(chunks: Chunks) -> Chunks:
    """BAGUS SANGAT -> sangat bagus; SEKALI BAGUS -> bagus sekali."""
    for index in range(1, len(chunks)):
        first, second = chunks[index - 1], chunks[index]
        after = second.head.key in ("sangat", "terlalu", "paling", "agak")
        following = chunks[index + 1] if index + 1 < len(chunks) else None
        if (after and first.tag is Tag.ADJECTIVE and not (following and following.tag is Tag.ADJECTIVE)) or (
            first.head.key in ("sekali", "banget") and second.tag is Tag.ADJECTIVE
        ):
            chunks = [*chunks[: index - 1], second, first, *chunks[index + 1 :]]
    return chunks


def move_negation(chunks: Chunks, *, asked: bool) -> Chunks:
    """SUKA TIDAK -> tidak suka, MANDI BELUM -> belum mandi; the same for SUDAH, PERNAH and other aspects."""
    predicates = [i for i, c in enumerate(chunks) if c.tag in (*_PREDICATES, Tag.MODAL)]
    if predicates:
        first = predicates[0]
    else:
        nominals = list_nominals(chunks, 0, len(chunks))
        if not nominals:
            return chunks
        first = nominals[-1]
    last = predicates[-1] if predicates else first
    moved = [
        chunk
        for i, chunk in enumerate(chunks)
        if i > last
        and chunk.tag in (Tag.NEGATION, Tag.ASPECT)
        and not (asked and chunk.head.text == "tidak")
        and not (chunk.head.text == "belum" and _has_done(chunks))
        and not _negates_next(chunks, i)
    ] or [c for i, c in enumerate(chunks) if i and c.head.text == "tidak" and _is_misplaced(chunks, i)]
    if not moved:
        return chunks
    rest = [chunk for chunk in chunks if not any(chunk is other for other in moved)]
    moved.sort(key=lambda chunk: chunk.tag is not Tag.NEGATION)
    start = next(i for i, chunk in enumerate(rest) if chunk is chunks[first])
    while start > 0 and rest[start - 1].tag in (*PRE_PREDICATE, Tag.DEGREE):
        start -= 1
    return [*rest[:start], *moved, *rest[start:]]


def _has_done(chunks: Chunks) -> bool:
    """KAMU SUDAH MAKAN BELUM: "or not yet?" stays last."""
    return any(chunk.head.text == "sudah" for chunk in chunks)


def _is_misplaced(chunks: Chunks, index: int) -> bool:
    """SUKA TIDAK PEDAS, PUNYA TIDAK UANG: "tidak" never stands between a verb and its noun."""
    before, following = chunks[index - 1], chunks[index + 1] if index + 1 < len(chunks) else None
    if following is None or before.tag not in (Tag.VERB, Tag.MODAL):
        return False
    return following.is_nominal or (following.tag is Tag.ADJECTIVE and before.head.key == "suka")


def _negates_next(chunks: Chunks, index: int) -> bool:
    following = chunks[index + 1] if index + 1 < len(chunks) else None
    return following is not None and (following.is_nominal or following.tag is Tag.QUANTIFIER)


def move_where(chunks: Chunks) -> Chunks:
    """KAMU MANA PERGI -> kamu pergi mana, where "ke mana" is written."""
    for index in range(1, len(chunks) - 1):
        if chunks[index].head.key == "mana" and chunks[index + 1].tag is Tag.VERB and chunks[index - 1].is_nominal:
            return [*chunks[:index], chunks[index + 1], chunks[index], *chunks[index + 2 :]]
    return chunks


def front_request(chunks: Chunks) -> Chunks:
    """JENDELA TUTUP TOLONG -> tolong tutup jendela."""
    if len(chunks) < 2 or chunks[-1].tag is not Tag.REQUEST:
        return chunks
    rest = chunks[:-1]
    if len(rest) == 2 and rest[0].tag is Tag.NOUN and not rest[0].is_animate and rest[1].tag is Tag.VERB:
        rest = [rest[1], rest[0]]
    return [chunks[-1], *rest]


def front_why(chunks: Chunks) -> Chunks:
    """ "Kenapa" opens its clause in Indonesian, also when it was signed last."""
    if len(chunks) > 1 and chunks[-1].head.key in ("kenapa", "mengapa"):
        return [chunks[-1], *chunks[:-1]]
    return chunks
