# SPDX-License-Identifier: Apache-2.0
"""Documents and requests that were made to break inkpanel-document, or to keep it busy."""

import json
import os
import random
import resource
import signal
import socket
import subprocess
import time
import zlib

import pytest
from conftest import PROGRAM, ask, facts, one_page, raw_pdf, sandbox, stream
from support import breadth
from support.breadth import long

SIZE = {"do": "render", "page": 1, "width": 620, "height": 877}


def nested_forms(depth: int) -> bytes:
    """Forms of which each draws the next one ten times."""
    forms = []
    for level in range(depth):
        entries = b"/Type /XObject /Subtype /Form /BBox [ 0 0 595 842 ]"
        if level + 1 < depth:
            entries += b" /Resources << /XObject << /X %d 0 R >> >>" % (level + 6)
            forms.append(stream(b"/X Do " * 10, entries))
        else:
            forms.append(stream(b"0 0 m 10 10 l S", entries))
    return one_page(b"/X Do", *forms, resources=b"/XObject << /X 5 0 R >>")


def huge_image() -> bytes:
    row = zlib.compressobj(9)
    data = b"".join(row.compress(bytes(60_000)) for _ in range(60_000)) + row.flush()
    image = stream(data, b"/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 8 "
                         b"/ColorSpace /DeviceGray /Filter /FlateDecode")
    return one_page(b"595 0 0 842 0 0 cm /X Do", image, resources=b"/XObject << /X 5 0 R >>")


def bomb_of_objects() -> bytes:
    """A stream of objects of 2 GB."""
    packer = zlib.compressobj(9)
    data = b"1 0 << /Type /Catalog /Pages 2 0 R >> ".ljust(1 << 20)
    data = packer.compress(data) + b"".join(packer.compress(b" " * (1 << 20)) for _ in range(2047)) + packer.flush()
    head = b"%PDF-1.7\n"
    first = b"3 0 obj\n" + stream(data, b"/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode") + b"\nendobj\n"
    second = len(head)
    table = len(head + first)
    entries = (bytes([0, 0, 0, 0, 0, 0]) + bytes([2]) + (3).to_bytes(4, "big") + b"\0"
               + bytes([0, 0, 0, 0, 0, 0]) + bytes([1]) + second.to_bytes(4, "big") + b"\0"
               + bytes([1]) + table.to_bytes(4, "big") + b"\0")
    cross = b"4 0 obj\n" + stream(entries, b"/Type /XRef /W [ 1 4 1 ] /Size 5 /Root 1 0 R") + b"\nendobj\n"
    return head + first + cross + b"startxref\n%d\n%%%%EOF\n" % table


def test_a_page_of_seventy_metres_is_refused_and_drawn_small():
    document = one_page(b"0 0 m 9 9 l S", box=b"0 0 200000 200000")
    assert ask(document, {"do": "inspect"}).error == "pageTooLarge"
    answer = ask(document, {**SIZE, "width": 600, "height": 600})
    assert answer.error is None and answer.seconds < 5


@long
@pytest.mark.parametrize("make", [lambda: nested_forms(12), huge_image], ids=["nested forms", "huge image"])
@pytest.mark.parametrize("boxed", breadth.share([False, True], 2), ids=["plain", "sandbox"])
def test_a_page_that_never_ends_is_given_up_in_time(make, boxed):
    document = make()
    assert len(document) < 8 << 20
    # Swift reads a program's arguments from /proc, which the sandbox does not have: the usual 20 seconds.
    answer = ask(document, SIZE, boxed=True) if boxed else ask(document, SIZE, "--seconds", "3")
    assert (answer.status, answer.error) == (0, "tooSlow") and answer.seconds < (23 if boxed else 6)
    # What it is can be told all the same.
    facts(document)


@pytest.mark.parametrize("boxed", [False, True], ids=["socket", "sandbox"])
def test_the_program_ends_when_nobody_waits_for_its_answer(boxed):
    document = nested_forms(12)
    request = json.dumps({"size": len(document), **SIZE}).encode() + b"\n" + document
    here, there = socket.socketpair()
    read, write = os.pipe()
    done = subprocess.Popen(sandbox() if boxed else [PROGRAM], stdin=there, stdout=write if boxed else there)
    there.close()
    os.close(write)
    here.sendall(request)
    time.sleep(1.5)
    assert done.poll() is None
    begin = time.monotonic()
    here.close()
    os.close(read)
    done.wait(10)
    assert time.monotonic() - begin < 2


@long
def test_memory_is_limited():
    answer = ask(bomb_of_objects(), {"do": "inspect"})
    assert answer.line is None or answer.error in ("damaged", "tooSlow"), answer
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert children.ru_maxrss < 500 << 10


