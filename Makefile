# Two commands on a fresh machine: `make demo` and `make test`. Everything else is listed by `make help`.

SHELL := /bin/bash
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

DEMO_STORE := .demo
DEMO_PORT ?= 8080
DEMO_RECORDS ?= 2000
DEMO_DATASET := rfe033edf024c8af1f4201500

.PHONY: help install client client-types score requirements clients lighthouse spark python validators demo demo-release picture test test-all check format bench soak clean

help: ## list what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{ printf "  make %-14s %s\n", $$1, $$2 }'

install: node_modules/.installed ## install the pinned Node, every package and the share-release command into node_modules/.bin

node_modules/.installed: package.json package-lock.json client/package.json
	@echo "Installing the packages of package-lock.json. On a slow line, npm prints nothing for minutes."
	npm ci --no-audit --no-fund
	@ln -sf ../../bin/share-release.js node_modules/.bin/share-release
	@node score/build.ts
	@touch $@

demo-release: install ## build a release from the bundled corpus into .demo
	@rm -rf $(DEMO_STORE)
	@for source in $(notdir $(wildcard fixtures/payloads/*)); do \
	  share-release harvest $$source --from fixtures/payloads/$$source --retrieved-at 2026-10-31T00:00:00Z \
	    --store $(DEMO_STORE) >/dev/null 2>&1 || [ $$? -eq 3 ] || { echo "the harvest of $$source failed" >&2; exit 1; }; \
	done
	@share-release fixtures --records $(DEMO_RECORDS) --seed 1 --store $(DEMO_STORE) 2>/dev/null
	@$(ONLY_TEXT); share-release build --as-of 2026-11-01 --store $(DEMO_STORE)

# Without a terminal, log lines are JSON, and the demo prints text: it then logs errors alone.
ONLY_TEXT = [ -t 2 ] || export SHARE_LOG_LEVEL=error

# The port, or a free one if it is taken.
FREE_PORT = node -e 'const listen = (port) => require("node:net").createServer().on("error", () => listen(0)).listen(port, "127.0.0.1", function () { console.log(this.address().port); this.close(); }); listen($(DEMO_PORT))'

demo: demo-release ## build a release from the bundled corpus and serve it on port 8080 (DEMO_PORT=…), or on a free one
	@$(ONLY_TEXT); share-release serve --store $(DEMO_STORE) --port $$($(FREE_PORT)) | while IFS=: read -r _ _ port; do \
	  echo "The demo is at http://localhost:$$port/"; \
	  echo "Look at a dataset with its score: http://localhost:$$port/datasets/$(DEMO_DATASET)"; \
	  echo 'Stop it with Ctrl-C.'; \
	done

picture: demo-release ## make the picture of the README again, in the system's Chromium
	@node test/site/write-picture.ts $(DEMO_STORE) docs/pictures/dataset.png

client-types: install
	@node docs/write-client.ts

test: client-types ## run the suites that every change should see: at least one of everything, in minutes
	SHARE_TIER=first vitest run

# CI leaves it out: counting takes time.
COVERAGE ?= --coverage

test-all: client-types clients lighthouse spark python validators ## run all suites but the long runs, as CI does; says how much of the code they reach
	SHARE_TIER=all vitest run $(COVERAGE)

client: client-types ## build the npm package share-release-client into client/dist
	npm --prefix client run build

# pip checks the digest of every file that it installs.
PIP_INSTALL := install --quiet --disable-pip-version-check --require-hashes
REQUIREMENTS := python test/clients test/engine test/describe/validators
PIN := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command 'make requirements'

requirements: ## pin the packages of each requirements.in, and those they need, with digests in requirements.txt (needs uv)
	@for folder in $(REQUIREMENTS); do \
	  $(PIN) --output-file $$folder/requirements.txt $$folder/requirements.in || exit 1; \
	done
	@$(PIN) --no-deps --output-file test/describe/validators/extension.txt test/describe/validators/extension.in

clients: test/clients/.installed ## install the linter and the generators of clients that test/clients/ runs

test/clients/.installed: test/clients/package-lock.json test/clients/requirements.txt install
	cd test/clients && npm ci --no-audit --no-fund
	python3 -m venv test/clients/.python
	test/clients/.python/bin/pip $(PIP_INSTALL) --requirement test/clients/requirements.txt
	@touch $@

spark: .spark/.installed ## install Apache Spark for `build --engine spark` and its suites (needs Java 17 or later)

.spark/.installed: test/engine/requirements.txt
	python3 -m venv .spark
	.spark/bin/pip $(PIP_INSTALL) --requirement test/engine/requirements.txt
	@touch $@

python: .python/.installed ## install what the package in python/ and its suites need

.python/.installed: python/requirements.txt
	python3 -m venv .python
	.python/bin/pip $(PIP_INSTALL) --requirement python/requirements.txt
	@touch $@

validators: .validators/.installed ## install the validators that test/describe/ has descriptors of releases judged by

.validators/.installed: test/describe/validators/requirements.txt test/describe/validators/extension.txt
	python3 -m venv .validators
	.validators/bin/pip $(PIP_INSTALL) --requirement test/describe/validators/requirements.txt
	.validators/bin/pip $(PIP_INSTALL) --no-deps --requirement test/describe/validators/extension.txt
	@touch $@

lighthouse: test/lighthouse/.installed ## install the auditor of pages that test/lighthouse/ and the bench of pages run

test/lighthouse/.installed: test/lighthouse/package-lock.json install
	cd test/lighthouse && npm ci --no-audit --no-fund
	@touch $@

check: install ## check types, lint, format, spelling and generated files; list every failure
	npm run --silent check

format: install ## format and fix what can be fixed
	biome check --write .

bench: install ## the figures, each a ratio against a floor measured in the same run
	node bench/run.ts

score: install ## build the package share-release-score and the script of the check page again, into score/dist
	@node score/build.ts

soak: client-types ## the long runs: kills at random moments, large inputs
	SHARE_TIER=soak vitest run

clean: ## remove installed packages and the demo store
	rm -rf node_modules client/node_modules client/dist .spark .python .validators $(DEMO_STORE)
