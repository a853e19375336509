"""What Indonesian writes and BISINDO does not sign: verb affixes, "yang", "apakah", capitals of address."""

# ruff: noqa: PLR0911 - a ladder of readings, the first that fits is taken

from __future__ import annotations

from .chunks import Chunks, find_verb
from .morphology import activate, causative, passivise
from .open_seeds import BARE_OBJECTS, CHOOSINGS, FEELINGS, MOTIONS, THING_VERBS
from .prepositions import mark_comparison, mark_people, mark_places
from .tagging import Tag


def mark_clause(chunks: Chunks) -> list[str]:
    """Write the chunks of an ordered clause as words."""
    mark_passive(chunks)
    mark_questions(chunks)
    mark_negation(chunks)
    mark_places(chunks)
    mark_people(chunks)
    mark_comparison(chunks)
    tokens: list[str] = []
    for index, chunk in enumerate(chunks):
        if chunk.preposition:
            tokens.append(chunk.preposition)
        tokens.extend(_write(chunks, index))
    return tokens


def _write(chunks: Chunks, index: int) -> list[str]:
    chunk = chunks[index]
    if chunk.inflected:
        return chunk.inflected
    if chunk.tag is Tag.VERB:
        return [inflect(chunks, index)]
    if chunk.tag is Tag.ADJECTIVE and _causes(chunks, index):
        return [causative(chunk.head.key) or chunk.head.text]
    words = [word.text for word in chunk.words]
    if chunk.tag is Tag.NOUN:
        words = _address(chunks, index)
    return words


def _address(chunks: Chunks, index: int) -> list[str]:
    """Ibu, Bapak, Kakak take a capital as a name does; "ibu saya" and "dua kakak" do not."""
    chunk = chunks[index]
    plain = all(word.has("kin") or word.key in ("dan", "atau") for word in chunk.words)
    has = index > 0 and chunks[index - 1].head.key in ("punya", "ada", "siapa", "bukan")
    described = any(word.tag is Tag.PRONOUN for other in chunks[:index] for word in other.words)
    predicate = described and find_verb(chunks) < 0 and index == len(chunks) - 1 and not chunk.preposition
    if not plain or has or predicate:
        if chunk.words[0].has("kin") and len(chunk.words) > 1 and chunk.words[1].has("name"):
            return [chunk.words[0].text.capitalize(), *(word.text for word in chunk.words[1:])]
        return [word.text for word in chunk.words]
    return [word.text.capitalize() if word.has("kin") else word.text for word in chunk.words]


def mark_questions(chunks: Chunks) -> None:
    """Before a whole clause APA is "apakah"; SIAPA takes "yang" before its verb, MANA its preposition."""
    if not chunks:
        return
    verb = find_verb(chunks)
    first = next((i for i, c in enumerate(chunks) if c.tag is not Tag.TIME), 0)
    if chunks[first].head.key == "apa":
        _mark_what(chunks, first, verb)
    elif chunks[first].head.key == "siapa" and first + 1 < len(chunks):
        following = [c.tag for c in chunks[first + 1 :]]
        if (verb > first and not any(c.is_nominal for c in chunks[first + 1 : verb])) or (
            Tag.ADJECTIVE in following[:2] and verb < 0 and following[0] is not Tag.NOUN
        ):
            chunks[first].inflected = ["siapa", "yang"]
    for index, chunk in enumerate(chunks):
        if chunk.head.key == "mana" and not (index and chunks[index - 1].tag is Tag.PREPOSITION):
            chunk.inflected = [*_where(chunks, index, verb).split(), "mana"]


def _where(chunks: Chunks, index: int, verb: int) -> str:
    if any(chunk.head.key == "asal" for chunk in chunks):
        return "dari"
    if verb < 0:
        return "di"
    head = chunks[verb].head
    last = next((c for c in reversed(chunks[:index]) if c.tag is Tag.VERB), chunks[verb]).head
    if head.key == "datang":
        return "dari"
    if last.stem == "lewat":
        return ""
    if last.stem in MOTIONS:
        return "ke"
    before = chunks[index - 1] if index else None
    if head.stem in CHOOSINGS and before is not None and before.tag in (Tag.VERB, Tag.NOUN):
        return "yang"
    return "di"