def test_deep_and_wide_objects_are_refused_or_read():
    deep = one_page(b"", b"[" * 200_000 + b"]" * 200_000)
    wide = one_page(b"", b"[ " + b"0 " * 3_000_000 + b"]", resources=b"/X 5 0 R")
    tree = raw_pdf(b"<< /Type /Catalog /Pages 2 0 R >>", *(
        b"<< /Type /Pages /Count 1 /Kids [ %d 0 R ] >>" % (number + 3) for number in range(100_000)))
    for document in (deep, wide, tree):
        answer = ask(document, {"do": "inspect"})
        assert answer.line is not None and answer.status == 0 and answer.seconds < 11


def test_random_bytes_are_refused():
    chance = random.Random(1)
    for count in (0, 1, 100, 10_000, 1_000_000):
        for prefix in (b"", b"%PDF-1.7\n"):
            document = prefix + chance.randbytes(count)
            assert ask(document, {"do": "inspect"}).error == "damaged"
            assert ask(document, SIZE).error in ("failed", "noPage")


def test_cut_and_changed_documents_are_refused_or_read(contract):
    chance = random.Random(2)
    errors = []
    for _ in range(30):
        document = bytearray(contract)
        if chance.random() < 0.5:
            del document[chance.randrange(len(document)):]
        for _ in range(chance.randrange(1, 6)):
            if document:
                document[chance.randrange(len(document))] = chance.randrange(256)
        for request in ({"do": "inspect"}, SIZE, {"do": "find", "text": "sign"}):
            answer = ask(bytes(document), request)
            assert answer.status == 0 and answer.line is not None
            errors.append(answer.error)
    assert "damaged" in errors and None in errors


@pytest.mark.parametrize("request_line", [
    b"", b"{}", b"hello", b'{"do":"inspect"}', b'{"do":"inspect","size":-1}', b'{"do":"inspect","size":99999999}',
    b'{"do":"render","size":0,"page":1,"width":1000000,"height":1}', b"[" * 100_000, b"x" * (5 << 20)],
    ids=lambda line: line[:20].decode() or "empty")
def test_requests_that_are_none_are_refused(request_line):
    answer = ask(b"", request_line)
    assert (answer.status, answer.error) == (0, "badRequest")


def test_a_request_that_is_cut_off_is_refused(contract):
    assert ask(contract, {"do": "inspect"}, cut=1).error == "badRequest"
    # What follows the document is not read as part of it.
    assert ask(contract + b"more", {"do": "inspect", "size": len(contract)}).error is None


def test_a_peer_that_sends_nothing_is_left():
    begin = time.monotonic()
    with subprocess.Popen([PROGRAM, "--seconds", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        line = process.stdout.readline()
        assert b'"tooSlow"' in line and process.wait(5) == 0
    assert time.monotonic() - begin < 4


def test_a_peer_that_reads_nothing_is_left(contract):
    begin = time.monotonic()
    with subprocess.Popen([PROGRAM, "--seconds", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b'{"do":"render","size":%d,"page":1,"width":1240,"height":1754}\n' % len(contract))
        process.stdin.write(contract)
        process.stdin.flush()
        assert process.wait(10) == -signal.SIGALRM
    assert time.monotonic() - begin < 8


def test_nothing_is_left_when_the_sandbox_is_killed():
    document = nested_forms(12)
    request = b'{"do":"render","size":%d,"page":1,"width":620,"height":877}\n' % len(document)

    def drawing():
        """The processes that draw, by the size that only this test asks for."""
        found = []
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/cmdline", "rb") as file:
                    if b"pdftoppm" in (words := file.read()) and b"877" in words:
                        found.append(int(number))
            except OSError:
                pass
        return found

    before = set(drawing())
    with subprocess.Popen(sandbox(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(request + document)
        process.stdin.flush()
        deadline = time.monotonic() + 10
        while not (mine := set(drawing()) - before):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.kill()
    while mine & set(drawing()):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_sandbox_has_no_network_and_no_files():
    words = sandbox()
    probe = ["/usr/bin/python3", "-c", (
        "import os, socket\n"
        "print(sorted(os.listdir('/')), os.path.exists('/etc/passwd'), os.path.exists('/proc/1'))\n"
        "print([name for _, name in socket.if_nameindex()])\n"
        "for path in ('/a', '/dev/a', '/dev/shm/a'):\n"
        "    try: open(path, 'w')\n"
        "    except OSError as error: print(error.strerror)\n")]
    done = subprocess.run([*words[:-1], *probe], capture_output=True, text=True, check=True)
    folders, networks, *reasons = done.stdout.splitlines()
    assert folders.startswith("['dev', 'etc', 'lib'") and folders.endswith("False False") and "home" not in folders
    assert networks == "['lo']" and reasons == ["Read-only file system"] * 3
