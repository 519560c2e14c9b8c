"""JSON that somebody else may have written."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memapp.domain import strict_json
from memapp.domain.text import clean

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values, st.sampled_from([None, 2]))
@example("\u202eback\x9b31m\ufffe", 2)
@example(
    {
        "soft\u00adhyphen": (
            "tag\U000e0041 \U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
        )
    },
    None,
)
def test_what_json_is_is_read(value: Any, indent: int | None) -> None:
    storable = "\0" not in json.dumps(value, ensure_ascii=False) and "\\u0000" not in json.dumps(
        value
    )
    for read in (
        (strict_json.read, strict_json.read_foreign) if storable else (strict_json.read_foreign,)
    ):
        assert read(json.dumps(value)) == value
        assert read(json.dumps(value, ensure_ascii=False)) == value
        assert read(written := strict_json.write(value, indent)) == value
        assert clean(written) == written, "the same in a file as on a terminal"


@pytest.mark.parametrize(
    "text",
    [
        "NaN", "[Infinity]", "-Infinity", "1e999", "9" * 30, str(2**63), '{"a": 1, "a": 1}',
        '"\\ud800"', '"\\u0000"', '{"\\u0000": 1}', "[" * 33 + "]" * 33, "[" * 1_000_000,
        '{"a":' * 100_000, "", "nul", "'a'", '"a', "[1,]",
    ],
)  # fmt: skip
def test_what_python_would_read_beyond_it_is_not(text: str) -> None:
    with pytest.raises(ValueError):
        strict_json.read(text)
    with contextlib.suppress(ValueError):
        strict_json.read_foreign(text)


def test_what_is_too_deep_is_refused_where_it_becomes_so() -> None:
    """Fifty million brackets that are looked through to their end take half a minute."""
    deep = b'[{"a":' + b"[" * 40 + b"]" * 40 + b"}, "
    with pytest.raises(ValueError, match="deep"):
        list(strict_json.elements(deep + b"what does not end"))


def test_brackets_in_a_text_are_not_deep() -> None:
    text = "[{" * 100 + '\\"'
    assert strict_json.read(json.dumps([text])) == [text]


def test_a_text_of_escapes_that_never_ends_takes_no_time_to_refuse() -> None:
    with pytest.raises(ValueError):
        strict_json.read('"' + '\\"' * 2_000_000)


@given(st.lists(values, max_size=6), st.sampled_from([None, 1]))
def test_the_elements_of_a_list_are_all_found(listed: list[Any], indent: int | None) -> None:
    data = json.dumps(listed, indent=indent).encode()
    assert [json.loads(element) for element in strict_json.elements(b" " + data + b"\n")] == listed
    assert [
        json.loads(element) for element in strict_json.elements(b"\xef\xbb\xbf" + data)
    ] == listed


@pytest.mark.parametrize(
    "text", ["", "{}", '"a"', "1", "[1", "[1]]", "[1] 2", "[1}", "[[1]", '["a]', "]", "[1][2]"]
)
def test_what_is_no_list_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        list(strict_json.elements(text.encode()))


@pytest.mark.parametrize(("text", "wrong"), [("[1,]", 1), ("[,1]", 0), ("[1,,2]", 1), ("[1 2]", 0)])
def test_an_element_that_is_none_is_refused_when_it_is_read(text: str, wrong: int) -> None:
    with pytest.raises(ValueError):
        strict_json.read_foreign(list(strict_json.elements(text.encode()))[wrong].decode())
