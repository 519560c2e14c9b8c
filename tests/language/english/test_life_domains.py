"""What a fact bears on, by rule."""

from memapp.language.english.life_domains import domains_of


def test_a_keyword_names_the_domain_that_it_bears_on() -> None:
    assert domains_of("allergies") == ["food"]
