"""`memory.query`: the rights of an agent, and their limits."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import ValidationError

from memapp.domain.categories import RECENT_ACTIVITY, Capability
from memapp.domain.changes import Actor, Created, Linked
from memapp.domain.query import Bullet, Full, QueryAnswer, QueryFilters, QueryRequest, most_tokens
from memapp.errors import Refused
from memapp.runtime import Runtime
from memapp.services import chats, curate
from memapp.services.recall import answer_query
from memapp.store import changes, chat
from memapp.store.access_counts import get_access_count
from tests.builders import fact, learn, new_chat, recorded, say, typed_message


def remember(runtime: Runtime, text: str, category: str, **also: object) -> str:
    now = runtime.clock()
    memory = fact(text, now, category=category, **also)
    with runtime.write() as session:
        return changes.apply(session, Created(memory), Actor("rules")).memory_id


def ask(runtime: Runtime, agent: str, text: str, **request: object) -> list[str]:
    capability = runtime.categories.capability(agent, runtime.user_id)
    made = QueryRequest.model_validate(
        {"agent": agent, "query": text, "top_k": 50, "budget_tokens": 100_000, **request}
    )
    return [bullet.text for bullet in answer_query(runtime, capability, made).memories]


def test_bullets_carry_id_category_and_text(runtime: Runtime) -> None:
    memory_id = remember(runtime, "User deploys\non Fridays.", "tasks")
    capability = runtime.categories.capability("planner", runtime.user_id)
    (bullet,) = answer_query(
        runtime, capability, QueryRequest(agent="planner", query="deploys when")
    ).memories
    assert bullet == Bullet(id=memory_id, category="tasks", text="[tasks] User deploys on Fridays.")
    assert get_access_count(runtime.read(), memory_id) is not None, "it was of use"


def test_full_returns_all_that_is_known(runtime: Runtime) -> None:
    remember(
        runtime,
        "User deploys on Fridays.",
        "tasks",
        tags=("work",),
        importance=4,
        agent_id="companion",
        run_id="t1",
    )
    capability = runtime.categories.capability("planner", runtime.user_id)
    request = QueryRequest.model_validate(
        {"agent": "planner", "query": "deploys", "return": "full"}
    )
    (full,) = answer_query(runtime, capability, request).memories
    assert isinstance(full, Full)
    assert full.tags == ("work",)
    assert full.importance == 4
    assert full.agent_id == "companion"
    assert full.run_id == "t1"
    assert full.score > 0
    assert "words" in full.why


@pytest.mark.parametrize(
    "request_",
    [
        {"agent": "supervisor"},
        {"agent": "planner", "categories": ["tasks", "profile"]},
        {"agent": "planner", "categories": ["no such thing"]},
        {"agent": "planner", "filters": {"category": "profile"}},
        {"agent": "planner", "filters": {"user_id": "somebody else"}},
    ],
)
def test_a_request_beyond_it_is_refused(runtime: Runtime, request_: dict[str, object]) -> None:
    remember(runtime, "User deploys on Fridays.", "tasks")
    capability = runtime.categories.capability("planner", runtime.user_id)
    with pytest.raises(Refused):
        answer_query(
            runtime, capability, QueryRequest.model_validate({"query": "deploys", **request_})
        )
    event = recorded(runtime, "search")[0]
    assert event["status"] == "error"
    assert event["meta"]["refused"]


def test_no_agent_sees_a_category_that_is_not_on_its_list(runtime: Runtime) -> None:
    for category in runtime.categories.categories:
        remember(runtime, f"User keeps the word sentinel_{category} here.", category)
    agents = [*runtime.categories.allowlists, "stranger"]
    shapes = [
        {},
        {"top_k": 50, "threshold": 0.0},
        {"return": "full"},
        *({"filters": {name: value}} for name, value in FILTERS.items()),
    ]
    for agent in agents:
        allowed = runtime.categories.capability(agent, runtime.user_id).categories
        for shape in shapes:
            for text in ("sentinel", "sentinel_profile OR category:tasks", ""):
                for answer in ask(runtime, agent, text, **shape):
                    named = answer.partition("sentinel_")[2].split()[0]
                    seen = named in allowed or (
                        named == "activity" and "recent_activity" in allowed
                    )
                    assert seen, f"{agent} saw {named}"


@pytest.mark.slow
def test_each_agent_gets_its_own_categories_and_refusals_for_others(runtime: Runtime) -> None:
    categories = runtime.categories.categories
    for category in categories:
        remember(runtime, f"User keeps the word sentinel_{category} here.", category)
    refused = 0
    for agent in [*runtime.categories.allowlists, "stranger"]:
        allowed = runtime.categories.capability(agent, runtime.user_id).categories
        for category in categories:
            for named in ({"categories": [category]}, {"filters": {"category": category}}):
                if category in allowed:
                    other = {
                        name.partition("]")[0] for name in ask(runtime, agent, "sentinel", **named)
                    } - {f"[{category}"}
                    assert other <= {"[activity"} and (not other or category == RECENT_ACTIVITY)
                else:
                    refused += 1
                    with pytest.raises(Refused):
                        ask(runtime, agent, "sentinel", **named)
    assert (
        refused
        == len([event for event in recorded(runtime, "search") if event["status"] == "error"])
        > len(categories)
    )


FILTERS: dict[str, object] = {
    **{"agent_id": "companion", "run_id": "t", "actor_id": "rules", "role": "user"},
    **{"pinned": False, "importance_min": 1, "importance_max": 5},
    **{"updated_after": "2020-01-01T00:00:00Z", "updated_before": "2099-01-01T00:00:00Z"},
}


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        ({"pinned": True}, {"one"}),
        ({"importance_min": 4}, {"one"}),
        ({"importance_max": 3}, {"two", "three"}),
        ({"agent_id": "inner-voice"}, {"two"}),
        ({"run_id": "t7"}, {"three"}),
        ({"role": "user"}, {"three"}),
        ({"role": "assistant"}, {"two"}),
        ({"actor_id": "rules"}, {"one", "two", "three"}),
        ({"actor_id": "person"}, set()),
        ({"updated_after": "2026-06-01T00:00:00Z"}, {"two"}),
        ({"updated_before": "2026-06-01T00:00:00Z"}, {"one", "three"}),
        ({"pinned": False, "agent_id": "inner-voice", "importance_max": 2}, {"two"}),
    ],
)
def test_filters_narrow_the_answer(
    runtime: Runtime, filters: dict[str, object], kept: set[str]
) -> None:
    thread = chats.new_thread(runtime, "").id
    with runtime.write() as session:
        said = typed_message(session, thread, "three")  # fmt: skip
        replied = chat.add_message(
            session, thread, chat.Role.ASSISTANT, "two", runtime.clock(), origin=chat.Origin.MODEL
        )  # fmt: skip
    remember(runtime, "User has goal one.", "goals", pinned=True, importance=5)
    remember(
        runtime,
        "User has goal two.",
        "goals",
        agent_id="inner-voice",
        updated_at=datetime(2026, 7, 1, tzinfo=UTC),
        sources=(replied.id,),
    )
    remember(runtime, "User has goal three.", "goals", run_id="t7", sources=(said.id,))
    found = ask(runtime, "planner", "goal", filters=filters)
    assert {text.rstrip(".").split()[-1] for text in found} == kept


def test_the_budget_is_counted_with_the_models_tokenizer(runtime: Runtime) -> None:
    for number in range(6):
        remember(runtime, f"User has goal number {number} in mind.", "goals")
    model = runtime.chat.ready()
    assert model is not None
    one = model.count_tokens("[goals] User has goal number 1 in mind.\n")
    assert len(ask(runtime, "planner", "goal", budget_tokens=3 * one)) == 3
    runtime.chat.empty()
    line = "[goals] User has goal number 5 in mind."
    assert model.count_tokens(line) <= most_tokens(line) < len(line) / 2
    assert len(ask(runtime, "planner", "goal", budget_tokens=2 * most_tokens(line) + 1)) == 1, (
        "without a model: its newline, too"
    )


def test_the_threshold_drops_what_is_hardly_alike(runtime: Runtime) -> None:
    remember(runtime, "User has the goal to learn the cello.", "goals")
    remember(
        runtime, "User wants to learn cooking some day, with friends, in a large kitchen.", "goals"
    )
    both = ask(runtime, "planner", "learn the cello")
    assert len(both) == 2
    assert len(ask(runtime, "planner", "learn the cello", threshold=0.5)) == 1


def test_a_category_for_all_always_comes_and_a_rag_one_if_it_fits(runtime: Runtime) -> None:
    remember(runtime, "User is called Ana.", "profile")
    remember(runtime, "User likes oolong.", "preferences")
    assert ask(runtime, "supervisor", "zebra crossing") == ["[profile] User is called Ana."]
    assert ask(runtime, "supervisor", "zebra crossing", threshold=0.1) == [], (
        "nor where only what is alike is wanted"
    )


def test_recent_activity_is_the_activity_of_the_last_three_days(runtime: Runtime) -> None:
    now = runtime.clock()
    remember(runtime, "User painted the fence.", "activity", created_at=now - timedelta(days=2))
    remember(runtime, "User painted the door.", "activity", created_at=now - timedelta(days=4))
    assert ask(runtime, "executor", "painted") == ["[activity] User painted the fence."]
    assert ask(runtime, "executor", "painted", categories=["constraints"]) == []
    for number in range(25):
        remember(runtime, f"User painted gate {number}.", "activity", created_at=now)
    assert len(ask(runtime, "executor", "painted")) == 20, "its own length, not that of activity"


def test_what_was_learned_is_found_by_the_persona_that_was_talked_to(runtime: Runtime) -> None:
    for persona, text in (("companion", "My dog is called Rex."), ("tom", "My cat is called Mia.")):
        say(runtime, new_chat(runtime, persona), text)
    learn(runtime)
    assert {memory.agent_id for memory in curate.list_memories(runtime)} == {"companion", "tom"}
    (found,) = ask(runtime, "supervisor", "pets called", filters={"agent_id": "tom"})
    assert "Mia" in found
    assert len(ask(runtime, "supervisor", "pets called")) == 2


def test_the_best_of_what_is_related_comes_first_in_a_kept_place(runtime: Runtime) -> None:
    cello, weaker, stronger = (
        remember(runtime, f"User {does}.", "goals")
        for does in ("wants to learn the cello", "practises daily", "saves money")
    )
    with runtime.write() as session:
        links = ((weaker, 0.6), (stronger, 0.9))
        changes.apply(session, Linked(cello, links), Actor("rules"))
    found = [
        "[goals] User wants to learn the cello.",
        "[goals] User saves money.",
        "[goals] User practises daily.",
    ]
    actual = [ask(runtime, "planner", "cello", top_k=top_k) for top_k in (3, 2, 1)]
    assert actual == [found, found[:2], found[:1]]
    remember(runtime, "User tunes the cello.", "goals")
    assert ask(runtime, "planner", "cello", top_k=2)[1:] == found[1:2]


def test_a_capability_names_one_person_and_only_their_memories_are_seen(runtime: Runtime) -> None:
    remember(runtime, "User has the goal to learn the cello.", "goals")
    other = Capability("planner", "somebody else", frozenset({"goals"}))
    assert answer_query(
        runtime, other, QueryRequest(agent="planner", query="cello")
    ) == QueryAnswer((), [])


def header(runtime: Runtime, agent: str, **request: object) -> tuple[str, ...]:
    made = QueryRequest.model_validate(
        {"agent": agent, "query": "deployment plan context", **request}
    )
    return answer_query(runtime, runtime.categories.capability(agent, runtime.user_id), made).header


def test_an_agent_is_told_once_what_changed_since_it_last_asked(runtime: Runtime) -> None:
    remember(runtime, "User ships version one.", "goals")
    assert header(runtime, "planner") == (), "what was before it first asked is no news"
    remember(runtime, "User keeps bees.", "goals")
    told = ("Memory updates since rev 1:", "- +created: [Goals] User keeps bees. (imp=2)")
    assert header(runtime, "planner", categories=["tasks"]) == told
    assert header(runtime, "planner", categories=["tasks"]) == ()
    assert header(runtime, "stylist") == (), "it never asked before, and may not read goals"


def test_changes_are_told_three_at_a_time_where_the_budget_has_room(runtime: Runtime) -> None:
    header(runtime, "planner")
    for number in range(4):
        remember(runtime, f"User has goal {number}.", "goals")
    assert header(runtime, "planner", categories=["tasks"], budget_tokens=5) == ()
    told = [header(runtime, "planner", categories=["tasks"])[1:] for _ in range(3)]
    assert [len(lines) for lines in told] == [3, 1, 0]


def test_an_agent_hears_of_no_change_beyond_its_list_or_answer(runtime: Runtime) -> None:
    for agent in ("planner", "stylist"):
        header(runtime, agent)
    remember(runtime, "User loves green tea.", "preferences")
    assert header(runtime, "planner") == ()
    assert ask(runtime, "stylist", "green tea") == ["[preferences] User loves green tea."]
    assert header(runtime, "stylist") == ()


def test_a_request_is_noted_with_the_best_score_and_its_category(runtime: Runtime) -> None:
    remember(runtime, "User has the goal to learn the cello.", "goals")
    ask(runtime, "planner", "cello")
    ask(runtime, "planner", "cello", threshold=2.0)
    nothing, found = recorded(runtime, "search")
    assert found["sim"] > 0.3 and found["category"] == "goals"
    assert nothing["sim"] is nothing["category"] is None


@pytest.mark.parametrize(
    "wrong",
    [{"top_k": 0}, {"filters": {"password": "x"}}, {"return": "everything"}, {"budget_tokens": -1}],
)
def test_a_request_that_is_not_of_the_form_is_an_error(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        QueryRequest.model_validate({"agent": "planner", "query": "x", **wrong})


def test_the_filters_are_those_of_the_specification() -> None:
    named = (
        "user_id agent_id run_id actor_id role category pinned importance_min importance_max "
        "updated_after updated_before"
    )
    assert set(QueryFilters.model_fields) == set(named.split())


def test_a_category_among_the_filters_narrows_the_categories(runtime: Runtime) -> None:
    remember(runtime, "User painted the fence.", "goals")
    remember(runtime, "User painted the door.", "tasks")
    remember(runtime, "User painted the wall.", "activity")
    assert ask(runtime, "planner", "painted", filters={"category": "tasks"}) == [
        "[tasks] User painted the door."
    ]
    actual = ask(runtime, "planner", "painted", categories=["goals"], filters={"category": "tasks"})
    assert actual == []
    assert ask(runtime, "executor", "painted", filters={"category": "recent_activity"}) == [
        "[activity] User painted the wall."
    ]
