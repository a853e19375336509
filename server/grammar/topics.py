"""Chunks that belong together: pairs, owners and what they own, a noun and the clause that tells which."""

# ruff: noqa: PLR0911 - a ladder of readings, the first that fits is taken

from __future__ import annotations

from .chunks import Chunk, Chunks, find_verb, is_governed, list_nominals
from .open_seeds import ADVERBIALS, THING_VERBS
from .tagging import Tag, Word

_AND = Word("dan", "dan", Tag.CONJUNCTION)


def relate(chunks: Chunks) -> Chunks:
    """BUKU (YANG) SAYA BELI MAHAL -> buku yang saya beli mahal: the first verb says which thing is meant."""
    for start in range(len(chunks) - 2):
        signed = chunks[start + 1].head.key == "yang"
        verb = start + 2 + signed
        if verb >= len(chunks) or chunks[start].tag is not Tag.NOUN or chunks[verb].tag is not Tag.VERB:
            continue
        doer, rest = chunks[verb - 1], chunks[verb + 1 :]
        judged = any(c.tag is Tag.ADJECTIVE for c in rest) and not any(c.is_nominal or c.tag is Tag.VERB for c in rest)
        if doer.tag is not Tag.PRONOUN or not (signed or (judged and chunks[verb].head.has("transitive"))):
            continue
        end = verb + 1
        while end < len(chunks) and chunks[end].tag is Tag.TIME:
            end += 1
        clause = [word for chunk in chunks[verb - 1 : end] for word in chunk.words]
        words = [*chunks[start].words, Word("yang", "yang", Tag.CONJUNCTION), *clause]
        return [*chunks[:start], Chunk(Tag.NOUN, words, chunks[start].head), *chunks[end:]]
    return chunks


def join_nominals(chunks: Chunks) -> Chunks:
    """IBU DAN BAPAK is one phrase; so are two people side by side (IBU BAPAK) before the same verb."""
    joined: Chunks = []
    for chunk in chunks:
        if len(joined) >= 2 and chunk.is_nominal and joined[-1].head.key in ("dan", "atau") and joined[-2].is_nominal:
            word = joined.pop().head
            joined[-1] = Chunk(Tag.NOUN, [*joined[-1].words, word, *chunk.words], joined[-1].head)
            continue
        if joined and _belong_together(joined[-1], chunk):
            joined[-1] = Chunk(Tag.NOUN, [*joined[-1].words, _AND, *chunk.words], joined[-1].head)
            continue
        joined.append(chunk)
    return joined


def _belong_together(first: Chunk, second: Chunk) -> bool:
    kin = first.head.has("kin") and second.head.has("kin") and len(first.words) == len(second.words) == 1
    names = first.head.has("name") and second.head.has("name")
    return (kin or names) and first.tag is second.tag is Tag.NOUN


def join_pronouns(chunks: Chunks) -> Chunks:
    """SAYA KAMU BELAJAR -> saya dan kamu belajar, unless one of them is the object."""
    if len(chunks) < 3 or not chunks[0].tag is chunks[1].tag is Tag.PRONOUN or chunks[0].head == chunks[1].head:
        return chunks
    verb = find_verb(chunks)
    if verb >= 0 and chunks[verb].head.has("transitive") and chunks[verb].head.stem not in THING_VERBS:
        return chunks
    words = [*chunks[0].words, _AND, *chunks[1].words]
    return [Chunk(Tag.PRONOUN, words, chunks[0].head), *chunks[2:]]


def join_qualities(chunks: Chunks) -> Chunks:
    """DIA BAIK SABAR -> dia baik dan sabar: two qualities at the end of a clause without a verb."""
    if len(chunks) < 3 or find_verb(chunks) >= 0:
        return chunks
    first, second = chunks[-2:]
    both = first.tag is second.tag is Tag.ADJECTIVE and chunks[-3].tag is not Tag.ADJECTIVE
    if both and first.head.key not in ADVERBIALS and second.head.key not in ADVERBIALS:
        words = [*first.words, _AND, *second.words]
        return [*chunks[:-2], Chunk(Tag.ADJECTIVE, words, first.head)]
    return chunks


