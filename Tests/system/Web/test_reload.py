# SPDX-License-Identifier: Apache-2.0
"""New certificates without losing connections."""

import socket
import ssl
import subprocess

import pytest

from conftest import Upstream
from test_certificate import make_given
from test_limits import Events
from support.nginx import Certificate, Nginx
from support.waiting import wait_for


@pytest.fixture
def own(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    # Short, because the path of a socket has at most 107 bytes.
    certificate = Certificate(folder)
    certificate.make()
    nginx = Nginx(folder, certificate)
    upstream = Upstream(nginx.upstream)
    yield nginx
    nginx.stop()
    upstream.stop()


def digest(nginx) -> str:
    """Of the key that nginx shows now."""
    context = ssl._create_unverified_context()
    with socket.create_connection(("127.0.0.1", nginx.port), timeout=10) as plain:
        with context.wrap_socket(plain, server_hostname="localhost") as connection:
            der = connection.getpeercert(binary_form=True)
    shell = ("openssl x509 -inform DER -noout -pubkey | openssl pkey -pubin -outform DER | "
             "openssl dgst -sha256 -binary | openssl base64")
    return subprocess.run(shell, shell=True, input=der, capture_output=True, check=True).stdout.decode().strip()


def test_a_reload_shows_the_new_certificate_and_loses_no_event(own):
    assert digest(own) == own.certificate.spki
    first = own.certificate.spki
    events = Events(own, "127.0.0.1")
    make_given(own.certificate.given)
    own.certificate.make()
    assert own.certificate.spki != first
    # nginx goes on with what it has read.
    assert digest(own) == first
    own.reload()
    assert digest(own) == own.certificate.spki
    events.check()
    events.close()
    # The old worker ends after its last connection.
    wait_for(lambda: len(own.workers()) == 1)


def test_damaged_files_stop_a_reload_but_not_nginx(own):
    events = Events(own, "127.0.0.1")
    first = digest(own)
    own.certificate.served.write_text("damaged")
    assert subprocess.run(own.command("-t", "-q"), capture_output=True).returncode != 0
    with pytest.raises(subprocess.CalledProcessError):
        own.reload()
    assert digest(own) == first
    events.check()
    events.close()
    # Put right by the next run of the program.
    own.certificate.make()
    own.reload()
    assert digest(own) == first


def test_a_test_of_the_configuration_leaves_the_sockets(own):
    subprocess.run(own.command("-t", "-q"), check=True)
    assert own.listens() and own.request("GET", "/").status == 200


def test_nginx_starts_anew_after_it_was_killed(own):
    for process in own.workers():
        subprocess.run(["kill", "-KILL", process])
    wait_for(own.workers)
    wait_for(lambda: own.request("GET", "/").status == 200)
