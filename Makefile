# The two commands are `make run` and `make test`; each does all of its own set-up on a fresh Debian machine.

PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
DESTDIR ?=
BINARY := .build/release/inkpanel
# The same program for the machine that builds, which says its own man pages and completions.
NATIVE_BINARY ?= $(BINARY)
STRIP ?= strip
# One file with the Swift runtime inside: a panel needs no Swift installed.
BUILD := swift build -c release --static-swift-stdlib --product inkpanel

.PHONY: run test unit allocations-test accuracy-test formats-test control-test fuzz fuzz-program fuzz-raster build \
    panel-test units-test manual-test install-test check-swift-6.0 cross arm64-test arm64-unit-test arm64-same-test \
    arm64-panel-test sanitize address-test thread-test panel-test-long test-long bench bench-peers deb install \
    install-units install-texts install-docs uninstall clean

run: build
	@mkdir -p out/panel
	@if $(BINARY) devices --check; then \
	    echo "ask it for a signature: $(BINARY) capture --socket out/panel/panel.sock --prompt 'Sign here'"; \
	    $(BINARY) run --store out/panel/records --socket out/panel/panel.sock; \
	else $(BINARY) demo --output out/demo; fi

build:
	@tools/setup build
	$(BUILD)

test:
	@tools/setup test
	$(MAKE) build unit allocations-test accuracy-test formats-test control-test units-test manual-test panel-test

# The quick part: pure stages, fakes, recordings; no kernel.
unit:
	@tools/setup build
	swift test

# Unit tests as what ships is compiled: optimised code lets go of values after their last use, not at the end of a
# scope, and is many times as fast.
OPTIMISED_TESTS := --build-tests -c release -Xswiftc -enable-testing

# The unit tests with the address sanitizer, and those of modules with threads with the thread sanitizer: half an hour
# in all, in builds of their own. SANITIZERS="thread" is one of them, SWIFT_TEST="--skip Demo" leaves some out. Memory
# that is still there at the end is no fault: Swift keeps what it knows of types. Swift's own backtraces hang under the
# sanitizers. JournalKillTests would take an hour: children, stopped at each of their system calls.
SANITIZERS ?= address thread
SWIFT_TEST ?=
SANITIZED = inkpanelPackageTests.xctest --testing-library swift-testing --skip JournalKillTests $(SWIFT_TEST)
sanitize: $(SANITIZERS:%=%-test)

address-test:
	@tools/setup build
	swift build $(OPTIMISED_TESTS) --sanitize=address --scratch-path .build/address
	ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no .build/address/release/$(SANITIZED)

# Not optimised: of code that the library has inlined into ours the sanitizer does not see the reference counts by which
# threads hand an array on. What is preloaded tells it of waiting for a Mutex (Tests/Sanitizers/mutex.c); clang, because
# of Swift's way of calls.
WITH_THREADS := --filter '^(inkpanelTests|LinuxTests|ScreenTests|ControlTests|StoreTests|TextTests)\.'
thread-test:
	@tools/setup build
	swift build --build-tests --sanitize=thread --scratch-path .build/thread
	clang -shared -fPIC -O1 -Wall -Werror -o .build/thread/mutex.so Tests/Sanitizers/mutex.c -ldl
	SWIFT_BACKTRACE=enable=no LD_PRELOAD=$(CURDIR)/.build/thread/mutex.so .build/thread/debug/$(SANITIZED) $(WITH_THREADS)

# Whether a report or a fill asks for memory; only an optimised build can tell.
allocations-test:
	@tools/setup build
	swift build -c release --static-swift-stdlib --product allocations
	.build/release/allocations

# Whether the rasterizer's coverage is the area, to bounds; some 100,000 fills, so optimised.
accuracy-test:
	@tools/setup build
	swift build -c release --static-swift-stdlib --product raster-accuracy
	.build/release/raster-accuracy

# Files in every format, read by readers that nobody here wrote: Python's, Pillow, librsvg.
formats-test:
	@tools/setup test
	swift build --product format-files
	FORMAT_FILES=$(CURDIR)/.build/debug/format-files /usr/bin/python3 -B -m pytest -q Tests/Formats

