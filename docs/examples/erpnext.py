#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets a customer of ERPNext sign a document on the pad: erpnext.py "Delivery Note" MAT-DN-2026-00001

The document type needs a field of the type Signature that may be changed after submitting (Customize Form);
ERPNEXT_FIELD names it, by default custom_signature. The environment also has ERPNEXT_URL and ERPNEXT_KEY, which is an
API key and its secret with a colon between; and INKPANEL_URL, INKPANEL_TOKEN and, of a pad with its own authority,
INKPANEL_CA.
"""

import base64
import json
import os
import sys
import urllib.parse
import urllib.request

from inkpanel import CaptureRequest, Document, InkpanelError, Pad, Row

FIELD = os.environ.get("ERPNEXT_FIELD", "custom_signature")


def call(method: str, kind: str, name: str, values: dict | None = None) -> dict:
    """Reads a document, or changes some of its fields."""
    path = "/".join(urllib.parse.quote(part, safe="") for part in (kind, name))
    request = urllib.request.Request(
        os.environ["ERPNEXT_URL"].rstrip("/") + "/api/resource/" + path, values and json.dumps(values).encode(),
        {"Authorization": "token " + os.environ["ERPNEXT_KEY"], "Content-Type": "application/json",
         "Accept": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["data"]


def main(kind: str, name: str) -> int:
    document = call("GET", kind, name)
    if document.get(FIELD):
        print(f"{name} is signed already")
        return 0
    rows = [Row(item["item_name"], f"{item['qty']:.15g} {item.get('uom', '')}") for item in document.get("items", [])]
    if len(rows) > 16:
        # The pad shows at most 16 rows. Whoever signs must see that there are more.
        rows[15:] = [Row("Further items", str(len(rows) - 15))]
    pad = Pad(os.environ["INKPANEL_URL"], os.environ["INKPANEL_TOKEN"], ca=os.environ.get("INKPANEL_CA"))
    capture = pad.capture(CaptureRequest(
        prompt=[f"{kind} {name}"], rows=rows, signer=document.get("customer_name"),
        document=Document(reference=f"ERPNext {kind} {name}"), wait=True))
    if not capture.outcome or capture.outcome.result != "accepted":
        print(f"{name} was not signed: {capture.outcome and capture.outcome.result}", file=sys.stderr)
        return 1
    # If what follows fails, the signature is there under this name.
    print(f"{name} is signed: record {capture.id}", flush=True)
    picture = base64.b64encode(pad.file(capture.id, "signature.png", dpi=200)).decode()
    call("PUT", kind, name, {FIELD: "data:image/png;base64," + picture})
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        sys.exit(main(*sys.argv[1:]))
    except (InkpanelError, OSError) as error:
        sys.exit(f"erpnext: {error}")
    except KeyError as missing:
        sys.exit(f"erpnext: {missing} is missing, in the environment or in an answer")
