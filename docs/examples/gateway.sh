#!/bin/sh
# Asks for a signature with curl and saves it: gateway.sh URL TOKEN (https: add --cacert inkpanel-ca.pem)
set -eu
call() { curl --fail-with-body -sS -H "Authorization: Bearer $TOKEN" "$@"; }
URL=$1 TOKEN=$2
id=$(call "$URL/v1/captures" -H 'Content-Type: application/json' -d '{"prompt":["Delivery 4711"]}' | sed 's/.*"id":"\([^"]*\)".*/\1/')
until call -H 'Prefer: wait=30' "$URL/v1/captures/$id" | tee state.json | grep -q '"state":"ended"'; do :; done
grep -q '"result":"accepted"' state.json || { cat state.json; exit 1; }
call -o signature.png "$URL/v1/captures/$id/signature.png?dpi=300"
