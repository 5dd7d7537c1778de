# The tests that a commit needs, and the longer ones on a real kernel; docs/testing.md says which to run.

.PHONY: programs test-programs unit allocations-test accuracy-test formats-test evidence-test delivery-test \
    fleet-test document-test control-test gateway-test webhooks-test browser-test verifier-test compat-test web-test \
    units-test manual-test repository-test panel-test \
    test-long breadth-test document-test-long panel-test-long install-test ansible-test

PYTEST ?=
# Some of the Swift tests.
FILTER ?=
# What Python tests start. They call make, too, which is not to take part in this one's.
TESTED := MAKEFLAGS= INKPANEL=$(CURDIR)/$(BINARY) GATEWAY=$(CURDIR)/$(GATEWAY) FLEET=$(CURDIR)/$(FLEET) \
    DOCUMENT=$(CURDIR)/$(DOCUMENT) DOCUMENT_SIGNER=$(CURDIR)/.build/debug/document-signer \
    BENCH=$(CURDIR)/$(BENCH) FLEET_PEER=$(CURDIR)/.build/debug/fleet-peer \
    CONTROL_PEER=$(CURDIR)/.build/debug/control-peer EVIDENCE_PEER=$(CURDIR)/.build/debug/evidence-peer \
    FORMAT_FILES=$(CURDIR)/.build/debug/format-files SCHEMATHESIS=$(CURDIR)/.build/python/bin/schemathesis
# LONG=1 runs suites whole: also tests with the mark `long`, and many random cases. `make test-long` does so.
ifdef LONG
SELECTED :=
LIMIT := 120
export INKPANEL_TEST_BREADTH := long
else
SELECTED := -m "not long"
# The longest suite takes a third of these minutes on two slow cores.
LIMIT := 25
endif
panel-test-long ansible-test: LIMIT := 120
panel-test-long: SELECTED := -m long
SHOWS ?= live
RUN_SUITE = tools/suite $@ $(LIMIT) $(SHOWS)
# What a suite depends on, for tools/suite: `make test` does not repeat one when nothing of it has changed. A suite that
# is not named here is always run.
PROGRAMS := Makefile Package.swift make tools Sources Tests/support Tests/programs Tests/data Tests/pytest.ini \
    debian deploy systemd udev clients verifier
unit: export NEEDS = $(PROGRAMS) Tests/unit
panel-test: export NEEDS = $(PROGRAMS) Tests/system/Panel Tests/system/support
browser-test delivery-test formats-test verifier-test web-test webhooks-test: \
    export NEEDS = $(PROGRAMS) Tests/system
# These read documents, too.
clients-test compat-test control-test document-test evidence-test fleet-test gateway-test manual-test repository-test: \
    export NEEDS = .
DEBIAN_PYTEST = $(TESTED) $(RUN_SUITE) /usr/bin/python3 -B -m pytest -q $(SELECTED)
OUR_PYTEST = $(TESTED) $(RUN_SUITE) .build/python/bin/python -B -m pytest -q $(SELECTED)

# As they are shipped, and those that test optimised code: one call of SwiftPM.
programs:
	@tools/setup build
	INKPANEL_PROGRAMS="inkpanel inkpanel-gateway inkpanel-fleet inkpanel-document inkpanel-bench allocations raster-accuracy" tools/without-warnings $(BUILD)
	tools/build-verifier $(VERIFIER)

# The unit tests, and what Python tests ask about the libraries: one call, too. Without debug information it is faster.
test-programs:
	@tools/setup build
	tools/without-warnings swift build --build-tests -debug-info-format none

unit: test-programs | $(filter panel-test,$(MAKECMDGOALS)) ## Run the unit tests, without a real kernel; FILTER=InkTests selects tests
	$(RUN_SUITE) swift test --skip-build $(if $(FILTER),--filter $(FILTER))

# Optimised: other builds allocate more.
allocations-test: programs ## Check that reports and fills allocate no memory
	.build/release/allocations

accuracy-test: programs ## Compare the rasterizer's coverage with exact areas
	.build/release/raster-accuracy

formats-test: test-programs ## Read exported files with other programs: Python, Pillow, librsvg
	@tools/setup test
	$(DEBIAN_PYTEST) Tests/system/Formats $(PYTEST)

# Those of a file share what its fixtures start. Workers wait more than they compute, except in evidence-test.
evidence-test: programs test-programs ## Compare evidence with OpenSSH, OpenSSL, age and Python; forge records and seals
	@tools/setup test
	$(OUR_PYTEST) Tests/system/Evidence -n 2 --dist loadfile $(PYTEST)

delivery-test: programs ## Send records with rclone to faulty stores, S3 and SFTP; kill it and the panel
	@tools/setup test
	$(OUR_PYTEST) Tests/system/Delivery -n 4 $(PYTEST)

fleet-test: programs test-programs ## Test hosts behind a broker: mosquitto, faulty ones, many panels, certificates, the client
	@tools/setup test
	$(OUR_PYTEST) Tests/system/Fleet -n 4 $(PYTEST)

document-test: programs test-programs ## Test documents: parse and draw them in a sandbox, sign them, verify with others
	@tools/setup test
	$(OUR_PYTEST) Tests/system/Document -n 2 $(PYTEST)

