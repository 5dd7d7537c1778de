#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Takes a signature with systemd's own tool (255 and later): signature-varlinkctl.sh SOCKET.
varlinkctl call --more "$1" org.inkpanel.Panel.Capture '{"prompt":["Delivery 4711 received"],"signer":"Anna Müller"}'
