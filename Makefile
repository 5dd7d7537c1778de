# `make run` and `make test` install what they need on a fresh Debian machine. `make help` lists all targets: each has
# a line here, `target: prerequisites ## what it does`.

PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
DESTDIR ?=
BINARY := .build/release/inkpanel
GATEWAY := $(BINARY)-gateway
# The same version for the machine that builds: it prints its man pages and completions.
NATIVE_BINARY ?= $(BINARY)
NATIVE_GATEWAY ?= $(GATEWAY)
STRIP ?= strip
# Contains the Swift runtime, so that panels need no Swift.
BUILD := swift build -c release --static-swift-stdlib --product inkpanel
BUILD_GATEWAY := $(BUILD)-gateway

.PHONY: help run demo test lint unit allocations-test accuracy-test formats-test evidence-test control-test \
    gateway-test browser-test browser-figures page-pictures web-test fuzz fuzz-program fuzz-raster build panel-test \
    faces units-test manual-test install-test check-swift-6.0 cross arm64-test arm64-unit-test arm64-same-test \
    arm64-panel-test sanitize address-test thread-test panel-test-long test-long bench bench-peers deb install \
    install-units install-texts install-docs install-gateway install-gateway-units install-gateway-texts uninstall \
    uninstall-gateway clean

# A script or a CI job has no terminal, and gets the demonstration, which ends by itself.
run: build ## Run the pad; without a panel, show it in a browser (the default)
	@mkdir -p out/panel
	@if $(BINARY) devices --check; then \
	    echo "ask it for a signature: $(BINARY) capture --socket out/panel/panel.sock --prompt 'Sign here'"; \
	    $(BINARY) run --store out/panel/records --socket out/panel/panel.sock; \
	elif test -t 0; then \
	    tools/run $(BINARY) $(GATEWAY) out/run; \
	else $(MAKE) --no-print-directory demo; fi

demo: build ## Play a whole capture in memory: pictures in out/demo
	$(BINARY) demo --output out/demo

help: ## List these targets
	@sed -n 's/^\([a-z][a-z0-9.-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 27

build: ## Build the programs, .build/release/inkpanel and inkpanel-gateway
	@tools/setup build
	$(BUILD)
	$(BUILD_GATEWAY)

test: ## Run all tests that a commit needs
	@tools/setup test
	$(MAKE) lint build unit allocations-test accuracy-test formats-test evidence-test control-test gateway-test \
	    browser-test web-test units-test manual-test panel-test

lint: ## Check the form of Swift code; `swift format -ir Sources Tests Package.swift` mends most
	@tools/setup build
	swift format lint --strict --recursive Sources Tests Package.swift

unit: ## Run the unit tests, without a real kernel
	@tools/setup build
	swift test

# Unit tests with optimised code, as shipped: it releases values after their last use instead of at the end of the
# scope, and is many times faster.
OPTIMISED_TESTS := --build-tests -c release -Xswiftc -enable-testing

# Takes half an hour, in separate builds. SANITIZERS="thread" selects one, SWIFT_TEST="--skip Demo" skips tests. Leaks
# are not checked, because Swift keeps its type metadata. Swift's backtraces hang under the sanitizers. JournalKillTests
# would take an hour, because it stops children at each of their system calls.
SANITIZERS ?= address thread
SWIFT_TEST ?=
SANITIZED = inkpanelPackageTests.xctest --testing-library swift-testing --skip JournalKillTests $(SWIFT_TEST)
sanitize: $(SANITIZERS:%=%-test) ## Run the unit tests with the address and thread sanitizers

address-test: ## Run the unit tests with the address sanitizer
	@tools/setup build
	swift build $(OPTIMISED_TESTS) --sanitize=address --scratch-path .build/address
	ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no .build/address/release/$(SANITIZED)

# Not optimised: the sanitizer does not see the reference counts, by which threads hand over arrays, in code that the
# library has inlined into ours. The preloaded library informs it about waiting for a Mutex (Tests/Sanitizers/mutex.c);
# it needs clang for Swift's calling convention.
WITH_THREADS := --filter '^(inkpanelTests|LinuxTests|ScreenTests|ControlTests|StoreTests|PagesTests)\.'
thread-test: ## Run the unit tests of modules with threads with the thread sanitizer
	@tools/setup build
	swift build --build-tests --sanitize=thread --scratch-path .build/thread
	clang -shared -fPIC -O1 -Wall -Werror -o .build/thread/mutex.so Tests/Sanitizers/mutex.c -ldl
	SWIFT_BACKTRACE=enable=no LD_PRELOAD=$(CURDIR)/.build/thread/mutex.so .build/thread/debug/$(SANITIZED) $(WITH_THREADS)

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

