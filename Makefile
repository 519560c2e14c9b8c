# memapp: `make run` starts it, `make test` tests it. The first time, both set up what they need; the model is fetched by
# `make run` alone. Where it cannot be had, or ctrl+c stops it, memapp starts all the same.

python := .venv/bin/python

run:
	@sh .ci/setup
	@trap : INT; $(python) -m memapp models get --default --yes; $(python) -m memapp

test:
	@sh .ci/setup dev
	$(python) -m pytest

check:
	@sh .ci/setup dev
	$(python) -m ruff check
	$(python) -m ruff format --check
	$(python) -m mypy
	$(python) -m pytest -m slow --dist worksteal

# Speed, on a machine that does nothing else for half an hour; with the default model where it is here.
speed:
	@sh .ci/setup dev
	@for name in start embedder lesson_speed recall responsive engine two_call crashes upkeep; do \
		$(python) -m benchmarks.$$name --small || [ $$? -eq 3 ] || exit 1; done
	@$(python) -m benchmarks.two_call --small --model default || [ $$? -eq 3 ]

# Writes the pages of docs/ that follow from the code, and builds all of docs/ into site/, which is read without a network.
docs:
	@sh .ci/setup
	@$(python) -m zensical --version >/dev/null 2>&1 || $(python) -m pip install --editable ".[docs]"
	$(python) docs/reference.py
	$(python) -m zensical build --clean

# What tells corrections in free words, fitted anew to its examples; the same examples make the same file.
corrections:
	@sh .ci/setup dev
	$(python) -m benchmarks.fit_corrections --write

# Fits the judge of statements to benchmarks/made_up/statements: whoever changes those, or judge.toml, commits what it writes.
judge:
	@sh .ci/setup dev
	$(python) -m benchmarks.fit_judge --write

# The pictures of the documentation, out of memapp demo.
pictures:
	@sh .ci/setup dev
	$(python) -m docs.pictures

.PHONY: run test check speed docs pictures corrections judge
