#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signs a request of LibreSign (Nextcloud) with ink from the pad: libresign.py SIGN-REQUEST-UUID

It signs as the account in LIBRESIGN_USER, with the app password in LIBRESIGN_PASSWORD, which must be the signer and may
sign by a click; the ink becomes the account's own signature and goes to the places of the request. The environment
also has LIBRESIGN_URL, that of Nextcloud; and INKPANEL_URL, INKPANEL_TOKEN and, of a pad with its own authority,
INKPANEL_CA.
"""

import base64
import json
import os
import sys
import urllib.error
import urllib.request

from inkpanel import CaptureRequest, Document, InkpanelError, Pad


def call(method: str, path: str, body: dict | None = None) -> dict:
    """The data of an answer of OCS."""
    user = f"{os.environ['LIBRESIGN_USER']}:{os.environ['LIBRESIGN_PASSWORD']}".encode()
    request = urllib.request.Request(
        os.environ["LIBRESIGN_URL"].rstrip("/") + "/ocs/v2.php/apps/libresign/api/v1" + path,
        body and json.dumps(body).encode(),
        {"Authorization": "Basic " + base64.b64encode(user).decode(), "OCS-APIRequest": "true",
         "Accept": "application/json", "Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["ocs"]["data"]


def saved_ink() -> int | None:
    """The file of the account's own signature."""
    try:
        elements = call("GET", "/signature/elements")["elements"]
    except urllib.error.HTTPError as error:
        # None yet.
        if error.code != 404:
            raise
        elements = []
    return next((element["file"]["nodeId"] for element in elements if element["type"] == "signature"), None)


def main(uuid: str) -> int:
    files = call("GET", f"/file/list?details=true&signer_uuid={uuid}")["data"]
    signer = next((signer for file in files for signer in file["signers"] if signer.get("me")), None)
    if signer is None or signer.get("signed"):
        sys.exit(f"libresign: {uuid} is not waiting for {os.environ['LIBRESIGN_USER']}")
    name = files[0]["name"]
    pad = Pad(os.environ["INKPANEL_URL"], os.environ["INKPANEL_TOKEN"], ca=os.environ.get("INKPANEL_CA"))
    capture = pad.capture(CaptureRequest(
        prompt=[name], signer=signer["displayName"], document=Document(reference=f"LibreSign {uuid}"), wait=True))
    if not capture.outcome or capture.outcome.result != "accepted":
        print(f"{name} was not signed: {capture.outcome and capture.outcome.result}", file=sys.stderr)
        return 1
    # If what follows fails, the signature is there under this name.
    print(f"{name} is signed: record {capture.id}", flush=True)
    picture = base64.b64encode(pad.file(capture.id, "signature.png", dpi=200, transparent=True)).decode()
    ink = {"type": "signature", "file": {"base64": "data:image/png;base64," + picture}}
    if saved := saved_ink():
        call("PATCH", f"/signature/elements/{saved}", ink)
    else:
        call("POST", "/signature/elements", {"elements": [ink]})
        saved = saved_ink()
    places = [{"documentElementId": element["elementId"], "profileNodeId": saved}
              for element in signer["visibleElements"] if element["type"] == "signature"]
    call("POST", f"/sign/uuid/{uuid}", {"method": "clickToSign", "elements": places})
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        sys.exit(main(sys.argv[1]))
    except (InkpanelError, OSError) as error:
        sys.exit(f"libresign: {error}")
    except KeyError as missing:
        sys.exit(f"libresign: {missing} is missing, in the environment or in an answer")
