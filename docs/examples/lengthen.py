#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the signatures of a PDF file checkable for decades (PAdES-B-LTA), with pyHanko:

    lengthen.py signed.pdf long.pdf --tsa http://timestamp.example.org --trust authority.pem [--trust ...]

Adds the certificates and, where their issuers publish them, the lists of revoked ones (DSS), then a document time
stamp. The signatures stay as they are. Run it again on its output before the time stamp's certificate ends.
"""

import argparse
import shutil
import sys

from pyhanko.keys import load_certs_from_pemder
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.signers import PdfTimeStamper
from pyhanko.sign.timestamps import HTTPTimeStamper
from pyhanko.sign.validation import add_validation_info
from pyhanko_certvalidator import ValidationContext


def context(trusted) -> ValidationContext:
    # A certificate that the panel has signed itself has no list of revoked ones.
    return ValidationContext(trust_roots=trusted, allow_fetching=True, revocation_mode="soft-fail")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("signed")
    parser.add_argument("output")
    parser.add_argument("--tsa", required=True, help="address of a time stamping authority (RFC 3161)")
    parser.add_argument("--trust", required=True, action="append", metavar="PEM",
                        help="certificates that the signatures and the time stamp lead to")
    arguments = parser.parse_args()
    trusted = list(load_certs_from_pemder(arguments.trust))
    shutil.copyfile(arguments.signed, arguments.output)
    with open(arguments.output, "r+b") as file:
        names = [signature.field_name for signature in PdfFileReader(file).embedded_regular_signatures]
        if not names:
            sys.exit(f"{arguments.signed} has no signatures")
        for name in names:
            signatures = PdfFileReader(file).embedded_regular_signatures
            signature = next(one for one in signatures if one.field_name == name)
            add_validation_info(signature, context(trusted), in_place=True)
        stamper = PdfTimeStamper(HTTPTimeStamper(arguments.tsa))
        stamper.timestamp_pdf(
            IncrementalPdfFileWriter(file), "sha256", validation_context=context(trusted), in_place=True)


if __name__ == "__main__":
    main()
