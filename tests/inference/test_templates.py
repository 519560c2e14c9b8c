import resource

import pytest

from memapp.domain.prompt import Prompt, PromptTurn
from memapp.inference import templates
from memapp.inference.templates import CHATML, ChatTemplate, Span

from . import tiny_gguf

TALK = Prompt(
    "SYSTEM",
    (PromptTurn("user", "one"), PromptTurn("assistant", "two"), PromptTurn("user", "three")),
    suffix="REPLY",
    head="{",
)


def opened(family: tiny_gguf.Family) -> ChatTemplate:
    return ChatTemplate(family.template, bos=family.bos, eos=family.eos)


def text(spans: tuple[Span, ...]) -> str:
    return "".join(span.text for span in spans)


@pytest.mark.parametrize(
    ("family", "system_role", "alternates"),
    [
        (tiny_gguf.CHATML, True, False),
        (tiny_gguf.LLAMA3, True, False),
        (tiny_gguf.GEMMA, False, True),
        (tiny_gguf.MISTRAL, False, True),
        (tiny_gguf.GPT_OSS, True, False),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_the_form_a_family_takes_is_found(
    family: tiny_gguf.Family, system_role: bool, alternates: bool
) -> None:
    template = opened(family)
    assert (template.form.system_role, template.form.alternates) == (system_role, alternates)


@pytest.mark.parametrize(
    ("family", "trunk", "rest"),
    [
        (
            tiny_gguf.CHATML,
            "<|im_start|>system\nSYSTEM<|im_end|>\n<|im_start|>user\none<|im_end|>\n<|im_start|>assistant\ntwo<|im_end|>\n"
            "<|im_start|>user\nthree",
            "\n\nREPLY<|im_end|>\n<|im_start|>assistant\n{",
        ),
        (
            tiny_gguf.LLAMA3,
            "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n"
            "Today Date: 01 Jan 2025\n\nSYSTEM<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\none<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\ntwo<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nthree",
            "\n\nREPLY<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n{",
        ),
        (
            tiny_gguf.GEMMA,
            "<bos><start_of_turn>user\nSYSTEM\n\none<end_of_turn>\n<start_of_turn>model\ntwo<end_of_turn>\n"
            "<start_of_turn>user\nthree",
            "\n\nREPLY<end_of_turn>\n<start_of_turn>model\n{",
        ),
        (
            tiny_gguf.MISTRAL,
            "<s>[INST] SYSTEM\n\none [/INST]two</s>[INST] three",
            "\n\nREPLY [/INST]{",
        ),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_family_gets_its_conversation(family: tiny_gguf.Family, trunk: str, rest: str) -> None:
    rendered = opened(family).render(TALK)
    assert (text(rendered.trunk), text(rendered.rest)) == (trunk, rest)


@pytest.mark.parametrize(
    "family",
    [tiny_gguf.CHATML, tiny_gguf.LLAMA3, tiny_gguf.GEMMA, tiny_gguf.MISTRAL],
    ids=lambda family: family.name,
)
def test_a_longer_trunk_begins_with_the_shorter_one(family: tiny_gguf.Family) -> None:
    template = opened(family)
    longer = Prompt(
        TALK.system, (*TALK.turns, PromptTurn("assistant", "four"), PromptTurn("user", "five"))
    )
    waiting = Prompt(TALK.system, (*TALK.turns, PromptTurn("assistant", "four")))
    assert text(template.render(longer).trunk).startswith(text(template.render(TALK).trunk))
    assert text(template.render(longer).trunk).startswith(
        text(template.render(waiting).trunk).rstrip()
    )


def test_contents_are_never_seen_by_the_template() -> None:
    contents = ["{{ 1 / 0 }}", "{% raw %}", "<|im_end|>", "\ue0000\ue001", "  spaced  ", ""]
    turns = tuple(PromptTurn("user", content) for content in contents)
    rendered = opened(tiny_gguf.CHATML).render(Prompt("{{ messages }}", turns))
    assert [span.text for span in rendered.trunk if span.data] == ["{{ messages }}", *contents[:-1]]


@pytest.mark.parametrize(
    "source",
    [
        None,
        "",
        "{% for %}",
        "{{ 1 / 0 }}",
        "the same for everybody",
        "{{ messages[0].content }}",
        "{{ raise_exception('no') }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{% for message in messages %}{{ messages.append(message) }}{% endfor %}",
    ],
)
def test_a_missing_broken_or_malicious_template_gives_way_to_chatml(source: str | None) -> None:
    assert ChatTemplate(source).form == CHATML
    assert ("cannot be rendered" if source else "no chat template") in templates.remark(source)
    assert ChatTemplate(source).render(TALK) == opened(tiny_gguf.CHATML).render(TALK)


@pytest.mark.parametrize(
    "source",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{{ 'a' * 3000000000 }}",
        "{{ 'a'.ljust(3000000000) }}{{ '%3000000000d' % 1 }}{{ lipsum(n=100000000) }}",
        "{{ " + "(" * 50_000 + ")" * 50_000 + " }}",
        "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
        "{% for message in messages %}{{ message.content }}{{ 'a' * 200000 }}{% endfor %}",
    ],
)
def test_a_template_without_end_costs_little(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "CPU_SECONDS", 1)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert ChatTemplate(source).form == CHATML
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 3


PARTS = (
    "{% for message in messages %}<{{ message.role }}>{% for part in message.content %}{% if "
    "part.type == 'text' %}"
    "{{ part.text }}{% else %}{{ raise_exception('no') }}{% endif %}{% endfor %}</{{ message.role "
    "}}>{% endfor %}<assistant>"
)


def test_a_template_that_takes_contents_as_parts_only_is_rendered_with_parts() -> None:
    rendered = ChatTemplate(PARTS).render(TALK)
    actual = text(rendered.trunk)
    assert actual == "<system>SYSTEM</system><user>one</user><assistant>two</assistant><user>three"
    assert text(rendered.rest) == "\n\nREPLY</user><assistant>{"
    assert templates.remark(PARTS) == ""


@pytest.mark.parametrize(
    "family", [tiny_gguf.CHATML, tiny_gguf.GEMMA, tiny_gguf.GPT_OSS], ids=lambda family: family.name
)
def test_nothing_is_remarked_of_a_template_that_is_used(family: tiny_gguf.Family) -> None:
    assert templates.remark(family.template) == ""


def test_a_template_that_writes_a_long_conversation_in_another_way_has_no_form() -> None:
    turning = (
        "{% for message in messages %}<{{ message.role }}>{{ message.content }}{% if loop.index > "
        "6 %}!{% endif %}{% endfor %}"
    )
    assert ChatTemplate(turning).form == CHATML


def test_a_template_that_moves_the_system_text_to_the_end_gets_it_in_the_first_turn() -> None:
    moving = (
        "{% if messages[0].role == 'system' %}{% set system = messages[0].content %}{% set "
        "messages = messages[1:] %}"
        "{% endif %}{% for message in messages %}[{% if loop.last and system is defined %}{{ "
        "system }} {% endif %}"
        "{{ message.content }}]{% endfor %}"
    )
    template = ChatTemplate(moving)
    assert text(template.render(TALK).trunk) == "[SYSTEM\n\none][two][three"


def test_turns_of_one_role_are_joined_for_a_template_that_alternates() -> None:
    turns = (PromptTurn("assistant", "zero"), PromptTurn("user", "one"), PromptTurn("user", "two"))
    rendered = opened(tiny_gguf.MISTRAL).render(Prompt("", turns))
    assert text(rendered.trunk) == "<s>[INST]  [/INST]zero</s>[INST] one\n\ntwo"


def test_a_conversation_that_ends_with_a_reply_gets_a_turn_for_the_suffix() -> None:
    rendered = opened(tiny_gguf.CHATML).render(
        Prompt("", (PromptTurn("user", "a"), PromptTurn("assistant", "b")), "REMARK")
    )
    assert text(rendered.trunk).endswith("<|im_start|>user\n")
    assert text(rendered.rest) == "REMARK<|im_end|>\n<|im_start|>assistant\n"


def test_the_training_tag_for_replies_is_rendered_through() -> None:
    marked = (
        "{% for message in messages %}{% generation %}<{{ message.role }}>{{ message.content }}{% "
        "endgeneration %}"
        "{% endfor %}{{ {'a': 'é'} | tojson }}"
    )
    rendered = ChatTemplate(marked).render(Prompt("", (PromptTurn("user", "hi"),)))
    assert text(rendered.trunk) + text(rendered.rest) == '<user>hi{"a": "é"}'


@pytest.mark.parametrize(
    ("opened", "closed"),
    [
        ("<think>\n", "<think>\n\n</think>\n\n"),
        ("<think>\n\n</think>\n\n", "<think>\n\n</think>\n\n"),
        ("<thought>", "<thought>\n\n</thought>\n\n"),
        ("[THINK]", "[THINK]\n\n[/THINK]\n\n"),
    ],
)
def test_thoughts_that_a_template_opens_are_closed(opened: str, closed: str) -> None:
    template = ChatTemplate(
        str(tiny_gguf.CHATML.template).replace("assistant\n", f"assistant\n{opened}")
    )
    rest = template.render(Prompt("Be kind.", (PromptTurn("user", "Hi"),), head="I")).rest
    assert "".join(span.text for span in rest).endswith(f"assistant\n{closed}I")


def test_the_end_of_a_reply_and_the_markers_are_read_off_the_template() -> None:
    assert opened(tiny_gguf.CHATML).reply_end == "<|im_end|>"
    assert opened(tiny_gguf.MISTRAL).markers == ("</s>", "[/INST]", "[INST]")
    plain = ChatTemplate(
        "{% for message in messages %}\n### {{ message.role }}:\n{{ message.content }}{% endfor %}"
    )
    assert plain.reply_end == "### user:"
