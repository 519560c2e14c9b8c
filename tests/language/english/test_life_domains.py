"""What a fact bears on, by rule."""

from memapp.language.english.life_domains import tags_of


def test_a_keyword_has_the_tag_of_the_domain_that_it_bears_on() -> None:
    assert tags_of("allergies") == ["food"]
