# A card's image; docs/image.md.

.PHONY: image image-test

TARGET ?= pc
# Inkpanel's packages, for the target's processor: those in out/ are used as they are.
PACKAGES ?= out
image: ## Make a card's image of the packages in out/ (make deb): make image TARGET=pc, as root
	@tools/setup image
	tools/build-image $(TARGET) $(PACKAGES)

# IMAGE= names an image that exists.
IMAGE ?= out/inkpanel-pc.img.xz
BUNDLE = $(IMAGE:.img.xz=.raucb)
image-test: ## Boot the card's image in QEMU: sign, cut the power, break a root and the data partition
	@tools/setup image-test
	test -e $(BUNDLE) || $(MAKE) deb
	test -e $(BUNDLE) || $(MAKE) image TARGET=pc
	IMAGE=$(abspath $(IMAGE)) BUNDLE=$(abspath $(BUNDLE)) INKPANEL=$(CURDIR)/$(BINARY) \
	    /usr/bin/python3 -B -m pytest -q -x Tests/system/Image $(PYTEST)