control-test: programs test-programs ## Test the host API and its commands with the Python package varlink
	@tools/setup test
	$(OUR_PYTEST) Tests/system/Control -n 4 $(PYTEST)

gateway-test: programs ## Test the gateway's API, its clients and its description
	@tools/setup test
	$(DEBIAN_PYTEST) Tests/system/Gateway -n 4 --dist loadfile $(PYTEST)

webhooks-test: programs ## Test webhooks with the reference library: order, retries, faulty receivers, kills
	@tools/setup test
	$(OUR_PYTEST) Tests/system/Webhooks -n 4 $(PYTEST)

browser-test: programs | $(filter test-programs,$(MAKECMDGOALS)) ## Test the virtual panel in Chromium
	@tools/setup test
	$(OUR_PYTEST) Tests/system/Browser -n 2 $(PYTEST)

# Needs no program of ours: it makes its records itself.
verifier-test: verifier ## Test verify.html in Chromium and Firefox
	@tools/setup test
	VERIFIER=$(CURDIR)/$(VERIFIER) $(OUR_PYTEST) Tests/system/Verifier -n 2 --dist loadfile $(PYTEST)

compat-test: programs ## Test other pads' protocols, also in Chromium; FILES=FOLDER has makers' libraries to run, too
	@tools/setup test
	$(OUR_PYTEST) Tests/system/Compatible -n 6 $(PYTEST)

web-test: programs ## Test nginx in front of the gateway, and its certificate
	@tools/setup test
	$(DEBIAN_PYTEST) Tests/system/Web -n 4 $(PYTEST)

units-test: programs ## Check the systemd units and udev rules
	@tools/setup test
	MAKEFLAGS= tools/verify-units $(BINARY) $(GATEWAY) $(FLEET) $(DOCUMENT)

manual-test: programs ## Check installing, uninstalling, man pages, completions, documents
	@tools/setup test
	$(DEBIAN_PYTEST) Tests/system/Manual $(PYTEST)

repository-test: ## Test the signed repository with apt, and the files of a release with other programs
	@tools/setup test
	$(OUR_PYTEST) Tests/system/Deploy/test_repository.py Tests/system/Deploy/test_release.py -n 2 $(PYTEST)

# Two guests beside each other, and neither a build nor unit tests, which would need the same processors. GOLDEN=write
# in the environment rewrites the golden pictures (Tests/system/Panel/README.md).
panel-test: programs | $(filter test-programs,$(MAKECMDGOALS)) ## Test on a real kernel in QEMU; PYTEST="-k capture" selects tests
	@tools/setup test
	$(DEBIAN_PYTEST) Tests/system/Panel -n 2 --dist loadgroup $(PYTEST)

test-long: breadth-test clients-test-long document-test-long panel-test-long install-test image-test ansible-test arm64-test ## Run the tests that take longer than `make test`

# Documents and clients need more packages; those tests are beside these on other machines.
breadth-test: ## Run all tests of these suites, and those with random input for long
	$(MAKE) LONG=1 unit formats-test evidence-test delivery-test fleet-test control-test gateway-test webhooks-test \
	    browser-test verifier-test compat-test web-test manual-test repository-test

document-test-long: ## Sign all kinds of documents one to three times; check that PDF/A stays PDF/A
	@tools/setup preflight
	$(MAKE) LONG=1 document-test

panel-test-long: programs ## Test every fault, page and driver, framebuffers, recorded devices; soak
	@tools/setup test
	$(DEBIAN_PYTEST) Tests/system/Panel -n 2 --dist loadgroup $(PYTEST)

# The first run makes a Debian for these, which takes minutes.
PACKAGED = INKPANEL_DEB=$$(ls $(CURDIR)/out/inkpanel_*_$$(dpkg --print-architecture).deb) \
    GATEWAY_DEB=$$(ls $(CURDIR)/out/inkpanel-gateway_*_$$(dpkg --print-architecture).deb) \
    FLEET_DEB=$$(ls $(CURDIR)/out/inkpanel-fleet_*_$$(dpkg --print-architecture).deb) \
    DOCUMENT_DEB=$$(ls $(CURDIR)/out/inkpanel-document_*_$$(dpkg --print-architecture).deb)
install-test: deb ## Test the packages in QEMU, from boot to purge
	@tools/setup test
	$(PACKAGED) /usr/bin/python3 -B -m pytest -q -x Tests/system/Install $(PYTEST)

# The machines' mounts end with the namespace.
ansible-test: deb ## Test deploy/ansible on three machines in chroots; needs root
	@tools/setup test
	@tools/setup ansible
	$(PACKAGED) $(TESTED) unshare --mount $(RUN_SUITE) /usr/bin/python3 -B -m pytest -q -x \
	    Tests/system/Deploy/test_ansible.py Tests/system/Deploy/test_ansible_fleet.py \
	    Tests/system/Deploy/test_ansible_dropins.py $(PYTEST)
	ANSIBLE_PLAYBOOK=$(CURDIR)/.build/ansible/bin/ansible-playbook $(RUN_SUITE) /usr/bin/python3 -B -m pytest -q -x \
	    Tests/system/Deploy/test_ansible_fleet.py Tests/system/Deploy/test_ansible_dropins.py $(PYTEST)