# The way in for hosts and the commands over it, by a client that nobody here wrote: the Python package varlink.
control-test: build
	@tools/setup test
	swift build --product control-peer
	CONTROL_PEER=$(CURDIR)/.build/debug/control-peer INKPANEL=$(CURDIR)/$(BINARY) \
		.build/python/bin/python -B -m pytest -q Tests/Control

# Looks for input that the rasterizer does not stand, with libFuzzer and the address sanitizer: as long as asked for,
# with a corpus that is kept. What it finds is left in .build/fuzz/found-*; .build/fuzz/raster-fuzz FILE shows it.
# Swift's own backtraces hang under the sanitizer. Lengths are not held back (len_control): a minute of short inputs is
# headers with hardly a corner after them.
SECONDS ?= 600
fuzz-raster:
	@tools/setup build
	INKPANEL_FUZZ=1 swift build -c release --scratch-path .build/fuzz --product RasterFuzz \
		-Xswiftc -sanitize=fuzzer,address -Xswiftc -g
	swiftc -sanitize=fuzzer,address -Xlinker --whole-archive .build/fuzz/release/libRasterFuzz.a \
		-Xlinker --no-whole-archive -o .build/fuzz/raster-fuzz
	mkdir -p .build/fuzz/corpus
	SWIFT_BACKTRACE=enable=no .build/fuzz/raster-fuzz -max_total_time=$(SECONDS) -max_len=1024 -len_control=0 \
		-timeout=20 -print_final_stats=1 -artifact_prefix=.build/fuzz/found- .build/fuzz/corpus

