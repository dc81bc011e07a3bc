.DEFAULT_GOAL := help
.PHONY: help build test race lint bench cases update

# The versions of the linters are those of CI.
STATICCHECK := $(shell sed -n 's/^readonly staticcheck=//p' .ci/run)
GOLANGCI := $(shell sed -n 's/^readonly golangci=//p' .ci/run)

help: ## Show the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

build: ## Build ./mcp-memory
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o mcp-memory ./cmd/mcp-memory

test: ## Run the tests (official MCP clients: go test -tags clients ./test/clients)
	go test ./...

race: ## Run the tests with the race detector (needs gcc)
	CGO_ENABLED=1 go test -race ./...

lint: ## Run gofmt, go vet, staticcheck and golangci-lint
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./... && go vet -tags clients ./test/clients && go vet -tags services ./vector/embed/endpoint
	go run $(STATICCHECK) ./...
	go run $(GOLANGCI) run ./...

bench: ## Measure latency, memory and disk: by words up to 100k memories, with vectors up to 10k
	go run ./cmd/memory-bench latency --words --check
	go run ./cmd/memory-bench latency --check

cases: build ## Run the handed cases of ../shared
	python3 ../shared/cases/run.py --server ./mcp-memory --issue core,words,vectors,pipeline ../shared/cases/*.jsonl

update: ## Rewrite the golden files from what the code gives now
	go test $$(grep -rl 'flag.Bool("update"' --include='*_test.go' . | xargs -n1 dirname | sort -u) -update
