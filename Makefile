# memapp: `make run` starts it, `make test` tests it. The first time, both set up what they need.

python := .venv/bin/python

run:
	@sh .ci/setup
	@$(python) -m memapp

test:
	@sh .ci/setup dev
	$(python) -m pytest

check:
	@sh .ci/setup dev
	$(python) -m ruff check
	$(python) -m ruff format --check
	$(python) -m mypy
	$(python) -m pytest -m slow --dist worksteal

.PHONY: run test check
