"""The order of the chunks in a clause: topic and comment become subject, predicate and object.

Every rule takes chunks and gives chunks. Where no rule is sure, the signed order stays.
"""

# ruff: noqa: PLR0911 - a ladder of readings, the first that fits is taken

from __future__ import annotations

from collections.abc import Callable

from .chunks import PRE_PREDICATE, Chunk, Chunks, find_verb, list_nominals
from .morphology import causative
from .open_seeds import MOTIONS, THING_VERBS
from .placing import (
    front_request,
    front_subject,
    front_why,
    move_degrees,
    move_modals,
    move_negation,
    move_where,
)
from .tagging import Tag
from .topics import drop_copy, join_nominals, join_pronouns, join_qualities, own_topic, relate


def order_chunks(chunks: Chunks, *, asked: bool = False) -> Chunks:
    """Bring one clause into Indonesian order.

    Arguments:
        asked: the face marked a question; a final TIDAK is then "… or not?" and stays where it is.
    """
    for rule in _RULES:
        chunks = rule(chunks)
    return move_negation(chunks, asked=asked)


def order_arguments(chunks: Chunks) -> Chunks:
    """Subject, verb, object or place, from whatever order they were signed in."""
    verb = find_verb(chunks)
    if verb < 0:
        return _order_stative(chunks)
    left = list_nominals(chunks, 0, verb)
    if len(left) >= 2:
        return _order_verb_last(chunks, verb, left)
    if len(left) == 1:
        return _order_one_left(chunks, verb, left[0])
    return _order_verb_first(chunks, verb)


def _acts_on_places(verb: Chunk) -> bool:
    return verb.head.stem in MOTIONS or not verb.head.has("transitive")


def _last_verb(chunks: Chunks, verb: int) -> int:
    """The end of a verb row: MAU PERGI BELI."""
    while verb + 1 < len(chunks) and chunks[verb + 1].tag is Tag.VERB:
        verb += 1
    return verb


def _put_after(chunks: Chunks, source: int, target: int) -> Chunks:
    """Move the chunk at `source` behind the one at `target`, which is later."""
    moved = chunks[source]
    return [*chunks[:source], *chunks[source + 1 : target + 1], moved, *chunks[target + 1 :]]


def _order_verb_last(chunks: Chunks, verb: int, left: list[int]) -> Chunks:
    first, second = left[0], left[-1]
    head = chunks[verb]
    last = _last_verb(chunks, verb)
    places = [i for i in left if chunks[i].is_place]
    if len(left) == 2 and len(places) == 1 and (_acts_on_places(head) or head.head.stem in THING_VERBS):
        acted = last + 1 < len(chunks) and chunks[last + 1].tag is Tag.NOUN and not chunks[last + 1].is_place
        return _put_after(chunks, places[0], last + acted)
    if len(left) == 3 and len(places) == 1 and head.head.has("transitive"):
        chunks = _put_after(chunks, places[0], last)
        return order_arguments(chunks)
    if not (head.head.has("transitive") or chunks[last].head.has("transitive") or causative(head.head.key)):
        return chunks
    if len(left) > 2:
        return chunks
    objects = [i for i in list_nominals(chunks, last + 1, len(chunks)) if not chunks[i].is_place]
    if objects and not chunks[second].is_animate and chunks[first].is_person:
        return _put_after(chunks, second, last)
    if objects:
        return chunks
    if not _is_object_first(chunks[first], chunks[second]):
        return _put_after(chunks, second, last)
    if last == verb and _keeps_focus(chunks[first], chunks[second]):
        chunks[verb].passive = True
        return _put_after(chunks, second, last)
    return _put_after(chunks, first, last)


def _keeps_focus(thing: Chunk, doer: Chunk) -> bool:
    """BERITA ITU ORANG LIHAT -> berita itu dilihat orang: a pointed-at thing stays the topic."""
    pointed = any(word.tag in (Tag.DEMONSTRATIVE, Tag.HERE) for word in thing.words)
    return pointed and doer.tag is Tag.NOUN and not doer.head.has("kin", "name")


