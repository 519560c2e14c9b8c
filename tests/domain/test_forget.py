"""Finding texts in other texts and in bytes."""

import json

import pytest

from memapp.domain.forget import WINDOW, ByteNeedles, Needles, Receipt

FACT = "User's sister Mira loves pottery."


@pytest.mark.parametrize(
    "text",
    [
        FACT,
        "so I said: USER’S sister Mira\nloves   pottery!!".replace("’", "'"),
        json.dumps({"x": [f"one\n{FACT}"]}),
        json.dumps({"held": json.dumps({"text": FACT})}),
    ],
)
def test_the_same_words_in_a_row_are_found(text: str) -> None:
    assert Needles([FACT, "Something else entirely."]).held_by(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "User's sister loves pottery.",
        "planning for Hannah",
        "Mira loves User's pottery sister.",
    ],
)
def test_other_words_are_not(text: str) -> None:
    assert not Needles([FACT, "Ann"]).held_by(text)


@pytest.mark.parametrize(
    "text",
    ["x_vorbel_y", "vorbel123", "7vorbel", "vor\u00adbel", "vor\u200bbel", "vo\u200drbel\ufe0f"],
)
def test_a_word_is_found_where_the_eye_sees_it(text: str) -> None:
    assert Needles(["Vorbel"]).held_by(f"I met {text} at the pier.")
    assert Needles([text]).held_by(f"I met {text} at the pier.")


@pytest.mark.parametrize(
    ("needle", "text"),
    [("B12", "apartment B 12"), ("x_y", "x y"), ("12", "in 2012"), ("orb", "vorb_1")],
)
def test_what_is_written_in_one_is_not_found_in_parts(needle: str, text: str) -> None:
    assert not Needles([needle]).held_by(text)


@pytest.mark.parametrize(
    ("needle", "text", "holds"),
    [
        ("绿茶", "我喜欢喝绿茶和红茶。", True),
        ("绿茶", "我喜欢喝绿红茶", False),
        ("チェス", "毎週チェスをします", True),
        ("서울", "저는 서울에 살아요", True),
        ("ข้าว", "ฉันชอบกินข้าวผัด", True),
        ("กิน", "มากเกินไป", False),  # its vowel is written before it, and belongs to it
        ("Zoë喝绿茶", "昨天Zoë喝绿茶了", True),
    ],
)
def test_without_spaces_a_word_is_found_in_its_run(needle: str, text: str, holds: bool) -> None:
    assert Needles([needle]).held_by(text) is holds
    if holds:
        assert ByteNeedles([needle]).count([text.encode()]) == 1


def test_accents_may_be_composed_or_not_and_signs_alone_are_found() -> None:
    assert Needles(["Zoë"]).held_by("hello Zoë there")
    assert Needles(["🦄"]).held_by("a 🦄!")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_bytes_are_searched_in_each_encoding_and_any_case(encoding: str) -> None:
    assert ByteNeedles([FACT]).count([f"before {FACT.upper()} after".encode(encoding)]) == 1


def test_bytes_are_searched_escaped_as_json_and_across_chunks() -> None:
    text = 'She said "Grüezi" to Zoë today.'
    whole = b"x" * 50 + json.dumps(text).encode() + b"y" * 50
    for cut in range(45, len(whole), 7):
        assert ByteNeedles([text]).count([whole[:cut], whole[cut:]]) == 1


def test_a_short_word_counts_only_where_it_stands_alone() -> None:
    assert ByteNeedles(["Ann"]).count([b"Hannah, planning: Ann. ann"]) == 2


def test_a_long_text_is_found_though_a_page_ends_in_it() -> None:
    text = " ".join(f"word{number}" for number in range(100))
    assert len(text) > 3 * WINDOW
    halves = text[: len(text) // 2].encode(), text[len(text) // 2 :].encode()
    assert ByteNeedles([text]).count([halves[0] + b"\0\0next page\0\0" + halves[1]]) == 1


def test_a_thousand_texts_are_told_apart() -> None:
    texts = [f"User likes thing number {number} a lot." for number in range(1000)]
    assert (
        ByteNeedles(texts).count(
            [b"...User likes thing number 77 a lot.User likes thing number 978 a lot.xx"]
        )
        == 2
    )


def test_the_receipt_says_what_was_done_and_what_is_left() -> None:
    actual = str(Receipt(1, 2, 0, 1, 0, 7, ()))
    assert actual == "3 items erased, 1 copy in backups cleaned, 0 copies left in 7 files scanned."
    left = Receipt(1, 0, 0, 0, 2, 5, (("memapp.db", 2),), settled=False)
    assert str(left) == (
        "1 item erased, 0 copies in backups cleaned, 2 backups removed, "
        "2 copies left in 5 files scanned (memapp.db); "
        "the rest is done at the next start. In messages or elsewhere `memapp forget WORDS` "
        "erases them too."
    )


def test_a_receipt_names_a_few_of_many_other_memories() -> None:
    receipt = Receipt(1, 0, 0, 0, 0, 4, (), also_in=tuple(f"M{number}" for number in range(1200)))
    assert str(receipt).endswith(
        "stand in 1,200 other memories, now or as they were before: M0 M1 M2 M3 M4 …"
    )