# The same for all that comes from devices, files and hosts, one input after the other, each for SECONDS; INPUTS="record
# png" takes some. Seeds are in the tree, Tests/InputFuzz/dictionaries has the words of the formats. What is found is
# left in .build/fuzz/found-INPUT-*; FUZZED_INPUT=INPUT .build/fuzz/input-fuzz FILE shows it. Its bytes become a seed.
# TOMLKit does not free the C strings that it makes of a table, of which a configuration is read once.
INPUTS ?= $(notdir $(wildcard Tests/InputChecks/Seeds/*))
fuzz: fuzz-program
	for input in $(INPUTS); do \
	    echo "== $$input"; mkdir -p .build/fuzz/corpus-$$input; \
	    dictionary=Tests/InputFuzz/dictionaries/$$input.dict; \
	    FUZZED_INPUT=$$input SWIFT_BACKTRACE=enable=no \
	        .build/fuzz/input-fuzz -max_total_time=$(SECONDS) -max_len=8192 -timeout=20 -rss_limit_mb=4096 \
	        -print_final_stats=1 $$(test $$input = configuration && echo -detect_leaks=0) \
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

# The program on a real kernel under QEMU: bochs, virtio-gpu and vkms. PYTEST="-k capture" runs some of the tests;
# GOLDEN=write in the environment makes the pictures of pages anew (Tests/Panel/README.md).
PYTEST ?=
panel-test: build
	@tools/setup test
	INKPANEL=$(CURDIR)/$(BINARY) /usr/bin/python3 -B -m pytest -q Tests/Panel -m "not long" $(PYTEST)

# The unit and the rules as systemd and udev read them.
units-test: build
	@tools/setup test
	tools/verify-units $(BINARY)

# What is installed into an empty directory, and what is left of it after uninstalling; what documents say of the tree.
manual-test: build
	@tools/setup test
	INKPANEL=$(CURDIR)/$(BINARY) /usr/bin/python3 -B -m pytest -q Tests/Manual

# out/inkpanel_VERSION_ARCH.deb of what was built (debian/rules says what the variables are).
ARCH ?= $(shell dpkg --print-architecture)
DEB_BINARY ?= $(BINARY)
DEB_SYSROOT ?=
deb: build
	@tools/setup deb
	tools/build-deb $(ARCH) $(DEB_BINARY) $(BINARY) $(DEB_SYSROOT)

# The package on a Debian of its own under QEMU, from boot to purge; the first time, that Debian is made (minutes).
install-test: deb
	@tools/setup test
	INKPANEL_DEB=$$(ls $(CURDIR)/out/inkpanel_*_$$(dpkg --print-architecture).deb) \
		/usr/bin/python3 -B -m pytest -q -x Tests/Install $(PYTEST)

# What takes too long for `make test`: every fault on every driver, framebuffers, all devices there are recordings or
# descriptors of, the package on a Debian of its own, 64-bit ARM. docs/test-report.md has its last run.
test-long: panel-test-long install-test arm64-test

panel-test-long: build
	@tools/setup test
	INKPANEL=$(CURDIR)/$(BINARY) /usr/bin/python3 -B -m pytest -q Tests/Panel -m long $(PYTEST)

# For another processor, as `make cross ARCH=arm64`, with Debian 13's own Swift in a Debian 13 of its own: needs root.
# The first time takes 4 GB and many minutes.
CROSS_BINARY := .build/arm64/aarch64-unknown-linux-gnu/release/inkpanel
cross:
	@tools/setup arm64
	tools/cross $(ARCH) -c release --static-swift-stdlib --product inkpanel

# `make deb ARCH=arm64` packs that, with the dependencies that it has on the libraries there.
ifneq ($(ARCH),$(shell dpkg --print-architecture))
DEB_BINARY = $(CROSS_BINARY)
DEB_SYSROOT = "$$(tools/debian-13 $(ARCH))"
deb: cross
endif

# On an emulated 64-bit ARM: the unit tests, that what is drawn has the same bytes as here, and the program on a kernel.
arm64-test: arm64-unit-test arm64-same-test arm64-panel-test

arm64-unit-test:
	@tools/setup arm64
	tools/cross arm64 $(OPTIMISED_TESTS)
	Tests/Processors/run-unit-tests "$$(tools/debian-13 arm64)" $(SWIFT_TEST)

arm64-same-test: build
	$(MAKE) cross ARCH=arm64
	root=$$(tools/debian-13 arm64) && INKPANEL=$(CURDIR)/$(BINARY) \
		INKPANEL_OTHER="qemu-aarch64-static -L $$root $(CURDIR)/$(CROSS_BINARY)" \
		/usr/bin/python3 -B -m pytest -q Tests/Processors $(PYTEST)

# Ink and a whole capture. The pages' pictures are of this machine's fonts, and modules are built for its kernel only.
arm64-panel-test: build
	$(MAKE) cross ARCH=arm64
	root=$$(tools/debian-13 arm64) && PANEL_ROOT=$$root INKPANEL=$(CURDIR)/$(CROSS_BINARY) \
		INKPANEL_HOST=$(CURDIR)/$(BINARY) /usr/bin/python3 -B -m pytest -q Tests/Panel/test_pixels.py \
		Tests/Panel/test_harness.py Tests/Panel/test_capture.py -k "test_pixels or virtio-gpu or reaches_the_host" \
		$(PYTEST)

# Compiles with the oldest Swift supported, in a Debian 13 of its own; takes minutes.
check-swift-6.0:
	tools/check-swift-6.0

bench: build
	strip -o .build/inkpanel-stripped $(BINARY)
	.build/inkpanel-stripped bench panel
	.build/inkpanel-stripped bench ink
	.build/inkpanel-stripped bench raster

# Our rasterizer and others on the same polygons; minutes. WORKLOADS="dir/*.rpw" takes other ones than the generated;
# COMPARE="--accuracy" compares pages with exact ones, too, and "--rounds 1" is over sooner.
# Blend2D is in no Debian: BLEND2D=DIR has one, 0.21, that was built from its sources and installed there.
PEERS := .build/peers
PEERS_CXX := $(CXX) -std=c++17 -O3 -Wall -Wextra
WORKLOADS ?=
COMPARE ?=
BLEND2D ?=
PEERS_PROGRAM := $(PEERS)/peers$(if $(BLEND2D),-blend2d)
PEERS_SOURCES := $(addprefix Tests/Peers/,peers.cpp workload.cpp cairo.cpp agg.cpp freetype.cpp)
PEERS_HEADERS := $(addprefix Tests/Peers/,workload.h page.h peer.h)

bench-peers: build
	@tools/setup peers
	$(MAKE) $(PEERS_PROGRAM) $(PEERS)/reference
	$(if $(WORKLOADS),,$(BINARY) bench raster --write $(PEERS))
	Tests/Peers/compare --inkpanel $(BINARY) --peers $(PEERS_PROGRAM) --reference $(PEERS)/reference \
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

# Not built anew when it is there: sudo may not find the user's Swift.
install: $(BINARY) install-units install-texts install-docs
	install -Dm755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/inkpanel
	$(STRIP) $(DESTDIR)$(PREFIX)/bin/inkpanel

$(BINARY):
	$(MAKE) build

# Where this machine's systemd and udev look below PREFIX; packages set others.
UNITDIR ?= $(PREFIX)/lib/systemd/system
UDEVDIR ?= $(PREFIX)/lib/udev
install-units:
	install -d $(DESTDIR)$(UNITDIR)
	install -m644 /dev/null $(DESTDIR)$(UNITDIR)/inkpanel.service
	sed 's|@BINDIR@|$(PREFIX)/bin|' systemd/inkpanel.service.in > $(DESTDIR)$(UNITDIR)/inkpanel.service
	install -m644 systemd/inkpanel.socket $(DESTDIR)$(UNITDIR)/inkpanel.socket
	install -Dm644 systemd/inkpanel.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/inkpanel.conf
	install -Dm644 systemd/inkpanel.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/inkpanel.conf
	install -Dm644 udev/72-inkpanel.rules $(DESTDIR)$(UDEVDIR)/rules.d/72-inkpanel.rules

# What the program says of itself, as man pages and completions. A configuration that is there is left alone.
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

# For who writes a host or looks after a panel. Links lead to where the things are that they name in the tree.
DOCS = $(SHARE)/doc/inkpanel
INTERFACES = $(SHARE)/varlink/interfaces
LINKS := s@](docs/@](@g; s@](../@](@g; s@](Sources/Control/@](../../varlink/interfaces/@g; \
    s@](config/@](../../inkpanel/@g
install-docs:
	install -d $(DOCS)/examples $(DOCS)/pictures $(INTERFACES)
	for file in README.md docs/*.md; do \
	    install -m644 /dev/null $(DOCS)/$${file##*/}; \
	    sed '$(LINKS)' $$file > $(DOCS)/$${file##*/} || exit 1; \
	done
	install -m644 docs/examples/* $(DOCS)/examples
	install -m644 docs/pictures/* $(DOCS)/pictures
	install -m644 LICENSE debian/copyright $(DOCS)
	install -m644 Sources/Control/org.inkpanel.Panel.varlink $(INTERFACES)

# All that `make install` has put there, with the same variables, but for the configuration; records are left, too.
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/inkpanel
	rm -f $(addprefix $(DESTDIR)$(UNITDIR)/inkpanel.,service socket) $(DESTDIR)$(UDEVDIR)/rules.d/72-inkpanel.rules
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/lib/,sysusers.d/inkpanel.conf tmpfiles.d/inkpanel.conf)
	rm -f $(SHARE)/man/man1/inkpanel.1 $(SHARE)/man/man1/inkpanel-*.1 $(SHARE)/man/man5/inkpanel.toml.5
	rm -f $(SHARE)/bash-completion/completions/inkpanel $(SHARE)/zsh/site-functions/_inkpanel \
	    $(SHARE)/fish/vendor_completions.d/inkpanel.fish
	rm -f $(addprefix $(SHARE)/inkpanel/,$(notdir config/inkpanel.toml $(wildcard Sources/Pad/Strings/*.messages)))
	rm -f $(INTERFACES)/org.inkpanel.Panel.varlink
	rm -rf $(DOCS)
	for folder in $(SHARE)/inkpanel $(INTERFACES) $(SHARE)/varlink; do \
	    test ! -d $$folder || rmdir --ignore-fail-on-non-empty $$folder; \
	done
	@echo "left: $(SYSCONFDIR)/inkpanel with the configuration, /var/lib/inkpanel with the records, the user inkpanel"

clean:
	rm -rf .build out