def _mark_what(chunks: Chunks, first: int, verb: int) -> None:
    rest = chunks[first + 1 :]
    subject = next((c for c in rest if c.tag is not Tag.TIME), None)
    if subject is None or not subject.is_nominal:
        # "APA ADA TOILET": yes or no; "APA SUDAH MAKAN" too.
        if subject is not None and subject.tag in (
            Tag.VERB,
            Tag.ADJECTIVE,
            Tag.NEGATION,
            Tag.ASPECT,
            Tag.MODAL,
        ):
            chunks[first].inflected = ["apakah"]
        return
    if verb < 0:
        predicated = any(c.tag in (Tag.ADJECTIVE, Tag.NEGATION, Tag.HERE) for c in rest)
        nominals = [c for c in rest if c.is_nominal]
        if predicated or len(nominals) > 1:
            chunks[first].inflected = ["apakah"]
        return
    last = max(i for i, c in enumerate(chunks) if c.tag is Tag.VERB)
    complete = any(c.tag in (Tag.NOUN, Tag.PRONOUN, Tag.ADJECTIVE, Tag.HERE) for c in chunks[last + 1 :])
    wanting = chunks[last].head.has("transitive") and not complete
    settled = any(c.tag in (Tag.ASPECT, Tag.NEGATION) for c in rest)
    if wanting and not settled and subject.is_person:
        chunks[first].inflected = ["apa", "yang"]
        chunks[last].inflected = [chunks[last].head.text]
    else:
        chunks[first].inflected = ["apakah"]


def mark_passive(chunks: Chunks) -> None:
    """OBAT BISA BELI TOKO MANA: what cannot act, before a verb without an object, has it done to it."""
    verb = find_verb(chunks)
    if verb < 1:
        return
    before = [c for c in chunks[:verb] if c.is_nominal]
    row = [c for c in chunks[verb:] if c.tag is Tag.VERB]
    objects = [
        c
        for c in chunks[verb + 1 :]
        if c.tag in (Tag.PRONOUN, Tag.ADJECTIVE)
        or (c.tag is Tag.NOUN and not c.is_place)
        or c.head.key in ("apa", "siapa")
    ]
    animal = before and before[0].head.has("animal") and chunks[verb].head.stem in THING_VERBS
    if (
        len(before) != 1
        or (before[0].is_animate and not animal)
        or before[0].head.has("unknown", "attribute")
        or len(row) != 1
    ):
        return
    doer = len(objects) == 1 and chunks[verb].passive
    if (objects and not doer) or before[0].is_place or chunks[verb].head.has("fixed"):
        return
    passive = passivise(chunks[verb].head.key)
    if passive and chunks[verb].head.has("transitive"):
        chunks[verb].inflected = [passive]


def mark_negation(chunks: Chunks) -> None:
    """TIDAK before a noun that says what somebody is becomes "bukan"."""
    for index, chunk in enumerate(chunks[:-1]):
        following = chunks[index + 1]
        final = all(c.tag is Tag.TIME for c in chunks[index + 2 :])
        what = following.tag is Tag.NOUN and following.head.has("person", "proper", "name")
        if chunk.head.text == "tidak" and final and index > 0 and what and find_verb(chunks) < 0:
            chunk.inflected = ["bukan"]


def inflect(chunks: Chunks, index: int) -> str:
    """The written form of a verb where it stands."""
    verb = chunks[index].head
    if _is_request(chunks, index):
        return verb.text
    following = next((c for c in chunks[index + 1 :] if c.tag not in (Tag.TIME, Tag.PARTICLE)), None)
    has_object = following is not None and (following.is_nominal or following.head.key in ("apa", "siapa"))
    if _causes(chunks, index):
        return causative(verb.key) or verb.text
    if verb.has("fixed"):
        return verb.text
    return activate(verb.key, has_object=has_object and not (following and following.preposition))


def _causes(chunks: Chunks, index: int) -> bool:
    """IBU BERSIH KAMAR, DIA KERJA PR: something is done to the thing that follows."""
    chunk = chunks[index]
    stem = chunk.head.key
    if chunk.head.has("transitive") or stem in FEELINGS | BARE_OBJECTS | MOTIONS or not causative(stem):
        return False
    following = chunks[index + 1] if index + 1 < len(chunks) else None
    acted = following is not None and following.tag is Tag.NOUN and not following.preposition
    if not acted or following is None or following.is_animate or following.head.has("unknown"):
        return False
    return any(c.is_animate for c in chunks[:index])


def _is_request(chunks: Chunks, index: int) -> bool:
    """An order: after TOLONG, AYO, JANGAN, or a transitive verb that opens the sentence."""
    before = [c for c in chunks[:index] if c.tag not in (Tag.TIME, Tag.PARTICLE)]
    if any(c.tag is Tag.VERB for c in before):
        return False
    if any(c.tag is Tag.REQUEST or c.head.key == "jangan" for c in before):
        return True
    return not before and not any(c.tag is Tag.QUESTION for c in chunks)