browser-figures: build ## Measure the virtual panel in Chromium
	@tools/setup test
	$(BROWSER_TEST) Tests/Browser/figures.py

page-pictures: build ## Draw the pictures of the virtual panel's page anew
	@tools/setup test
	$(BROWSER_TEST) tools/page-pictures $(PICTURES)

web-test: build ## Test nginx in front of the gateway, and its certificate
	@tools/setup test
	INKPANEL=$(CURDIR)/$(BINARY) GATEWAY=$(CURDIR)/$(GATEWAY) /usr/bin/python3 -B -m pytest -q Tests/Web $(PYTEST)

# libFuzzer with the address sanitizer, for SECONDS, with a corpus that is kept. Findings are stored as
# .build/fuzz/found-*; `.build/fuzz/raster-fuzz FILE` repeats one. Swift's backtraces hang under the sanitizer.
# len_control=0 allows long inputs at once: short ones are headers with hardly a corner.
SECONDS ?= 600
fuzz-raster: ## Search for polygons that break the rasterizer, for SECONDS=600
	@tools/setup build
	INKPANEL_FUZZ=1 swift build -c release --scratch-path .build/fuzz --product RasterFuzz \
		-Xswiftc -sanitize=fuzzer,address -Xswiftc -g
	swiftc -sanitize=fuzzer,address -Xlinker --whole-archive .build/fuzz/release/libRasterFuzz.a \
		-Xlinker --no-whole-archive -o .build/fuzz/raster-fuzz
	mkdir -p .build/fuzz/corpus
	SWIFT_BACKTRACE=enable=no .build/fuzz/raster-fuzz -max_total_time=$(SECONDS) -max_len=1024 -len_control=0 \
		-timeout=20 -print_final_stats=1 -artifact_prefix=.build/fuzz/found- .build/fuzz/corpus

