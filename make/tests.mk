# The tests that a commit needs, and the longer ones on a real kernel; docs/testing.md says which to run.

.PHONY: unit allocations-test accuracy-test formats-test evidence-test control-test gateway-test browser-test \
    web-test units-test manual-test panel-test test-long panel-test-long install-test

PYTEST ?=

unit: ## Run the unit tests, without a real kernel
	@tools/setup build
	swift test

# Optimised: other builds allocate more.
allocations-test: ## Check that reports and fills allocate no memory
	@tools/setup build
	swift build -c release --static-swift-stdlib --product allocations
	.build/release/allocations

accuracy-test: ## Compare the rasterizer's coverage with exact areas
	@tools/setup build
	swift build -c release --static-swift-stdlib --product raster-accuracy
	.build/release/raster-accuracy

formats-test: ## Read exported files with other programs: Python, Pillow, librsvg
	@tools/setup test
	swift build --product format-files
	FORMAT_FILES=$(CURDIR)/.build/debug/format-files /usr/bin/python3 -B -m pytest -q Tests/Formats

evidence-test: build ## Compare evidence with OpenSSH, OpenSSL, age and Python; forge records and seals
	@tools/setup test
	swift build --product evidence-peer
	EVIDENCE_PEER=$(CURDIR)/.build/debug/evidence-peer INKPANEL=$(CURDIR)/$(BINARY) \
		.build/python/bin/python -B -m pytest -q Tests/Evidence $(PYTEST)

control-test: build ## Test the host API and its commands with the Python package varlink
	@tools/setup test
	swift build --product control-peer
	CONTROL_PEER=$(CURDIR)/.build/debug/control-peer INKPANEL=$(CURDIR)/$(BINARY) \
		.build/python/bin/python -B -m pytest -q Tests/Control

gateway-test: build ## Test the gateway's API, its clients and its description
	@tools/setup test
	INKPANEL=$(CURDIR)/$(BINARY) GATEWAY=$(CURDIR)/$(GATEWAY) SCHEMATHESIS=$(CURDIR)/.build/python/bin/schemathesis \
		/usr/bin/python3 -B -m pytest -q Tests/Gateway $(PYTEST)

BROWSER_TEST := INKPANEL=$(CURDIR)/$(BINARY) GATEWAY=$(CURDIR)/$(GATEWAY) .build/python/bin/python -B
browser-test: build ## Test the virtual panel in Chromium
	@tools/setup test
	$(BROWSER_TEST) -m pytest -q Tests/Browser $(PYTEST)

web-test: build ## Test nginx in front of the gateway, and its certificate
	@tools/setup test
	INKPANEL=$(CURDIR)/$(BINARY) GATEWAY=$(CURDIR)/$(GATEWAY) /usr/bin/python3 -B -m pytest -q Tests/Web $(PYTEST)

units-test: build ## Check the systemd units and udev rules
	@tools/setup test
	tools/verify-units $(BINARY) $(GATEWAY)

manual-test: build ## Check installing, uninstalling, man pages, completions, documents
	@tools/setup test
	$(BUILD_BENCH)
	INKPANEL=$(CURDIR)/$(BINARY) GATEWAY=$(CURDIR)/$(GATEWAY) BENCH=$(CURDIR)/$(BENCH) \
		/usr/bin/python3 -B -m pytest -q Tests/Manual

# GOLDEN=write in the environment rewrites the golden pictures (Tests/Panel/README.md).
panel-test: build ## Test on a real kernel in QEMU; PYTEST="-k capture" selects tests
	@tools/setup test
	INKPANEL=$(CURDIR)/$(BINARY) /usr/bin/python3 -B -m pytest -q Tests/Panel -m "not long" $(PYTEST)

test-long: panel-test-long install-test arm64-test ## Run the tests that take too long for `make test`

panel-test-long: build ## Test every fault, framebuffers, recorded devices; soak
	@tools/setup test
	INKPANEL=$(CURDIR)/$(BINARY) /usr/bin/python3 -B -m pytest -q Tests/Panel -m long $(PYTEST)

# The first run makes a Debian for it, which takes minutes.
install-test: deb ## Test the packages in QEMU, from boot to purge
	@tools/setup test
	INKPANEL_DEB=$$(ls $(CURDIR)/out/inkpanel_*_$$(dpkg --print-architecture).deb) \
	GATEWAY_DEB=$$(ls $(CURDIR)/out/inkpanel-gateway_*_$$(dpkg --print-architecture).deb) \
		/usr/bin/python3 -B -m pytest -q -x Tests/Install $(PYTEST)
