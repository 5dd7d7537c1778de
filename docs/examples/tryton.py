#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets a customer sign a delivery of Tryton on the pad, and attaches the picture to it: tryton.py SHIPMENT-NUMBER

The environment has INKPANEL_URL, INKPANEL_TOKEN and, of a pad with its own authority, INKPANEL_CA; and TRYTON_URL, such
as https://user:password@tryton.example/database/. Needs proteus of Tryton's own version.
"""

import os
import sys
import xmlrpc.client

from inkpanel import CaptureRequest, Document, InkpanelError, Pad, Row
from proteus import Model, config


def main(number: str) -> int:
    config.set_xmlrpc(os.environ["TRYTON_URL"])
    found = Model.get("stock.shipment.out").find([("number", "=", number)])
    if not found:
        print(f"tryton: there is no delivery {number}", file=sys.stderr)
        return 1
    shipment = found[0]
    Attachment = Model.get("ir.attachment")
    name = f"Signature of {number}.png"
    if Attachment.find([("resource", "=", f"stock.shipment.out,{shipment.id}"), ("name", "=", name)]):
        print(f"{number} is signed already")
        return 0
    # Tryton has renamed uom to unit.
    units = [getattr(move, "unit", None) or move.uom for move in shipment.outgoing_moves]
    rows = [Row(move.product.rec_name, f"{move.quantity:.15g} {unit.symbol}")
            for move, unit in zip(shipment.outgoing_moves, units)]
    if len(rows) > 16:
        # The pad shows at most 16 rows. Whoever signs must see that there are more.
        rows[15:] = [Row("Further items", str(len(rows) - 15))]
    request = CaptureRequest(
        prompt=[f"Delivery {number} received"], rows=rows,
        signer=shipment.customer.rec_name, document=Document(reference=f"Tryton stock.shipment.out,{shipment.id}"),
        # Until the pad is free.
        wait=True)
    pad = Pad(os.environ["INKPANEL_URL"], os.environ["INKPANEL_TOKEN"], ca=os.environ.get("INKPANEL_CA"))
    capture = pad.capture(request)
    if not capture.outcome or capture.outcome.result != "accepted":
        print(f"{number} was not signed: {capture.outcome and capture.outcome.result}", file=sys.stderr)
        return 1
    # If what follows fails, the signature is there under this name.
    print(f"{number} is signed: record {capture.id}", flush=True)
    attachment = Attachment(name=name, type="data", resource=shipment)
    attachment.data = pad.file(capture.id, "signature.png", dpi=200, transparent=True)
    # With the seal one can show later that the pad's record is this one.
    attachment.description = f"Record {capture.id}, seal {capture.seal and capture.seal.digest}"
    attachment.save()
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        sys.exit(main(sys.argv[1]))
    except (InkpanelError, OSError) as error:
        sys.exit(f"tryton: {error}")
    except xmlrpc.client.ProtocolError as error:
        # Its own text has the address with the password.
        sys.exit(f"tryton: it answers {error.errcode} {error.errmsg}")
    except xmlrpc.client.Fault as error:
        sys.exit(f"tryton: {error.faultCode}")
    except KeyError as missing:
        sys.exit(f"tryton: {missing} is missing in the environment")
