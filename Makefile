# Everything a contributor runs. `make` alone lists it.
#
# Only Go and git are needed for build, test, demo, trace and cross. lint also
# fetches staticcheck (tools/go.mod, so that it stays out of our go.sum), and
# bench compares with Node.js where node is installed.

SHELL     := /bin/sh
GO        ?= go
BIN       := bin
VERSION   ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS   := -s -w -X main.version=$(VERSION)
# Leaves out the manual page writer of the cli library: half a millisecond of
# every start that nothing here uses.
TAGS      := urfave_cli_no_docs
FUZZTIME  ?= 30s
# The race detector needs a C toolchain; `go env` reports 0 where there is none.
RACE      ?= $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)
PKGS      ?= ./...
TESTFLAGS ?=

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk 'BEGIN { FS = ":.*## "; printf "usage: make TARGET\n" } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-zA-Z0-9_-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ Use

.PHONY: build
build: ## build the commands into bin/ (static, stripped, reproducible)
	CGO_ENABLED=0 $(GO) build -tags $(TAGS) -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/...

# GOOS and GOARCH choose the system that the plugin is for.
.PHONY: plugin
plugin: ## build the Claude Code plugin into bin/plugin, with the program in it
	@mkdir -p $(BIN)/plugin.program
	CGO_ENABLED=0 $(GO) build -tags $(TAGS) -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/plugin.program/ ./cmd/stophook
	@GOOS= GOARCH= $(GO) run ./internal/plugin -to $(BIN)/plugin -program $(BIN)/plugin.program/stophook$$($(GO) env GOEXE)
	@rm -r $(BIN)/plugin.program
	@if command -v claude >/dev/null 2>&1; then claude plugin validate --strict $(BIN)/plugin; \
	else echo "plugin: not held against the client's own rules: claude is not on PATH"; fi

# The gate alone: agentcore links the SDKs of model providers, which take minutes
# to compile on a fresh machine.
.PHONY: gate
gate: ## build stophook and its workshop alone
	CGO_ENABLED=0 $(GO) build -tags $(TAGS) -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/stophook ./cmd/stophook-workshop

.PHONY: demo
demo: gate ## play the incident that this program exists for, Stop by Stop
	@$(GO) run ./internal/demo -stophook $(BIN)/stophook

.PHONY: demo-agent
demo-agent: gate ## our own agent, whose push a message moves to the background, gated by the real stophook; needs no key
	@$(GO) run ./internal/demoagent -stophook $(BIN)/stophook -dir $(BIN)/demo-agent

##@ Test

.PHONY: test
test: ## run all tests (with the race detector where cgo is there)
	$(GO) test $(RACE) $(TESTFLAGS) $(PKGS)

.PHONY: race
race: ## run all tests three times, shuffled, under the race detector
	$(GO) test -race -shuffle=on -count=3 $(TESTFLAGS) $(PKGS)

# -v shows every scenario by its name, with the reason where one is skipped.
.PHONY: e2e
e2e: ## run the real Claude Code against an API on loopback; npm fetches it once (400 MB)
	STOPHOOK_E2E=$${STOPHOOK_E2E:-on} $(GO) test -count=1 -v -timeout 10m -run '^TestClient_' $(TESTFLAGS) ./internal/e2e

.PHONY: cover
cover: ## measure coverage over all packages, write bin/cover.html
	@mkdir -p $(BIN)
	$(GO) test -coverpkg=./... -coverprofile=$(BIN)/cover.out $(TESTFLAGS) $(PKGS)
	@$(GO) tool cover -html=$(BIN)/cover.out -o $(BIN)/cover.html
	@$(GO) tool cover -func=$(BIN)/cover.out | tail -n 1

.PHONY: fuzz
fuzz: ## run every fuzz target by name, FUZZTIME=30s each
	@set -e; found=0; \
	for file in $$(grep -rl --include='*_test.go' '^func Fuzz' . | sort); do \
	  for name in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$file); do \
	    found=1; echo "== $$(dirname $$file) $$name ($(FUZZTIME))"; \
	    $(GO) test $$(dirname $$file) -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME); \
	  done; \
	done; \
	if [ $$found = 0 ]; then echo "fuzz: no fuzz target found" >&2; exit 1; fi

.PHONY: golden
golden: ## rewrite the golden files, then show what changed: read the diff
	UPDATE_GOLDEN=1 $(GO) test -count=1 $(PKGS)
	@git diff --stat

.PHONY: bench
bench: build ## ratios against tail and node in one run, peak memory, Go benchmarks
	@$(GO) run ./internal/bench -stophook $(BIN)/stophook
	@$(GO) run ./internal/execbench
	@$(GO) run ./internal/agentbench
	$(GO) test -run '^$$' -bench . -benchmem ./transcript/... ./policy/... ./execctx/... ./agentcore/...

##@ Check

.PHONY: lint
lint: ## gofmt, go vet, staticcheck
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then \
	  echo "gofmt: these files are not formatted (run: gofmt -w FILE):" >&2; echo "$$out" >&2; exit 1; fi
	$(GO) vet ./...
	@if (cd tools && $(GO) mod download) >/dev/null 2>&1; then \
	  (cd tools && $(GO) build -o ../$(BIN)/tools/staticcheck honnef.co/go/tools/cmd/staticcheck) && \
	  echo "staticcheck ./..." && $(BIN)/tools/staticcheck ./...; \
	else echo "lint: skipped staticcheck: its module could not be fetched"; fi

.PHONY: trace
trace: ## list the P0 requirements of built parts that no test carries
	@$(GO) run ./internal/trace

.PHONY: tidy
tidy: ## go mod tidy, in this module and in tools/
	$(GO) mod tidy
	cd tools && $(GO) mod tidy

# vet compiles a package with its tests; nothing of it can be run here. What Windows
# takes for state and log runs everywhere, all but its lock. CROSS_BUILD= leaves out
# the systems for which only the program is compiled.
CROSS_VET   ?= windows/amd64 darwin/arm64
CROSS_BUILD ?= windows/arm64 darwin/amd64
.PHONY: cross
cross: ## compile and vet everything, tests included, for Windows and macOS
	$(GO) test -tags '$(TAGS),stophook_portable' ./policy/evidence ./policy/decisionlog
	@set -e; for system in $(CROSS_VET); do echo "$$system: go vet"; \
	  CGO_ENABLED=0 GOOS=$${system%/*} GOARCH=$${system#*/} $(GO) vet -tags '$(TAGS)' ./...; done
	@set -e; for system in $(CROSS_BUILD); do echo "$$system: go build"; \
	  CGO_ENABLED=0 GOOS=$${system%/*} GOARCH=$${system#*/} $(GO) build -trimpath -tags '$(TAGS)' -o /dev/null ./cmd/stophook; done

.PHONY: check
check: lint trace build cross test ## all of it but fuzz and bench; run before a commit
	$(GO) mod tidy -diff

.PHONY: clean
clean: ## remove bin/
	rm -rf $(BIN)
