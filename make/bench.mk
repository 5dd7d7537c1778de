# Figures and pictures.

.PHONY: bench bench-peers browser-figures page-pictures faces

BUILD_BENCH := $(BUILD) --product inkpanel-bench

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
PEERS_SOURCES := $(addprefix Tests/programs/Peers/,peers.cpp workload.cpp cairo.cpp agg.cpp freetype.cpp)
PEERS_HEADERS := $(addprefix Tests/programs/Peers/,workload.h page.h peer.h)

bench-peers: ## Compare the rasterizer with cairo, AGG, FreeType and Blend2D
	@tools/setup peers
	$(MAKE) $(PEERS_PROGRAM) $(PEERS)/reference
	$(BUILD_BENCH)
	$(if $(WORKLOADS),,$(BENCH) raster --write $(PEERS))
	Tests/programs/Peers/compare --bench $(BENCH) --peers $(PEERS_PROGRAM) --reference $(PEERS)/reference \
	    $(if $(BLEND2D),--blend2d) $(COMPARE) \
	    $(or $(WORKLOADS),$(addprefix $(PEERS)/,$(addsuffix .rpw,signature quads redraw big hair)))

$(PEERS)/peers: $(PEERS_SOURCES) $(PEERS_HEADERS)
	mkdir -p $(PEERS)
	$(PEERS_CXX) -o $@ $(PEERS_SOURCES) $$(pkg-config --cflags --libs cairo libagg freetype2)

$(PEERS)/peers-blend2d: $(PEERS_SOURCES) $(PEERS_HEADERS) Tests/programs/Peers/blend2d.cpp
	mkdir -p $(PEERS)
	$(PEERS_CXX) -DWITH_BLEND2D -I$(BLEND2D)/include -o $@ $(PEERS_SOURCES) Tests/programs/Peers/blend2d.cpp \
	    $$(pkg-config --cflags --libs cairo libagg freetype2) -L$(BLEND2D)/lib -Wl,-rpath,$(BLEND2D)/lib -lblend2d

$(PEERS)/reference: $(addprefix Tests/programs/Peers/,reference.cpp workload.cpp workload.h)
	mkdir -p $(PEERS)
	$(PEERS_CXX) -o $@ $(filter %.cpp,$^)

browser-figures: build ## Measure the virtual panel in Chromium
	@tools/setup test
	$(TESTED) .build/python/bin/python -B Tests/system/Browser/figures.py

page-pictures: build ## Draw the pictures of the virtual panel's page anew
	@tools/setup test
	$(TESTED) .build/python/bin/python -B tools/page-pictures $(PICTURES)

# out/faces/*.png: in a few minutes one sees every page, state, size, theme and language.
faces: ## Draw all pages of the pad into contact sheets
	@tools/setup faces
	swift build -c release --product faces
	@mkdir -p out/faces
	.build/release/faces out/faces
