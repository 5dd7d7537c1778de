# Installing, Debian packages, other processors; debian/rules and tools/verify-units use it.

.PHONY: install install-units install-texts install-docs install-gateway install-gateway-units install-gateway-texts \
    install-fleet install-fleet-units install-fleet-texts \
    install-document install-document-units install-document-texts uninstall-gateway uninstall-fleet uninstall-document \
    uninstall deb cross repository release

PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
DESTDIR ?=
# The same version for the machine that builds: it prints its man pages and completions.
NATIVE_BINARY ?= $(BINARY)
NATIVE_GATEWAY ?= $(GATEWAY)
NATIVE_FLEET ?= $(FLEET)
NATIVE_DOCUMENT ?= $(DOCUMENT)
STRIP ?= strip

# Uses an existing program, because root may not have the user's Swift on PATH.
install: $(BINARY) install-units install-texts install-docs ## Install below PREFIX=/usr/local and DESTDIR
	install -Dm755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/inkpanel
	$(STRIP) $(DESTDIR)$(PREFIX)/bin/inkpanel

$(BINARY):
	$(MAKE) build

# Packages set other directories.
UNITDIR ?= $(PREFIX)/lib/systemd/system
UDEVDIR ?= $(PREFIX)/lib/udev
DELIVER_UNITS := $(addprefix inkpanel-deliver.,service path timer)
install-units:
	install -d $(DESTDIR)$(UNITDIR)
	install -m644 /dev/null $(DESTDIR)$(UNITDIR)/inkpanel.service
	sed 's|@BINDIR@|$(PREFIX)/bin|' systemd/inkpanel.service.in > $(DESTDIR)$(UNITDIR)/inkpanel.service
	for name in clock identity; do \
	    install -m644 /dev/null $(DESTDIR)$(UNITDIR)/inkpanel-$$name.service && \
	    sed 's|@BINDIR@|$(PREFIX)/bin|; s|@PREFIX@|$(PREFIX)|' systemd/inkpanel-$$name.service.in \
	        > $(DESTDIR)$(UNITDIR)/inkpanel-$$name.service && \
	    install -Dm755 systemd/$$name $(DESTDIR)$(PREFIX)/lib/inkpanel/$$name || exit 1; \
	done
	install -Dm755 deploy/backup $(DESTDIR)$(PREFIX)/lib/inkpanel/backup
	install -m644 /dev/null $(DESTDIR)$(UNITDIR)/inkpanel-health.service
	sed 's|@BINDIR@|$(PREFIX)/bin|' systemd/inkpanel-health.service.in \
	    > $(DESTDIR)$(UNITDIR)/inkpanel-health.service
	install -m644 /dev/null $(DESTDIR)$(UNITDIR)/inkpanel-backup.service
	sed 's|@BINDIR@|$(PREFIX)/bin|' systemd/inkpanel-backup.service.in \
	    > $(DESTDIR)$(UNITDIR)/inkpanel-backup.service
	install -m644 $(addprefix systemd/,inkpanel.socket inkpanel-health.timer inkpanel-backup.timer $(DELIVER_UNITS)) \
	    $(DESTDIR)$(UNITDIR)
	install -Dm644 systemd/inkpanel.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/inkpanel.conf
	install -Dm644 systemd/inkpanel.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/inkpanel.conf
	install -Dm644 udev/72-inkpanel.rules $(DESTDIR)$(UDEVDIR)/rules.d/72-inkpanel.rules

