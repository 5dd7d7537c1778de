# Ten lines: python3 gateway.py URL TOKEN (clients/inkpanel.py beside it; https: ca= or key=, see docs/gateway.md)
import sys

from inkpanel import Inkpanel

pad = Inkpanel(sys.argv[1], sys.argv[2])
capture = pad.capture(prompt=["Delivery 4711"], signer="Anna Müller", on_change=lambda c: print(c["state"]))
if capture["outcome"]["result"] == "accepted":
    with open("signature.png", "wb") as file:
        file.write(pad.file(capture["id"], "signature.png"))
