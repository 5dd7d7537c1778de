# `make run` and `make test` install what they need on a fresh Debian machine. `make help` lists all targets: each has
# a line here, `target: prerequisites ## what it does`.

BINARY := .build/release/inkpanel
GATEWAY := $(BINARY)-gateway
FLEET := $(BINARY)-fleet
DOCUMENT := $(BINARY)-document
BENCH := $(BINARY)-bench
# The programs find it beside their folder.
VERIFIER := .build/$(shell uname -m)-unknown-linux-gnu/share/inkpanel/verify.html
# Contains the Swift runtime, so that panels need no Swift.
BUILD := swift build -c release --static-swift-stdlib

.PHONY: run demo help build verifier test lint docs clean

# A script or a CI job has no terminal, and gets the demonstration, which ends by itself.
run: build ## Run the pad; without a panel, show it in a browser (the default)
	@mkdir -p out/panel
	@if $(BINARY) devices --check; then \
	    echo "export PATH=$(CURDIR)/.build/release:\$$PATH INKPANEL_SOCKET=$(CURDIR)/out/panel/panel.sock"; \
	    echo "inkpanel capture --prompt 'Sign here' --output signature.png"; \
	    $(BINARY) run --store out/panel/records --socket out/panel/panel.sock; \
	elif test -t 0; then \
	    tools/offer-fonts out/no-fonts; \
	    tools/run $(BINARY) $(GATEWAY) out/run; \
	else $(MAKE) --no-print-directory demo; fi

demo: build ## Play a whole capture in memory: pictures in out/demo
	$(BINARY) demo --output out/demo

help: ## List these targets
	@sed -n 's/^\([a-z][a-z0-9.-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 27

build: ## Build verify.html and the programs: inkpanel, inkpanel-gateway, inkpanel-fleet and inkpanel-document in .build/release
	@tools/setup build
	INKPANEL_PROGRAMS="inkpanel inkpanel-gateway inkpanel-fleet inkpanel-document" $(BUILD)
	tools/build-verifier $(VERIFIER)

verifier: ## Build verify.html, the page that anybody opens to check a record
	@tools/setup build
	tools/build-verifier $(VERIFIER)

# A suite that has passed is repeated when something has changed that it depends on, or with ALL=1. CI has no memory.
# Two at a time; with three, the load disturbs browsers and the real kernel. After the builds, the real kernel computes
# beside suites that wait; those that need both processors come last, so that neither idles.
test: ## Run all tests that a commit needs
	@tools/setup test
	@rm -rf .build/suites/again
	$(MAKE) -j2 SHOWS=end lint programs repository-test gateway-test test-programs web-test manual-test units-test \
	    panel-test webhooks-test clients-test control-test delivery-test fleet-test compat-test verifier-test \
	    browser-test document-test evidence-test formats-test allocations-test accuracy-test unit
	@tools/suite-again

lint: ## Check Swift and Python code; `swift format -ir Sources Tests Examples Package.swift` mends the form
	@tools/setup test
	.build/python/bin/ruff check --no-cache .
	swift format lint --strict --recursive Sources Tests Examples Package.swift

# The examples use all libraries. SwiftPM builds one product or all.
docs: ## Write the reference of the libraries in out/docs, with DocC
	@tools/setup build
	swift build --product draw-ink
	swift build --product take-signature
	tools/docs out/docs

clean: ## Remove .build and out
	rm -rf .build out

# Tests, longer checks, figures, installing and packages.
include make/tests.mk make/checks.mk make/bench.mk make/install.mk make/image.mk make/clients.mk
