#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Takes a signature for a document: signature.sh SOCKET DOCUMENT PNG. The document's digest goes into the record.
inkpanel capture --socket "$1" --prompt "Delivery 4711 received" --prompt "12 boxes" --signer "Anna Müller" \
    --reason Delivery --document "$2" --output "$3" --wait --timeout 120
case $? in
0) echo "signed: $3" ;;
10) echo "cancelled" >&2; exit 1 ;;
11) echo "nobody has signed" >&2; exit 1 ;;
*) exit 2 ;; # it has said why
esac
