# A card's image; docs/image.md.

.PHONY: image image-test

# pc or pi. Workflows have an environment variable of this name.
TARGET = pc
# Inkpanel's packages, for the target's processor: those in out/ are used as they are.
PACKAGES ?= out
image: ## Make a card's image of the packages in out/ (make deb): make image TARGET=pc or TARGET=pi, as root
	@tools/setup image
	tools/build-image $(TARGET) $(PACKAGES)

# IMAGE= names an image that exists.
IMAGE ?= out/inkpanel-$(TARGET).img.xz
BUNDLE = $(IMAGE:.img.xz=.raucb)
IMAGE_MADE_pc = $(BUNDLE)
IMAGE_MADE_pi = $(IMAGE)
IMAGE_ARCH_pc := amd64
IMAGE_ARCH_pi := arm64
IMAGE_TESTS_pi := Tests/system/Image/test_pi.py
IMAGE_TESTS_pc := $(filter-out $(IMAGE_TESTS_pi),$(sort $(wildcard Tests/system/Image/test_*.py)))
image-test: ## Boot the card's image in QEMU: sign, cut the power, break a root and the data partition; TARGET=pi
	@tools/setup image-test
	@tools/setup ansible
	test -e $(IMAGE_MADE_$(TARGET)) || $(MAKE) deb ARCH=$(IMAGE_ARCH_$(TARGET))
	test -e $(IMAGE_MADE_$(TARGET)) || $(MAKE) image TARGET=$(TARGET)
	IMAGE=$(abspath $(IMAGE)) BUNDLE=$(abspath $(BUNDLE)) INKPANEL=$(CURDIR)/$(BINARY) \
	    /usr/bin/python3 -B -m pytest -q -x $(IMAGE_TESTS_$(TARGET)) $(PYTEST)
