# Packages of the clients, and a simulated pad for tests of hosts.

.PHONY: clients clients-test clients-test-long simulate

CLIENTS := out/clients

clients: ## Build the packages of the clients, for pip and npm, in out/clients
	@tools/setup clients
	tools/build-clients $(CLIENTS)

# The tests import what is in the wheel, which is a zip file.
clients-test: programs clients ## Test the packages of the clients, and connectors with other programs, such as Tryton
	@tools/setup test
	rm -rf .build/clients
	/usr/bin/python3 -m zipfile -e $(CLIENTS)/inkpanel-*.whl .build/clients
	INKPANEL_CLIENTS=$(CURDIR)/$(CLIENTS) INKPANEL_GATEWAY=$(CURDIR)/$(GATEWAY) PYTHONPATH=$(CURDIR)/.build/clients \
	    $(OUR_PYTEST) Tests/system/Clients -n 2 --dist loadfile $(PYTEST)

# The generator is a program in Java from PyPI.
GENERATOR := .build/generator/bin/openapi-generator-cli
$(GENERATOR):
	@tools/setup generator
	/usr/bin/python3 -m venv .build/generator
	.build/generator/bin/pip install -q --disable-pip-version-check openapi-generator-cli==7.26.0

clients-test-long: $(GENERATOR) ## Also connect with Tryton, and generate a client in PHP from openapi.json
	OPENAPI_GENERATOR=$(CURDIR)/$(GENERATOR) $(MAKE) LONG=1 clients-test

simulate: build ## Run a simulated pad with its gateway, for tests of hosts; prints address and token
	@/usr/bin/python3 -B clients/python/inkpanel/simulator.py --inkpanel $(BINARY) --gateway $(GATEWAY)
