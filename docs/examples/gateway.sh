#!/bin/sh
# Asks for a signature with curl and saves it: gateway.sh URL TOKEN (https: add --cacert inkpanel-ca.pem)
set -eu
api=${1:?the address of the gateway}/v1/captures TOKEN=${2:?a token}
call() { curl --fail-with-body -sS -H "Authorization: Bearer $TOKEN" "$@"; }
give_up() { printf '%s\n' "$answer"; exit 1; }
answer=$(call "$api" -H 'Content-Type: application/json' -d '{"prompt":["Delivery 4711"]}') || give_up
id=$(printf '%s' "$answer" | sed 's/.*"id":"\([^"]*\)".*/\1/')
# Nobody may sign for a program that has ended.
cancel() { call -X POST "$api/$id/cancel" -o /dev/null; }
trap 'cancel; exit 130' INT TERM HUP
until printf '%s' "$answer" | grep -q '"state":"ended"'; do
    answer=$(call -H 'Prefer: wait=30' "$api/$id") || { cancel || give_up; exit 1; }
done
printf '%s' "$answer" | grep -q '"result":"accepted"' || give_up
call -o signature.png "$api/$id/signature.png?dpi=300"
