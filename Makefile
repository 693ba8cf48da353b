# `make` lists what there is. Every target does nothing twice: packages are installed when package-lock.json changed,
# and a build takes under a second.
.DEFAULT_GOAL := help
SHELL := /bin/sh
MAKEFLAGS += --no-print-directory

# Settings may stand on the command line as well: make start PORT=4000
export PORT ENCORE_DATA LEDGERS ENCORE_DEMO ENCORE_EVENTSTORE_TLS MOCKS BESIDE SEED SEEDS FROM LOSS PART BACKUP BACK

NPM_CI := npm ci --include=dev --no-audit --no-fund --loglevel=error
INSTALLED := node_modules/.installed
JEST := NODE_ENV=test NODE_OPTIONS='--experimental-vm-modules --disable-warning=ExperimentalWarning --require "$(CURDIR)/test/support/short-lived.cjs"' \
  node_modules/.bin/jest

.PHONY: help
help: ## what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: node
node:
	@command -v node >/dev/null || { echo "Node.js 20.19 or newer is needed: install it from https://nodejs.org." >&2; exit 1; }
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); if (a < 20 || (a === 20 && b < 19)) { console.error("Node.js 20.19 or newer is needed; this is " + process.version + "."); process.exit(1); }'
	@command -v npm >/dev/null || { echo "npm is needed: it comes with Node.js." >&2; exit 1; }

$(INSTALLED): package-lock.json package.json | node
	@if [ -f $@ ] && cmp -s $@ package-lock.json; then touch $@; else echo "Installing packages …" && $(NPM_CI) && cp package-lock.json $@; fi

.PHONY: install
install: node $(INSTALLED) ## install packages, if they changed

.PHONY: build
build: install ## compile to dist/
	@npm run -s build

.PHONY: start
start: build ## start everything and open http://localhost:3000 (PORT, ENCORE_DATA)
	@exec node dist/local/up.js

.PHONY: check
check: build ## check style and types, and run the suites that need no store (a minute on two cores)
	@TOGETHER=$(or $(TOGETHER),yes) COMPILER=yes $(JEST) --selectProjects node --testPathPatterns '^(?!.*/simulator/).*(?<!\.(int|e2e|browser|drill))\.spec\.ts$$'

.PHONY: test
test: install ## check and test everything but what takes hours
	@npm run -s build || { printf '\n0 passed, 1 failed\n'; exit 1; }
	@node dist/test/support/prepare.js || { printf '\n0 passed, 1 failed\n'; exit 1; }
	@exec node test/support/run-suites.mjs

.PHONY: check-stripe
check-stripe: build ## say what of your Stripe account is right, missing or unproven (STRIPE_SECRET_KEY=…; SET_UP=1 makes what is missing)
	@NODE_ENV="$${NODE_ENV:-development}" exec node dist/processes/operate.js check-stripe $(if $(SET_UP),--set-up)

.PHONY: prove
prove: build ## prove what there is no time for in `make test`, for hours; goes on where it was (PART=seeds|crashes|…)
	@node dist/test/support/prepare.js
	@exec node dist/test/prove/main.js

# Of the suites that use the stores, those that ask most of them, and those that compare the event store with its stand-in. SPECS
# chooses others.
CONTAINED := log/ projections/engine processes/ audit test/e2e/tip test/e2e/twofold \
  test/conformance/eventstore(?=[.]|-consumers|-following)
SPECS ?= $(CONTAINED)

.PHONY: test-containers
test-containers: build ## run suites with Postgres, Redis and the event store in containers (SPECS, …_IMAGE)
	@docker version --format 'On Docker {{.Server.Version}}' 2>/dev/null || { echo "No Docker engine answers. \`make test\` needs none." >&2; exit 1; }
	@node dist/test/support/prepare.js
	@status=0; TEST_STACK=containers $(JEST) --maxWorkers=2 --selectProjects node --testPathPatterns $(foreach spec,$(SPECS),'$(spec).*\.(int|e2e)\.spec') || status=$$?; \
	  docker ps --all --quiet --filter label=encore-test | xargs -r docker rm --force --volumes >/dev/null; exit $$status

SANDBOX := --env-file local/sandbox.env
COMPOSE = $$(docker compose version >/dev/null 2>&1 && echo docker compose || echo docker-compose)

# One service builds the image of the app, one that of the stand-ins: asked for all, some builders make an image once for each.
.PHONY: sandbox
sandbox: ## start everything in containers, with stand-ins for cards and sign-in: http://localhost:3000
	@sh deploy/secrets.sh secrets/sandbox sandbox
	@$(COMPOSE) $(SANDBOX) build ledger stripe
	@$(COMPOSE) $(SANDBOX) up --no-build

.PHONY: prove-compose
prove-compose: build ## prove docker-compose.yml with stand-in images (test/containers/images.sh makes them)
	@$(JEST) --config test/containers/jest.config.js

.PHONY: screenshots
screenshots: build ## photograph every screen and state into docs/screenshots (MOCKS, BESIDE: each beside its mock)
	@node dist/test/support/prepare.js
	@SCREENSHOTS=on $(JEST) test/browser/screens test/browser/schedules test/browser/bank test/browser/tip \
	  test/browser/offline test/browser/coming-and-going test/browser/public-tip test/browser/audit-report

.PHONY: lint
lint: install ## check style and types of the code
	@npm run -s lint-and-types

.PHONY: format
format: install ## put the code into its usual form
	@npm run -s format

.PHONY: typecheck
typecheck: install ## check types
	@npm run -s typecheck

.PHONY: bench
bench: build ## measure (PART=journal|http|replay|startup|screens|slow-3g|followers|outage|provider|slow-sockets|audit; EVENTSTORE_URL: an event store of this machine)
	@exec node --max-semi-space-size=64 dist/test/bench/main.js $(PART)

.PHONY: audit
audit: build ## check the books of ENCORE_DATA, or of an exported log (ARGS="verify", ARGS="--help")
	@exec node dist/processes/encore.js audit $(or $(ARGS),--help)

.PHONY: simulate
simulate: build ## run random histories from seeds and check the books (SEEDS=1000 FROM=1; SEED=4711 prints one)
	@exec node dist/test/simulator/main.js

.PHONY: backup
backup: build ## keep log, data keys and sessions of ENCORE_DATA in a folder, also while it runs (BACKUP=folder)
	@exec node dist/local/backup.js

.PHONY: restore
restore: build ## bring a backup back into ENCORE_DATA, while nothing runs (FROM=folder; BACK=1 gives an interrupted one up)
	@exec node dist/local/restore.js

.PHONY: recover
recover: build ## win back what the log of ENCORE_DATA has lost, while nothing runs
	@exec node dist/local/recover.js

.PHONY: reset
reset: build ## forget all data in ENCORE_DATA (./.data)
	@exec node dist/local/reset.js
