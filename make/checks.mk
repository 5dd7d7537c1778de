# Longer checks: sanitizers, fuzzing, other processors, the oldest Swift.

.PHONY: sanitize address-test thread-test fuzz-raster fuzz fuzz-program arm64-test arm64-unit-test arm64-same-test \
    arm64-panel-test check-swift-6.0

# Unit tests with optimised code, as shipped: it releases values after their last use instead of at the end of the
# scope, and is many times faster.
OPTIMISED_TESTS := --build-tests -c release -Xswiftc -enable-testing

# Takes half an hour, in separate builds. SANITIZERS="thread" selects one, SWIFT_TEST="--skip Demo" skips tests. Leaks
# are not checked, because Swift keeps its type metadata. Swift's backtraces hang under the sanitizers. JournalKillTests
# would take an hour, because it stops children at each of their system calls. inkpanel-document is as it is shipped:
# its limit of memory is too small for sanitizers, and fuzzing covers it.
SANITIZERS ?= address thread
SWIFT_TEST ?=
WITH_DOCUMENT := INKPANEL_DOCUMENT=$(CURDIR)/$(DOCUMENT)
SANITIZED = inkpanelPackageTests.xctest --testing-library swift-testing --skip JournalKillTests $(SWIFT_TEST)
sanitize: $(SANITIZERS:%=%-test) ## Run the unit tests with the address and thread sanitizers

address-test: build ## Run the unit tests with the address sanitizer
	@tools/setup build
	swift build $(OPTIMISED_TESTS) --sanitize=address --scratch-path .build/address
	$(WITH_DOCUMENT) ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no .build/address/release/$(SANITIZED)

# Not optimised: the sanitizer does not see the reference counts, by which threads hand over arrays, in code that the
# library has inlined into ours. The preloaded library informs it about waiting for a Mutex (Sanitizers/mutex.c);
# it needs clang for Swift's calling convention.
WITH_THREADS := --filter '^(inkpanelTests|PanelTests|HTTPTests|GatewayTests|CompatibilityTests|WebhooksTests|LinuxTests|ScreenTests|ControlTests|StoreTests|PagesTests)\.'
thread-test: build ## Run the unit tests of modules with threads with the thread sanitizer
	@tools/setup build
	INKPANEL_UNOPTIMISED=1 swift build --build-tests --sanitize=thread --scratch-path .build/thread
	clang -shared -fPIC -O1 -Wall -Werror -o .build/thread/mutex.so Tests/programs/Sanitizers/mutex.c -ldl
	$(WITH_DOCUMENT) SWIFT_BACKTRACE=enable=no LD_PRELOAD=$(CURDIR)/.build/thread/mutex.so .build/thread/debug/$(SANITIZED) $(WITH_THREADS)

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
# the seeds.
INPUTS ?= $(notdir $(wildcard Tests/support/InputChecks/Seeds/*))
fuzz: fuzz-program ## Search for other input that breaks the program, SECONDS=600 each
	for input in $(INPUTS); do \
	    echo "== $$input"; mkdir -p .build/fuzz/corpus-$$input; \
	    dictionary=Tests/programs/InputFuzz/dictionaries/$$input.dict; \
	    FUZZED_INPUT=$$input SWIFT_BACKTRACE=enable=no \
	        .build/fuzz/input-fuzz -max_total_time=$(SECONDS) -max_len=8192 -timeout=20 -rss_limit_mb=4096 \
	        -print_final_stats=1 \
	        $$(test -e $$dictionary && echo -dict=$$dictionary) \
	        -artifact_prefix=.build/fuzz/found-$$input- .build/fuzz/corpus-$$input \
	        Tests/support/InputChecks/Seeds/$$input || exit 1; \
	done

fuzz-program:
	@tools/setup build
	INKPANEL_FUZZ=1 swift build -c release --scratch-path .build/fuzz --product InputFuzz \
		-Xswiftc -sanitize=fuzzer,address -Xswiftc -g
	swiftc -sanitize=fuzzer,address -Xlinker --whole-archive .build/fuzz/release/libInputFuzz.a \
		-Xlinker --no-whole-archive -lstdc++ -o .build/fuzz/input-fuzz

arm64-test: arm64-unit-test arm64-same-test arm64-panel-test ## Test on emulated 64-bit ARM

arm64-unit-test: ## Run the unit tests on emulated 64-bit ARM
	@tools/setup arm64
	tools/cross arm64 $(OPTIMISED_TESTS)
	Tests/programs/Processors/run-unit-tests "$$(tools/debian-13 arm64)" $(SWIFT_TEST)

arm64-same-test: build ## Check that drawing gives the same bytes on 64-bit ARM
	$(BUILD_BENCH)
	$(MAKE) cross ARCH=arm64
	tools/cross arm64 -c release --static-swift-stdlib --product inkpanel-bench
	root=$$(tools/debian-13 arm64) && INKPANEL=$(CURDIR)/$(BINARY) BENCH=$(CURDIR)/$(BENCH) \
		FONTS=$$root/usr/share/fonts INKPANEL_OTHER="qemu-aarch64-static -L $$root $(CURDIR)/$(CROSS_BINARY)" \
		BENCH_OTHER="qemu-aarch64-static -L $$root $(CURDIR)/$(CROSS_BINARY)-bench" \
		/usr/bin/python3 -B -m pytest -q Tests/programs/Processors $(PYTEST)

# Without golden pictures, which depend on this machine's fonts, and without modules built for this machine's kernel.
arm64-panel-test: build ## Test ink and a capture on an arm64 kernel
	$(MAKE) cross ARCH=arm64
	root=$$(tools/debian-13 arm64) && PANEL_ROOT=$$root INKPANEL=$(CURDIR)/$(CROSS_BINARY) \
		INKPANEL_HOST=$(CURDIR)/$(BINARY) /usr/bin/python3 -B -m pytest -q \
		$(addprefix Tests/system/Panel/,test_pixels.py test_harness.py test_capture.py) \
		-k "test_pixels or virtio-gpu or reaches_the_host" \
		$(PYTEST)

check-swift-6.0: ## Compile with the oldest supported Swift, in a Debian 13
	tools/check-swift-6.0
