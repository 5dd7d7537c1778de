# SPDX-License-Identifier: Apache-2.0
"""Tryton, whole, from Debian's packages: a delivery is signed on a simulated pad, and the picture is on it."""

import io
import os
import shutil
import socket
import subprocess
import tempfile
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import EXAMPLES, run
from PIL import Image
from proteus import Model, Wizard, config
from support import breadth
from support.waiting import wait_for

# Its database takes a minute.
pytestmark = breadth.long


class Tryton:
    def __init__(self, folder: Path):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.folder = folder
        (folder / "trytond.conf").write_text(
            f"[database]\nuri = sqlite://\npath = {folder}\n[web]\nlisten = 127.0.0.1:{self.port}\n"
            f"[password]\npasslib = {folder}/passlib.conf\n")
        # Tryton checks the password at each call, with a hash that is slow by intent.
        (folder / "passlib.conf").write_text(
            "[passlib]\nschemes = pbkdf2_sha512\npbkdf2_sha512__default_rounds = 1\n")
        (folder / "password").write_text("secret-of-admin\n")
        (folder / "erp.sqlite").touch()
        run(["/usr/bin/trytond-admin", "-c", folder / "trytond.conf", "-d", "erp", "--all", "--activate-dependencies", "-u",
             "stock", "--email", "admin@example.org"], folder, TRYTONPASSFILE=str(folder / "password"), seconds=300)
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                ["/usr/bin/trytond", "-c", folder / "trytond.conf", "-d", "erp"], stdout=log, stderr=log)
        self.url = f"http://admin:secret-of-admin@127.0.0.1:{self.port}/erp/"
        wait_for(self.answers, 60)
        config.set_xmlrpc(self.url)

    def answers(self) -> bool:
        assert self.process.poll() is None, (self.folder / "log").read_text()
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def delivery(self):
        """A company, a customer, a product, and a delivery of two of it."""
        Party = Model.get("party.party")
        currency = Model.get("currency.currency")(name="Euro", code="EUR", symbol="€", rounding=Decimal("0.01"))
        currency.save()
        company = Wizard("company.company.config")
        company.execute("company")
        own = Party(name="Ink & Sons")
        own.save()
        company.form.party, company.form.currency = own, currency
        company.execute("add")
        config.get_config()._context = Model.get("res.user").get_preferences(True, config.get_config().context)
        customer = Party(name="Anna Müller")
        customer.save()
        unit, = Model.get("product.uom").find([("name", "=", "Unit")])
        template = Model.get("product.template")(name="Ribbon", default_uom=unit, type="goods", list_price=Decimal("20"))
        template.save()
        product, = template.products
        places = {place.code: place for place in Model.get("stock.location").find([("code", "!=", None)])}
        shipment = Model.get("stock.shipment.out")(customer=customer, warehouse=places["WH"])
        move = shipment.outgoing_moves.new()
        setattr(move, "unit" if hasattr(move, "unit") else "uom", unit)
        move.product, move.quantity, move.unit_price, move.currency = product, 2, Decimal("20"), currency
        move.from_location, move.to_location = places["OUT"], places["CUS"]
        shipment.save()
        shipment.click("wait")
        return shipment

    def attachments(self, shipment) -> list:
        return Model.get("ir.attachment").find([("resource", "=", f"stock.shipment.out,{shipment.id}")])


@pytest.fixture(scope="module")
def tryton(tmp_path_factory):
    # In memory: Tryton waits for the disk after each step of its setup.
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=memory)) if os.access(memory, os.W_OK) else tmp_path_factory.mktemp("tryton")
    tryton = Tryton(folder)
    yield tryton
    tryton.process.terminate()
    tryton.process.wait(20)
    shutil.rmtree(folder)


def test_a_delivery_is_signed_and_has_the_picture(tryton, inkpanel_simulator, inkpanel_pad, tmp_path):
    shipment = tryton.delivery()

    def sign(number: str, status: int = 0) -> str:
        return run(
            ["/usr/bin/python3", EXAMPLES / "tryton.py", number], tmp_path, status, TRYTON_URL=tryton.url,
            INKPANEL_URL=inkpanel_simulator.url, INKPANEL_TOKEN=inkpanel_simulator.token, seconds=300)

    inkpanel_simulator.act("cancel")
    assert "was not signed: cancelled" in sign(shipment.number, 1) and tryton.attachments(shipment) == []
    assert f"{shipment.number} is signed: record 20" in sign(shipment.number)
    attachment, = tryton.attachments(shipment)
    record = next(inkpanel_pad.records())
    assert record.rows[0].label == "Ribbon" and record.rows[0].value == "2 u" and record.signer == "Anna Müller"
    assert record.id in attachment.description and record.seal.digest in attachment.description
    picture = Image.open(io.BytesIO(attachment.data))
    assert picture.format == "PNG" and picture.mode == "RGBA" and picture.getextrema()[3] == (0, 255)
    assert "signed already" in sign(shipment.number) and len(tryton.attachments(shipment)) == 1


def test_what_tryton_refuses_is_told_in_a_line_without_the_password(tryton, tmp_path):
    def fails(url: str) -> str:
        return run(
            ["/usr/bin/python3", EXAMPLES / "tryton.py", "1"], tmp_path, 1, TRYTON_URL=url,
            INKPANEL_URL="http://127.0.0.1:1", INKPANEL_TOKEN="ipt_x", seconds=300)

    assert fails("http://admin:secret@127.0.0.1:1/erp/") == "tryton: [Errno 111] Connection refused\n"
    said = fails(tryton.url.replace("secret-of-admin", "wrong-secret"))
    assert said.startswith("tryton: ") and said.count("\n") == 1 and "secret" not in said