# The program prints its own man pages and completions. An existing configuration is kept.
SHARE = $(DESTDIR)$(PREFIX)/share
install-texts: $(NATIVE_BINARY)
	tools/man-pages $(NATIVE_BINARY) deploy/inkpanel.toml $(SHARE)/man
	install -d $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	$(NATIVE_BINARY) --generate-completion-script bash > $(SHARE)/bash-completion/completions/inkpanel
	$(NATIVE_BINARY) --generate-completion-script zsh > $(SHARE)/zsh/site-functions/_inkpanel
	$(NATIVE_BINARY) --generate-completion-script fish > $(SHARE)/fish/vendor_completions.d/inkpanel.fish
	install -d $(SHARE)/inkpanel
	install -m644 deploy/inkpanel.toml Sources/Pad/Strings/*.messages \
	    $(dir $(NATIVE_BINARY))../share/inkpanel/verify.html $(SHARE)/inkpanel
	test -e $(DESTDIR)$(SYSCONFDIR)/inkpanel/inkpanel.toml || \
	    install -Dm644 deploy/inkpanel.toml $(DESTDIR)$(SYSCONFDIR)/inkpanel/inkpanel.toml

# Links to other parts of the tree are changed to where these are installed.
DOCS = $(SHARE)/doc/inkpanel
INTERFACES = $(SHARE)/varlink/interfaces
LINKS := s@](docs/@](@g; s@](../@](@g; s@](Sources/HostAPI/@](../../varlink/interfaces/@g; \
    s@](deploy/inkpanel.toml@](../../inkpanel/inkpanel.toml@g
install-docs:
	install -d $(DOCS)/examples $(DOCS)/pictures $(INTERFACES)
	for file in README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md CODE_OF_CONDUCT.md docs/*.md; do \
	    install -m644 /dev/null $(DOCS)/$${file##*/}; \
	    sed '$(LINKS)' $$file > $(DOCS)/$${file##*/} || exit 1; \
	done
	install -m644 $(filter-out %/__pycache__,$(wildcard docs/examples/*)) $(DOCS)/examples
	install -m644 docs/pictures/* $(DOCS)/pictures
	install -Dm644 -t $(DOCS)/prometheus deploy/prometheus/*
	install -Dm644 -t $(DOCS)/journal deploy/journal/*
	install -Dm644 clients/inkpanel.py $(DOCS)/clients/inkpanel.py
	install -Dm644 -t $(DOCS)/clients/extension clients/extension/*
	install -m644 LICENSE debian/copyright $(DOCS)
	install -m644 Sources/HostAPI/org.inkpanel.Panel.varlink $(INTERFACES)

# Not part of `install`: a panel needs no network. Needs nginx with its stream module, and openssl.
install-gateway: $(GATEWAY) install-gateway-units install-gateway-texts ## Install the gateway, nginx's configuration
	install -Dm755 $(GATEWAY) $(DESTDIR)$(PREFIX)/bin/inkpanel-gateway
	$(STRIP) $(DESTDIR)$(PREFIX)/bin/inkpanel-gateway

$(GATEWAY):
	$(MAKE) build

GATEWAY_UNITS := inkpanel-gateway.service inkpanel-web.service inkpanel-web-renew.service inkpanel-web-renew.timer \
    inkpanel-webhooks.service
install-gateway-units:
	install -d $(DESTDIR)$(UNITDIR)
	for unit in inkpanel-gateway inkpanel-web inkpanel-web-renew inkpanel-webhooks; do \
	    install -m644 /dev/null $(DESTDIR)$(UNITDIR)/$$unit.service; \
	    sed 's|@PREFIX@|$(PREFIX)|' systemd/$$unit.service.in > $(DESTDIR)$(UNITDIR)/$$unit.service || exit 1; \
	done
	install -m644 systemd/inkpanel-web-renew.timer $(DESTDIR)$(UNITDIR)
	install -Dm644 systemd/inkpanel-gateway.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/inkpanel-gateway.conf
	install -Dm755 deploy/nginx/certificate $(DESTDIR)$(PREFIX)/lib/inkpanel/web-certificate
	install -Dm644 deploy/nginx/nginx.conf $(DESTDIR)$(PREFIX)/share/inkpanel/nginx.conf
	install -Dm644 deploy/nginx/inkpanel.avahi $(DESTDIR)$(PREFIX)/share/inkpanel/inkpanel.avahi

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
	@echo "kept: /var/lib/inkpanel-gateway with the tokens, /var/lib/inkpanel-web with keys," \
	    "/var/lib/inkpanel-webhooks, the user inkpanel-web"

install-fleet: $(FLEET) install-fleet-units install-fleet-texts ## Install inkpanel-fleet, for hosts behind a broker
	install -Dm755 $(FLEET) $(DESTDIR)$(PREFIX)/bin/inkpanel-fleet
	$(STRIP) $(DESTDIR)$(PREFIX)/bin/inkpanel-fleet

$(FLEET):
	$(MAKE) build

install-fleet-units:
	install -d $(DESTDIR)$(UNITDIR)
	install -m644 /dev/null $(DESTDIR)$(UNITDIR)/inkpanel-fleet.service
	sed 's|@PREFIX@|$(PREFIX)|' systemd/inkpanel-fleet.service.in > $(DESTDIR)$(UNITDIR)/inkpanel-fleet.service
	install -Dm644 /dev/null $(DESTDIR)$(UNITDIR)/inkpanel-health.service.d/fleet.conf
	sed 's|@BINDIR@|$(PREFIX)/bin|' systemd/inkpanel-health-fleet.conf.in \
	    > $(DESTDIR)$(UNITDIR)/inkpanel-health.service.d/fleet.conf
	install -Dm755 deploy/fleet/inkpanel-fleet-certificate $(DESTDIR)$(PREFIX)/bin/inkpanel-fleet-certificate

FLEET_DOCS = $(SHARE)/doc/inkpanel-fleet
install-fleet-texts: $(NATIVE_FLEET)
	tools/man-pages $(NATIVE_FLEET) $(SHARE)/man
	{ printf '.TH INKPANEL\\-FLEET\\-CERTIFICATE 1 "%s" "" "Inkpanel"\n.nh\n' \
	    "$$(date --utc --date="@$${SOURCE_DATE_EPOCH:-$$(date +%s)}" +%Y-%m-%d)"; \
	    printf '.SH NAME\ninkpanel\\-fleet\\-certificate \\- '; \
	    printf 'certificates of panels, hosts and the broker\n.SH DESCRIPTION\n.nf\n'; \
	    deploy/fleet/inkpanel-fleet-certificate --help | sed 's/\\/\\e/g; s/-/\\-/g'; } \
	    > $(SHARE)/man/man1/inkpanel-fleet-certificate.1
	install -d $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	$(NATIVE_FLEET) --generate-completion-script bash > $(SHARE)/bash-completion/completions/inkpanel-fleet
	$(NATIVE_FLEET) --generate-completion-script zsh > $(SHARE)/zsh/site-functions/_inkpanel-fleet
	$(NATIVE_FLEET) --generate-completion-script fish > $(SHARE)/fish/vendor_completions.d/inkpanel-fleet.fish
	install -Dm644 -t $(FLEET_DOCS) deploy/fleet/mosquitto* clients/inkpanel_fleet.py

# Use the same variables as for `make install-fleet`.
uninstall-fleet: ## Remove inkpanel-fleet; keep its key and certificate
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,inkpanel-fleet inkpanel-fleet-certificate)
	rm -f $(DESTDIR)$(UNITDIR)/inkpanel-fleet.service $(DESTDIR)$(UNITDIR)/inkpanel-health.service.d/fleet.conf
	test ! -d $(DESTDIR)$(UNITDIR)/inkpanel-health.service.d || \
	    rmdir --ignore-fail-on-non-empty $(DESTDIR)$(UNITDIR)/inkpanel-health.service.d
	rm -f $(SHARE)/man/man1/inkpanel-fleet.1 $(SHARE)/man/man1/inkpanel-fleet-*.1
	rm -f $(SHARE)/bash-completion/completions/inkpanel-fleet $(SHARE)/zsh/site-functions/_inkpanel-fleet \
	    $(SHARE)/fish/vendor_completions.d/inkpanel-fleet.fish
	rm -rf $(FLEET_DOCS)
	@echo "kept: /var/lib/inkpanel-fleet with the key and the certificate"

# Needs poppler's programs and bubblewrap or systemd.
install-document: $(DOCUMENT) install-document-units install-document-texts ## Install inkpanel-document, which reads PDFs
	install -Dm755 $(DOCUMENT) $(DESTDIR)$(PREFIX)/bin/inkpanel-document
	$(STRIP) $(DESTDIR)$(PREFIX)/bin/inkpanel-document

$(DOCUMENT):
	$(MAKE) build

install-document-units:
	install -d $(DESTDIR)$(UNITDIR)
	install -m644 /dev/null $(DESTDIR)$(UNITDIR)/inkpanel-document@.service
	sed 's|@PREFIX@|$(PREFIX)|' systemd/inkpanel-document@.service.in > $(DESTDIR)$(UNITDIR)/inkpanel-document@.service
	install -m644 systemd/inkpanel-document.socket $(DESTDIR)$(UNITDIR)

# A page of its help. Nobody types its options, so there are no completions.
install-document-texts: $(NATIVE_DOCUMENT)
	install -d $(SHARE)/man/man8
	{ printf '.TH INKPANEL\\-DOCUMENT 8 "%s" "" "Inkpanel"\n.nh\n' \
	    "$$(date --utc --date="@$${SOURCE_DATE_EPOCH:-$$(date +%s)}" +%Y-%m-%d)"; \
	    printf '.SH NAME\ninkpanel\\-document \\- parses documents for Inkpanel\n.SH DESCRIPTION\n.nf\n'; \
	    $(NATIVE_DOCUMENT) --help | sed 's/\\/\\e/g; s/-/\\-/g'; } > $(SHARE)/man/man8/inkpanel-document.8

# Use the same variables as for `make install-document`.
uninstall-document: ## Remove inkpanel-document
	rm -f $(DESTDIR)$(PREFIX)/bin/inkpanel-document $(SHARE)/man/man8/inkpanel-document.8
	rm -f $(addprefix $(DESTDIR)$(UNITDIR)/inkpanel-document,.socket @.service)

# Use the same variables as for `make install`.
uninstall: ## Remove what was installed; keep configuration and records
	rm -f $(DESTDIR)$(PREFIX)/bin/inkpanel
	rm -f $(addprefix $(DESTDIR)$(UNITDIR)/,$(DELIVER_UNITS)) \
	    $(addprefix $(DESTDIR)$(UNITDIR)/inkpanel-,clock.service identity.service health.service health.timer \
	        backup.service backup.timer) \
	    $(addprefix $(DESTDIR)$(PREFIX)/lib/inkpanel/,backup clock identity)
	rm -f $(addprefix $(DESTDIR)$(UNITDIR)/inkpanel.,service socket) $(DESTDIR)$(UDEVDIR)/rules.d/72-inkpanel.rules
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/lib/,sysusers.d/inkpanel.conf tmpfiles.d/inkpanel.conf)
	rm -f $(SHARE)/man/man1/inkpanel.1 $(SHARE)/man/man5/inkpanel.toml.5
	find $(SHARE)/man/man1 -name 'inkpanel-*.1' ! -name 'inkpanel-gateway*.1' ! -name 'inkpanel-fleet*.1' -delete 2>/dev/null || true
	rm -f $(SHARE)/bash-completion/completions/inkpanel $(SHARE)/zsh/site-functions/_inkpanel \
	    $(SHARE)/fish/vendor_completions.d/inkpanel.fish
	rm -f $(addprefix $(SHARE)/inkpanel/,verify.html inkpanel.toml $(notdir $(wildcard Sources/Pad/Strings/*.messages)))
	rm -f $(INTERFACES)/org.inkpanel.Panel.varlink
	rm -rf $(DOCS)
	for folder in $(SHARE)/inkpanel $(DESTDIR)$(PREFIX)/lib/inkpanel $(INTERFACES) $(SHARE)/varlink; do \
	    test ! -d $$folder || rmdir --ignore-fail-on-non-empty $$folder; \
	done
	@echo "kept: $(SYSCONFDIR)/inkpanel with the configuration, /var/lib/inkpanel with the records and" \
	    "/etc/credstore.encrypted/inkpanel.key, which seals them, the users inkpanel, inkpanel-gateway," \
	    "inkpanel-fleet, inkpanel-webhooks and inkpanel-deliver"
# out/inkpanel_VERSION_ARCH.deb, those of the other programs; debian/rules explains the variables.
ARCH ?= $(shell dpkg --print-architecture)
DEB_BINARY ?= $(BINARY)
DEB_SYSROOT ?=
deb: build ## Make the Debian packages in out/; ARCH=arm64 cross-compiles
	@tools/setup deb
	tools/build-deb $(ARCH) $(DEB_BINARY) $(BINARY) $(DEB_SYSROOT)

# Uses Debian 13's Swift in a Debian 13 that the first run makes (4 GB, many minutes). Needs root.
CROSS_BINARY := .build/arm64/aarch64-unknown-linux-gnu/release/inkpanel
cross: ## Build for another processor: make cross ARCH=arm64
	@tools/setup arm64
	tools/cross $(ARCH) -c release --static-swift-stdlib --product inkpanel
	tools/cross $(ARCH) -c release --static-swift-stdlib --product inkpanel-gateway
	tools/cross $(ARCH) -c release --static-swift-stdlib --product inkpanel-fleet
	tools/cross $(ARCH) -c release --static-swift-stdlib --product inkpanel-document

# `make deb ARCH=arm64` packages the cross-compiled program; its dependencies are the libraries in that Debian 13.
ifneq ($(ARCH),$(shell dpkg --print-architecture))
DEB_BINARY = $(CROSS_BINARY)
DEB_SYSROOT = "$$(tools/debian-13 $(ARCH))"
deb: cross
endif

# For any web server. The first call shows that the key works, before the long builds; DEBS= adds packages that exist.
REPOSITORY ?= out/repository
ARCHS ?= amd64 arm64
KEY ?=
URL ?=
DEBS ?=
SUITE ?= stable
BUILD_REPOSITORY = KEY='$(KEY)' URL='$(URL)' SUITE='$(SUITE)' tools/build-repository $(REPOSITORY)
repository: ## Make a signed apt repository, out/repository, of the packages: KEY=, URL=, ARCHS="amd64 arm64"
	@tools/setup repository
	@$(BUILD_REPOSITORY) --check
ifeq ($(DEBS),)
	for architecture in $(ARCHS); do $(MAKE) deb ARCH=$$architecture || exit 1; done
endif
	$(BUILD_REPOSITORY) $(or $(DEBS),$(ARCHS:%=out/inkpanel*_%.deb))

# STEPS="clients files" repeats some; tools/release lists them. Builds for both processors and both Debians, as root:
# hours. KEY= and URL= are those of the repository; tools/release has the others.
STEPS ?=
release: build ## Make the files of a release in out/release: KEY=, URL=
	@tools/setup repository
	@tools/setup clients
	@KEY='$(KEY)' URL='$(URL)' tools/release out/release $(STEPS)
