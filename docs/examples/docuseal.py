#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completes a submitter of DocuSeal with a signature from the pad: docuseal.py SUBMITTER-ID

The document is DocuSeal's, the ink the pad's: people read it elsewhere, as on paper beside the pad. The environment has
DOCUSEAL_URL, such as https://docuseal.example/api, and DOCUSEAL_KEY; DOCUSEAL_FIELD names the field, by default
Signature; and INKPANEL_URL, INKPANEL_TOKEN and, of a pad with its own authority, INKPANEL_CA.
"""

import base64
import json
import os
import sys
import urllib.request

from inkpanel import CaptureRequest, Document, InkpanelError, Pad


def call(method: str, path: str, body: dict | None = None) -> dict:
    request = urllib.request.Request(
        os.environ["DOCUSEAL_URL"].rstrip("/") + path, body and json.dumps(body).encode(),
        {"X-Auth-Token": os.environ["DOCUSEAL_KEY"], "Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def main(number: int) -> int:
    submitter = call("GET", f"/submitters/{number}")
    if submitter["status"] in ("completed", "declined"):
        print(f"submitter {number} has {submitter['status']} already", file=sys.stderr)
        return 1
    title = (submitter.get("template") or {}).get("name") or f"Submission {submitter['submission_id']}"
    pad = Pad(os.environ["INKPANEL_URL"], os.environ["INKPANEL_TOKEN"], ca=os.environ.get("INKPANEL_CA"))
    capture = pad.capture(CaptureRequest(
        prompt=[title], signer=submitter.get("name") or submitter.get("email"),
        document=Document(reference=f"DocuSeal submission {submitter['submission_id']}"), wait=True))
    if not capture.outcome or capture.outcome.result != "accepted":
        print(f"{title} was not signed: {capture.outcome and capture.outcome.result}", file=sys.stderr)
        return 1
    # If what follows fails, the signature is there under this name.
    print(f"{title} is signed: record {capture.id}", flush=True)
    # DocuSeal takes Base64 as it is, no data URL.
    picture = base64.b64encode(pad.file(capture.id, "signature.png", dpi=200, transparent=True)).decode()
    call("PUT", f"/submitters/{number}", {
        "values": {os.environ.get("DOCUSEAL_FIELD", "Signature"): picture}, "completed": True,
        "metadata": {"inkpanel": capture.id}})
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdecimal():
        sys.exit(__doc__)
    try:
        sys.exit(main(int(sys.argv[1])))
    except (InkpanelError, OSError) as error:
        sys.exit(f"docuseal: {error}")
    except KeyError as missing:
        sys.exit(f"docuseal: {missing} is missing, in the environment or in an answer")
