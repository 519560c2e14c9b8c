"""What memapp says itself where no reply came."""

from memapp.prompts.own_remarks import AT_A_LOSS, NO_LIFE, at_a_loss


def test_asked_for_a_life_it_says_that_it_has_none_each_time_in_other_words() -> None:
    said: list[str] = []
    for _ in NO_LIFE:
        said.append(at_a_loss("what do you do for fun?", said, "I love playing bingo."))
    assert sorted(said) == sorted(NO_LIFE)
    assert at_a_loss("what should I do tonight?", (), "I love playing bingo.") in AT_A_LOSS
    assert at_a_loss("what do you do for fun?", (), "Based on the context, nothing.") in AT_A_LOSS