def drop_copy(chunks: Chunks) -> Chunks:
    """SAYA LAPAR SAYA: pointing again at the subject closes a sign sentence and is not written twice."""
    if len(chunks) < 3 or not chunks[0].tag is chunks[-1].tag is Tag.PRONOUN or chunks[0].head != chunks[-1].head:
        return chunks
    closes = chunks[-2].tag is Tag.ADJECTIVE or (chunks[-2].tag is Tag.VERB and not chunks[-2].head.has("transitive"))
    return chunks[:-1] if closes else chunks


def own_topic(chunks: Chunks) -> Chunks:
    """A topic and what it has: SAYA NAMA BUDI, BUKU INI HARGA BERAPA, AKU NILAI JELEK become one phrase."""
    index = 0
    while index + 1 < len(chunks):
        if _has_topic(chunks, index):
            topic, thing = chunks[index], chunks[index + 1]
            first = thing.words[0]
            counted = index + 2 == len(chunks) and (first.tag is Tag.NUMBER or first.key == "berapa")
            merged = Chunk(Tag.NOUN, _own(thing, topic, counted=counted), thing.head)
            chunks = [*chunks[:index], merged, *chunks[index + 2 :]]
            index = max(0, index - 1)
        else:
            index += 1
    return chunks


def _own(thing: Chunk, topic: Chunk, *, counted: bool = False) -> list[Word]:
    """The owner stands before a numeral label or a pointer: "umur saya 20", "rumah saya ini"."""
    tail = [word for word in thing.words if word.tag in (Tag.DEMONSTRATIVE,)]
    rest = [word for word in thing.words if word not in tail]
    if counted:
        # SAYA ANAK DUA says how many there are: "anak saya dua".
        numbers = [word for word in rest if word.tag is Tag.NUMBER or word.key == "berapa"]
        return [*(word for word in rest if word not in numbers), *topic.words, *tail, *numbers]
    if rest[-1].tag is Tag.NUMBER and len(rest) > 1:
        first = next(i for i, word in enumerate(rest) if word.tag is Tag.NUMBER)
        return [*rest[:first], *topic.words, *rest[first:], *tail]
    return [*rest, *topic.words, *tail]


def _has_topic(chunks: Chunks, index: int) -> bool:
    topic, thing = chunks[index], chunks[index + 1]
    if not topic.is_nominal or thing.tag is not Tag.NOUN or is_governed(chunks, index) or thing.head.has("unknown"):
        return False
    if any(word.tag is Tag.PRONOUN for word in thing.words):
        return False
    rest = chunks[index + 2 :]
    verb = find_verb(chunks)
    if verb < 0:
        return _has_without_verb(topic, thing, rest)
    if verb < index or not topic.is_person or thing.is_place:
        return False
    transitive = chunks[verb].head.has("transitive")
    followed = bool(list_nominals(chunks, verb + 1, len(chunks)))
    if not transitive:
        return topic.tag is Tag.PRONOUN or not thing.is_person
    return followed and thing.is_animate and topic.tag is Tag.PRONOUN


def _has_without_verb(topic: Chunk, thing: Chunk, rest: Chunks) -> bool:
    if thing.head.has("attribute"):
        return not topic.head.has("attribute")
    if thing.words[0].tag is Tag.NUMBER or thing.words[0].key == "berapa":
        return topic.tag is Tag.PRONOUN and not rest and (thing.head.has("relation") or not thing.head.has("people"))
    if not topic.is_person or thing.head.has("people", "name", "proper"):
        return False
    predicate = [chunk for chunk in rest if chunk.tag not in (Tag.TIME, Tag.PARTICLE, Tag.MARKER)]
    if predicate and all(chunk.tag in (Tag.NEGATION, Tag.ASPECT) for chunk in predicate):
        return False
    if not predicate:
        return False
    if predicate[0].tag is Tag.NOUN and not predicate[0].head.has("attribute"):
        return thing.head.has("kin", "relation")
    return topic.tag is Tag.PRONOUN or not thing.is_person