def _is_object_first(first: Chunk, second: Chunk) -> bool:
    """NASI SAYA MAKAN: what is least able to act is the object."""

    def agency(chunk: Chunk) -> int:
        if chunk.tag is Tag.PRONOUN:
            return 3
        return 2 if chunk.is_person else 1 if chunk.is_animate else 0

    return agency(first) < agency(second)


def _order_one_left(chunks: Chunks, verb: int, left: int) -> Chunks:
    chunk, head = chunks[left], chunks[verb]
    last = _last_verb(chunks, verb)
    right = list_nominals(chunks, last + 1, len(chunks))
    if chunk.is_place and _acts_on_places(head):
        chunks = _put_after(chunks, left, last)
        if right and chunks[right[0]].is_person:
            subject = chunks.pop(right[0])
            chunks.insert(left, subject)
        return chunks
    if not chunk.is_animate and not chunk.head.has("unknown") and head.head.stem in THING_VERBS:
        if len(right) == 1 and chunks[right[0]].is_person:
            subject = chunks[right[0]]
            rest = [c for c in chunks if c is not subject]
            rest = _put_after(rest, left, last)
            return [*rest[:left], subject, *rest[left:]]
        if not right and head.head.has("fixed") and not any(c.tag is Tag.QUESTION for c in chunks):
            return _put_after(chunks, left, last)
    return chunks


def _order_verb_first(chunks: Chunks, verb: int) -> Chunks:
    """MAKAN AKU LAGI, PERGI IBU PASAR: the subject was signed after its verb."""
    head = chunks[verb]
    if any(chunk.tag is Tag.REQUEST or chunk.head.key == "jangan" for chunk in chunks[:verb]):
        return chunks
    last = _last_verb(chunks, verb)
    right = list_nominals(chunks, last + 1, len(chunks))
    doer = not head.head.has("transitive") or head.head.stem in THING_VERBS
    if not right or not doer or head.head.key == "ada":
        return chunks
    subjects = [i for i in right if chunks[i].tag is Tag.PRONOUN] or [i for i in right if chunks[i].is_person]
    if not subjects:
        return chunks
    subject = chunks[subjects[-1]]
    rest = [chunk for chunk in chunks if chunk is not subject]
    start = min((i for i in range(verb + 1) if rest[i].tag in (*PRE_PREDICATE, Tag.VERB)), default=verb)
    return [*rest[:start], subject, *rest[start:]]


def _order_stative(chunks: Chunks) -> Chunks:
    """LAPAR SAYA -> saya lapar, where the subject is a person or plainly known."""
    start = next((i for i, c in enumerate(chunks) if c.tag not in (Tag.TIME, Tag.CONJUNCTION)), 0)
    index = start
    while index < len(chunks) and chunks[index].tag in (*PRE_PREDICATE, Tag.DEGREE):
        index += 1
    if index >= len(chunks) or chunks[index].tag is not Tag.ADJECTIVE:
        return chunks
    end = index + 1
    while end < len(chunks) and chunks[end].tag is Tag.DEGREE:
        end += 1
    known = (
        end < len(chunks)
        and chunks[end].is_nominal
        and (chunks[end].is_person or any(word.tag in (Tag.PRONOUN, Tag.DEMONSTRATIVE) for word in chunks[end].words))
    )
    if not known or list_nominals(chunks, end + 1, len(chunks)):
        return chunks
    return [*chunks[:start], chunks[end], *chunks[start:end], *chunks[end + 1 :]]


_RULES: tuple[Callable[[Chunks], Chunks], ...] = (
    relate,
    join_nominals,
    join_pronouns,
    drop_copy,
    own_topic,
    front_subject,
    order_arguments,
    move_modals,
    move_degrees,
    move_where,
    front_request,
    front_why,
    join_qualities,
)
