#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets a customer of Odoo sign on the pad: odoo.py stock.picking|sale.order ID

A delivery then has the picture in its field Signature, and Odoo attaches its signed slip; an order also has the name
and the time. The environment has INKPANEL_URL, INKPANEL_TOKEN and, of a pad with its own authority, INKPANEL_CA; and
ODOO_URL, ODOO_DATABASE and ODOO_KEY, an API key. Before Odoo 19 also ODOO_LOGIN, whose key it is.
"""

import base64
import json
import os
import sys
import urllib.request
from datetime import datetime, timezone

from inkpanel import CaptureRequest, Document, InkpanelError, Pad

LOGIN = os.environ.get("ODOO_LOGIN")


def post(path: str, body: dict, headers: dict = {}):
    request = urllib.request.Request(
        URL.rstrip("/") + path, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def remote(service: str, method: str, *arguments):
    """A call of JSON-RPC, which Odoo has until version 21."""
    parameters = {"service": service, "method": method, "args": arguments}
    answer = post("/jsonrpc", {"jsonrpc": "2.0", "method": "call", "id": 1, "params": parameters})
    if "error" in answer:
        raise OSError(answer["error"].get("data", {}).get("message") or answer["error"]["message"])
    return answer["result"]


def call(model: str, method: str, ids: list, **parameters):
    if not LOGIN:
        return post(f"/json/2/{model}/{method}", {"ids": ids, **parameters}, {
            "Authorization": "bearer " + KEY, "X-Odoo-Database": DATABASE})
    user = remote("common", "authenticate", DATABASE, LOGIN, KEY, {})
    if not user:
        raise OSError(f"{LOGIN} and this key are not known")
    return remote("object", "execute_kw", DATABASE, user, KEY, model, method, [ids], parameters)


def main(model: str, number: int) -> int:
    found = call(model, "read", [number], fields=["name", "partner_id"])
    if not found:
        sys.exit(f"odoo: there is no {model} {number}")
    name, customer = found[0]["name"], (found[0]["partner_id"] or [0, ""])[1]
    pad = Pad(os.environ["INKPANEL_URL"], os.environ["INKPANEL_TOKEN"], ca=os.environ.get("INKPANEL_CA"))
    capture = pad.capture(CaptureRequest(
        prompt=[f"Delivery {name} received" if model == "stock.picking" else f"Order {name} confirmed"],
        signer=customer or None, document=Document(reference=f"Odoo {model},{number}"), wait=True))
    if not capture.outcome or capture.outcome.result != "accepted":
        print(f"{name} was not signed: {capture.outcome and capture.outcome.result}", file=sys.stderr)
        return 1
    # If what follows fails, the signature is there under this name.
    print(f"{name} is signed: record {capture.id}", flush=True)
    values = {"signature": base64.b64encode(pad.file(capture.id, "signature.png", dpi=200)).decode()}
    if model == "sale.order":
        # Odoo's times are of UTC.
        values |= {"signed_by": customer, "signed_on": f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M:%S}"}
    call(model, "write", [number], vals=values)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("stock.picking", "sale.order") or not sys.argv[2].isdecimal():
        sys.exit(__doc__)
    try:
        URL, DATABASE, KEY = (os.environ["ODOO_" + name] for name in ("URL", "DATABASE", "KEY"))
        sys.exit(main(sys.argv[1], int(sys.argv[2])))
    except (InkpanelError, OSError) as error:
        sys.exit(f"odoo: {error}")
    except KeyError as missing:
        sys.exit(f"odoo: {missing} is missing, in the environment or in an answer")