# The same for input from devices, files and hosts, each for SECONDS; INPUTS="record png" selects some. Findings are
# stored as .build/fuzz/found-INPUT-*; `FUZZED_INPUT=INPUT .build/fuzz/input-fuzz FILE` repeats one. Add fixed ones to
# the seeds. Leaks are not checked for configurations: TOMLKit leaks C strings of a table, which is read only once.
INPUTS ?= $(notdir $(wildcard Tests/InputChecks/Seeds/*))
fuzz: fuzz-program ## Search for other input that breaks the program, SECONDS=600 each
	for input in $(INPUTS); do \
	    echo "== $$input"; mkdir -p .build/fuzz/corpus-$$input; \
	    dictionary=Tests/InputFuzz/dictionaries/$$input.dict; \
	    leaks=1; test $$input = configuration && leaks=0; \
	    ASAN_OPTIONS=detect_leaks=$$leaks FUZZED_INPUT=$$input SWIFT_BACKTRACE=enable=no \
	        .build/fuzz/input-fuzz -max_total_time=$(SECONDS) -max_len=8192 -timeout=20 -rss_limit_mb=4096 \
	        -print_final_stats=1 \
	        $$(test -e $$dictionary && echo -dict=$$dictionary) \
	        -artifact_prefix=.build/fuzz/found-$$input- .build/fuzz/corpus-$$input \
	        Tests/InputChecks/Seeds/$$input || exit 1; \
	done

fuzz-program:
	@tools/setup build
	INKPANEL_FUZZ=1 swift build -c release --scratch-path .build/fuzz --product InputFuzz \
		-Xswiftc -sanitize=fuzzer,address -Xswiftc -g
	swiftc -sanitize=fuzzer,address -Xlinker --whole-archive .build/fuzz/release/libInputFuzz.a \
		-Xlinker --no-whole-archive -lstdc++ -o .build/fuzz/input-fuzz

# GOLDEN=write in the environment rewrites the golden pictures (Tests/Panel/README.md).
PYTEST ?=
panel-test: build ## Test on a real kernel in QEMU; PYTEST="-k capture" selects tests
	@tools/setup test
	INKPANEL=$(CURDIR)/$(BINARY) /usr/bin/python3 -B -m pytest -q Tests/Panel -m "not long" $(PYTEST)

# out/faces/*.png: in a few minutes one sees every page, state, size, theme and language.
faces: ## Draw all pages of the pad into contact sheets
	@tools/setup faces
	swift build -c release --product faces
	@mkdir -p out/faces
	.build/release/faces out/faces

units-test: build ## Check the systemd units and udev rules
	@tools/setup test
	tools/verify-units $(BINARY) $(GATEWAY)

manual-test: build ## Check installing, uninstalling, man pages, completions, documents
	@tools/setup test
	$(BUILD_BENCH)
	INKPANEL=$(CURDIR)/$(BINARY) GATEWAY=$(CURDIR)/$(GATEWAY) BENCH=$(CURDIR)/$(BENCH) \
		/usr/bin/python3 -B -m pytest -q Tests/Manual

# out/inkpanel_VERSION_ARCH.deb and out/inkpanel-gateway_VERSION_ARCH.deb; debian/rules explains the variables.
ARCH ?= $(shell dpkg --print-architecture)
DEB_BINARY ?= $(BINARY)
DEB_SYSROOT ?=
deb: build ## Make the Debian packages in out/; ARCH=arm64 cross-compiles
	@tools/setup deb
	tools/build-deb $(ARCH) $(DEB_BINARY) $(BINARY) $(DEB_SYSROOT)

# The first run makes a Debian for it, which takes minutes.
install-test: deb ## Test the packages in QEMU, from boot to purge
	@tools/setup test
	INKPANEL_DEB=$$(ls $(CURDIR)/out/inkpanel_*_$$(dpkg --print-architecture).deb) \
	GATEWAY_DEB=$$(ls $(CURDIR)/out/inkpanel-gateway_*_$$(dpkg --print-architecture).deb) \
		/usr/bin/python3 -B -m pytest -q -x Tests/Install $(PYTEST)

test-long: panel-test-long install-test arm64-test ## Run the tests that take too long for `make test`

panel-test-long: build ## Test every fault, framebuffers, recorded devices; soak
	@tools/setup test
	INKPANEL=$(CURDIR)/$(BINARY) /usr/bin/python3 -B -m pytest -q Tests/Panel -m long $(PYTEST)

# Uses Debian 13's Swift in a Debian 13 that the first run makes (4 GB, many minutes). Needs root.
CROSS_BINARY := .build/arm64/aarch64-unknown-linux-gnu/release/inkpanel
cross: ## Build for another processor: make cross ARCH=arm64
	@tools/setup arm64
	tools/cross $(ARCH) -c release --static-swift-stdlib --product inkpanel
	tools/cross $(ARCH) -c release --static-swift-stdlib --product inkpanel-gateway

# `make deb ARCH=arm64` packages the cross-compiled program; its dependencies are the libraries in that Debian 13.
ifneq ($(ARCH),$(shell dpkg --print-architecture))
DEB_BINARY = $(CROSS_BINARY)
DEB_SYSROOT = "$$(tools/debian-13 $(ARCH))"
deb: cross
endif

arm64-test: arm64-unit-test arm64-same-test arm64-panel-test ## Test on emulated 64-bit ARM

arm64-unit-test: ## Run the unit tests on emulated 64-bit ARM
	@tools/setup arm64
	tools/cross arm64 $(OPTIMISED_TESTS)
	Tests/Processors/run-unit-tests "$$(tools/debian-13 arm64)" $(SWIFT_TEST)

arm64-same-test: build ## Check that drawing gives the same bytes on 64-bit ARM
	$(BUILD_BENCH)
	$(MAKE) cross ARCH=arm64
	tools/cross arm64 -c release --static-swift-stdlib --product inkpanel-bench
	root=$$(tools/debian-13 arm64) && INKPANEL=$(CURDIR)/$(BINARY) BENCH=$(CURDIR)/$(BENCH) \
		FONTS=$$root/usr/share/fonts INKPANEL_OTHER="qemu-aarch64-static -L $$root $(CURDIR)/$(CROSS_BINARY)" \
		BENCH_OTHER="qemu-aarch64-static -L $$root $(CURDIR)/$(CROSS_BINARY)-bench" \
		/usr/bin/python3 -B -m pytest -q Tests/Processors $(PYTEST)

# Without golden pictures, which depend on this machine's fonts, and without modules built for this machine's kernel.
arm64-panel-test: build ## Test ink and a capture on an arm64 kernel
	$(MAKE) cross ARCH=arm64
	root=$$(tools/debian-13 arm64) && PANEL_ROOT=$$root INKPANEL=$(CURDIR)/$(CROSS_BINARY) \
		INKPANEL_HOST=$(CURDIR)/$(BINARY) /usr/bin/python3 -B -m pytest -q Tests/Panel/test_pixels.py \
		Tests/Panel/test_harness.py Tests/Panel/test_capture.py -k "test_pixels or virtio-gpu or reaches_the_host" \
		$(PYTEST)

check-swift-6.0: ## Compile with the oldest supported Swift, in a Debian 13
	tools/check-swift-6.0

BENCH := .build/release/inkpanel-bench
BUILD_BENCH := swift build -c release --static-swift-stdlib --product inkpanel-bench

bench: build ## Print this machine's figures
	$(BUILD_BENCH)
	strip -o .build/inkpanel-stripped $(BINARY)
	$(BENCH) panel --inkpanel .build/inkpanel-stripped
	$(BENCH) ink
	$(BENCH) raster
	$(BENCH) evidence

# WORKLOADS="dir/*.rpw" replaces the generated polygons. COMPARE="--accuracy" also compares pages with exact ones,
# "--rounds 1" is faster. Debian has no Blend2D: build 0.21 from source and pass its prefix as BLEND2D=DIR.
PEERS := .build/peers
PEERS_CXX := $(CXX) -std=c++17 -O3 -Wall -Wextra
WORKLOADS ?=
COMPARE ?=
BLEND2D ?=
PEERS_PROGRAM := $(PEERS)/peers$(if $(BLEND2D),-blend2d)
PEERS_SOURCES := $(addprefix Tests/Peers/,peers.cpp workload.cpp cairo.cpp agg.cpp freetype.cpp)
PEERS_HEADERS := $(addprefix Tests/Peers/,workload.h page.h peer.h)

bench-peers: ## Compare the rasterizer with cairo, AGG, FreeType and Blend2D
	@tools/setup peers
	$(MAKE) $(PEERS_PROGRAM) $(PEERS)/reference
	$(BUILD_BENCH)
	$(if $(WORKLOADS),,$(BENCH) raster --write $(PEERS))
	Tests/Peers/compare --bench $(BENCH) --peers $(PEERS_PROGRAM) --reference $(PEERS)/reference \
	    $(if $(BLEND2D),--blend2d) $(COMPARE) \
	    $(or $(WORKLOADS),$(addprefix $(PEERS)/,$(addsuffix .rpw,signature quads redraw big hair)))

$(PEERS)/peers: $(PEERS_SOURCES) $(PEERS_HEADERS)
	mkdir -p $(PEERS)
	$(PEERS_CXX) -o $@ $(PEERS_SOURCES) $$(pkg-config --cflags --libs cairo libagg freetype2)

$(PEERS)/peers-blend2d: $(PEERS_SOURCES) $(PEERS_HEADERS) Tests/Peers/blend2d.cpp
	mkdir -p $(PEERS)
	$(PEERS_CXX) -DWITH_BLEND2D -I$(BLEND2D)/include -o $@ $(PEERS_SOURCES) Tests/Peers/blend2d.cpp \
	    $$(pkg-config --cflags --libs cairo libagg freetype2) -L$(BLEND2D)/lib -Wl,-rpath,$(BLEND2D)/lib -lblend2d

$(PEERS)/reference: $(addprefix Tests/Peers/,reference.cpp workload.cpp workload.h)
	mkdir -p $(PEERS)
	$(PEERS_CXX) -o $@ $(filter %.cpp,$^)

# Uses an existing program, because root may not have the user's Swift on PATH.
install: $(BINARY) install-units install-texts install-docs ## Install below PREFIX=/usr/local and DESTDIR
	install -Dm755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/inkpanel
	$(STRIP) $(DESTDIR)$(PREFIX)/bin/inkpanel

$(BINARY):
	$(MAKE) build

# Packages set other directories.
UNITDIR ?= $(PREFIX)/lib/systemd/system
UDEVDIR ?= $(PREFIX)/lib/udev
install-units:
	install -d $(DESTDIR)$(UNITDIR)
	install -m644 /dev/null $(DESTDIR)$(UNITDIR)/inkpanel.service
	sed 's|@BINDIR@|$(PREFIX)/bin|' systemd/inkpanel.service.in > $(DESTDIR)$(UNITDIR)/inkpanel.service
	install -m644 /dev/null $(DESTDIR)$(UNITDIR)/inkpanel-identity.service
	sed 's|@BINDIR@|$(PREFIX)/bin|; s|@PREFIX@|$(PREFIX)|' systemd/inkpanel-identity.service.in \
	    > $(DESTDIR)$(UNITDIR)/inkpanel-identity.service
	install -Dm755 systemd/identity $(DESTDIR)$(PREFIX)/lib/inkpanel/identity
	install -m644 systemd/inkpanel.socket $(DESTDIR)$(UNITDIR)/inkpanel.socket
	install -Dm644 systemd/inkpanel.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/inkpanel.conf
	install -Dm644 systemd/inkpanel.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/inkpanel.conf
	install -Dm644 udev/72-inkpanel.rules $(DESTDIR)$(UDEVDIR)/rules.d/72-inkpanel.rules

# The program prints its own man pages and completions. An existing configuration is kept.
SHARE = $(DESTDIR)$(PREFIX)/share
install-texts: $(NATIVE_BINARY)
	tools/man-pages $(NATIVE_BINARY) config/inkpanel.toml $(SHARE)/man
	install -d $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	$(NATIVE_BINARY) --generate-completion-script bash > $(SHARE)/bash-completion/completions/inkpanel
	$(NATIVE_BINARY) --generate-completion-script zsh > $(SHARE)/zsh/site-functions/_inkpanel
	$(NATIVE_BINARY) --generate-completion-script fish > $(SHARE)/fish/vendor_completions.d/inkpanel.fish
	install -d $(SHARE)/inkpanel
	install -m644 config/inkpanel.toml Sources/Pad/Strings/*.messages $(SHARE)/inkpanel
	test -e $(DESTDIR)$(SYSCONFDIR)/inkpanel/inkpanel.toml || \
	    install -Dm644 config/inkpanel.toml $(DESTDIR)$(SYSCONFDIR)/inkpanel/inkpanel.toml

# Links to other parts of the tree are changed to where these are installed.
DOCS = $(SHARE)/doc/inkpanel
INTERFACES = $(SHARE)/varlink/interfaces
LINKS := s@](docs/@](@g; s@](../@](@g; s@](Sources/Control/@](../../varlink/interfaces/@g; \
    s@](config/@](../../inkpanel/@g
install-docs:
	install -d $(DOCS)/examples $(DOCS)/pictures $(INTERFACES)
	for file in README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md CODE_OF_CONDUCT.md docs/*.md; do \
	    install -m644 /dev/null $(DOCS)/$${file##*/}; \
	    sed '$(LINKS)' $$file > $(DOCS)/$${file##*/} || exit 1; \
	done
	install -m644 docs/examples/* $(DOCS)/examples
	install -m644 docs/pictures/* $(DOCS)/pictures
	install -Dm644 clients/inkpanel.py $(DOCS)/clients/inkpanel.py
	install -m644 LICENSE debian/copyright $(DOCS)
	install -m644 Sources/Control/org.inkpanel.Panel.varlink $(INTERFACES)

# Not part of `install`: a panel needs no network. Needs nginx with its stream module, and openssl.
install-gateway: $(GATEWAY) install-gateway-units install-gateway-texts ## Install the gateway, nginx's configuration
	install -Dm755 $(GATEWAY) $(DESTDIR)$(PREFIX)/bin/inkpanel-gateway
	$(STRIP) $(DESTDIR)$(PREFIX)/bin/inkpanel-gateway

$(GATEWAY):
	$(BUILD_GATEWAY)

GATEWAY_UNITS := inkpanel-gateway.service inkpanel-web.service inkpanel-web-renew.service inkpanel-web-renew.timer
install-gateway-units:
	install -d $(DESTDIR)$(UNITDIR)
	for unit in inkpanel-gateway inkpanel-web inkpanel-web-renew; do \
	    install -m644 /dev/null $(DESTDIR)$(UNITDIR)/$$unit.service; \
	    sed 's|@PREFIX@|$(PREFIX)|' systemd/$$unit.service.in > $(DESTDIR)$(UNITDIR)/$$unit.service || exit 1; \
	done
	install -m644 systemd/inkpanel-web-renew.timer $(DESTDIR)$(UNITDIR)
	install -Dm644 systemd/inkpanel-gateway.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/inkpanel-gateway.conf
	install -Dm755 web/certificate $(DESTDIR)$(PREFIX)/lib/inkpanel/web-certificate
	install -Dm644 web/nginx.conf $(DESTDIR)$(PREFIX)/share/inkpanel/nginx.conf
	install -Dm644 web/inkpanel.avahi $(DESTDIR)$(PREFIX)/share/inkpanel/inkpanel.avahi

install-gateway-texts: $(NATIVE_GATEWAY)
	tools/man-pages $(NATIVE_GATEWAY) $(SHARE)/man
	install -d $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	$(NATIVE_GATEWAY) --generate-completion-script bash > $(SHARE)/bash-completion/completions/inkpanel-gateway
	$(NATIVE_GATEWAY) --generate-completion-script zsh > $(SHARE)/zsh/site-functions/_inkpanel-gateway
	$(NATIVE_GATEWAY) --generate-completion-script fish > $(SHARE)/fish/vendor_completions.d/inkpanel-gateway.fish

# Use the same variables as for `make install-gateway`.
uninstall-gateway: ## Remove the gateway; keep tokens and certificates
	rm -f $(DESTDIR)$(PREFIX)/bin/inkpanel-gateway $(DESTDIR)$(PREFIX)/lib/sysusers.d/inkpanel-gateway.conf
	rm -f $(addprefix $(DESTDIR)$(UNITDIR)/,$(GATEWAY_UNITS)) $(DESTDIR)$(PREFIX)/lib/inkpanel/web-certificate
	rm -f $(addprefix $(SHARE)/inkpanel/,nginx.conf inkpanel.avahi)
	rm -f $(SHARE)/man/man1/inkpanel-gateway.1 $(SHARE)/man/man1/inkpanel-gateway-*.1
	rm -f $(SHARE)/bash-completion/completions/inkpanel-gateway $(SHARE)/zsh/site-functions/_inkpanel-gateway \
	    $(SHARE)/fish/vendor_completions.d/inkpanel-gateway.fish
	for folder in $(SHARE)/inkpanel $(DESTDIR)$(PREFIX)/lib/inkpanel; do \
	    test ! -d $$folder || rmdir --ignore-fail-on-non-empty $$folder; \
	done
	@echo "kept: /var/lib/inkpanel-gateway with the tokens, /var/lib/inkpanel-web with keys, the user inkpanel-web"

# Use the same variables as for `make install`.
uninstall: ## Remove what was installed; keep configuration and records
	rm -f $(DESTDIR)$(PREFIX)/bin/inkpanel
	rm -f $(DESTDIR)$(UNITDIR)/inkpanel-identity.service $(DESTDIR)$(PREFIX)/lib/inkpanel/identity
	rm -f $(addprefix $(DESTDIR)$(UNITDIR)/inkpanel.,service socket) $(DESTDIR)$(UDEVDIR)/rules.d/72-inkpanel.rules
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/lib/,sysusers.d/inkpanel.conf tmpfiles.d/inkpanel.conf)
	rm -f $(SHARE)/man/man1/inkpanel.1 $(SHARE)/man/man5/inkpanel.toml.5
	find $(SHARE)/man/man1 -name 'inkpanel-*.1' ! -name 'inkpanel-gateway*.1' -delete 2>/dev/null || true
	rm -f $(SHARE)/bash-completion/completions/inkpanel $(SHARE)/zsh/site-functions/_inkpanel \
	    $(SHARE)/fish/vendor_completions.d/inkpanel.fish
	rm -f $(addprefix $(SHARE)/inkpanel/,$(notdir config/inkpanel.toml $(wildcard Sources/Pad/Strings/*.messages)))
	rm -f $(INTERFACES)/org.inkpanel.Panel.varlink
	rm -rf $(DOCS)
	for folder in $(SHARE)/inkpanel $(DESTDIR)$(PREFIX)/lib/inkpanel $(INTERFACES) $(SHARE)/varlink; do \
	    test ! -d $$folder || rmdir --ignore-fail-on-non-empty $$folder; \
	done
	@echo "kept: $(SYSCONFDIR)/inkpanel with the configuration, /var/lib/inkpanel with the records and" \
	    "/etc/credstore.encrypted/inkpanel.key, which seals them, the users inkpanel and inkpanel-gateway"

clean: ## Remove .build and out
	rm -rf .build out
