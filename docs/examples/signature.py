#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Takes a signature: signature.py SOCKET PNG. Needs the package varlink (pip install varlink).
import base64
import sys

import varlink

with varlink.Client("unix:" + sys.argv[1]) as client, client.open("org.inkpanel.Panel") as panel:
    request = {"prompt": ["Delivery 4711 received", "12 boxes"], "signer": "Anna Müller", "reason": "Delivery"}
    for answer in panel.Capture(**request, _more=True):
        print(answer["state"], answer.get("strokes", ""), file=sys.stderr)
    if answer["outcome"]["result"] != "accepted":
        sys.exit("no signature: " + answer["outcome"]["result"])
    picture = panel.Get(id=answer["id"], format="png", dpi=300)
    open(sys.argv[2], "wb").write(base64.b64decode(picture["base64"]))
    print(answer["id"])
