# SPDX-License-Identifier: Apache-2.0
"""Whatever the display and the touch device do, the final screen is the one without that fault.

One driver in every run, the others in the long one: `make test-long`.
"""

import errno
import random
import signal
import time

import pytest
from harness import Panel, program, wording
from harness.faults import Faults
from harness.look import BLACK_ON_WHITE, PAPER

LOOK = ("--pen", "linear", "--width", "0.7", *BLACK_ON_WHITE)
ROWS = (100, 250, 400)
WAITING = r"waiting for a display: "
NO_TOUCH = "waiting for a touch device|waiting for one"
# Where sysfs takes a driver from its device and gives it back; vkms has no device that could go.
UNBIND = {"bochs": "/sys/bus/pci/drivers/bochs-drm", "virtio-gpu": "/sys/bus/virtio/drivers/virtio_gpu"}
long = pytest.mark.long


def fault(what, error, count, marks=()):
    """In the words of guest/faults.c."""
    return pytest.param(what, error, count, marks=marks, id=f"{what}-{errno.errorcode.get(error, 'lost')}-{count}")


@pytest.fixture(
    scope="module", params=["bochs", pytest.param("virtio-gpu", marks=long), pytest.param("vkms", marks=long)])
def booted(request):
    """A guest of its own: its display comes and goes."""
    with Panel(display=request.param) as panel:
        yield panel


@pytest.fixture
def board(booted):
    booted.reset()
    return booted


def row(touch, y, end=True):
    touch.down(100, y)
    for x in range(120, 701, 20):
        touch.move(x, y)
    if end:
        touch.up()


def ready_count(ink):
    return sum(": ready: " in line for line in ink.log.splitlines())


def wait_ready(board, ink, count, within=30):
    """Until it has said so that often that a first frame is on the screen; says how long that took."""
    began = time.monotonic()
    for _ in range(within * 10):
        if ready_count(ink) >= count:
            return print(f"{board.display}: shown again after {time.monotonic() - began:.1f} s")
        board.sleep(0.1)
    raise AssertionError(f"not ready {count} times within {within} s:\n{ink.log}")


@pytest.fixture(scope="module")
def reference(booted):
    """The screen with all rows, drawn without a fault."""
    booted.reset()
    touch = booted.touchscreen(*booted.size)
    ink = booted.start_ink(*LOOK)
    for y in ROWS:
        row(touch, y)
    ink.settle()
    screen = booted.screendump()
    assert screen.different_from(PAPER, screen.near(400, ROWS[1], 8))
    assert ink.terminate() == 0
    return screen


def assert_same(board, ink, reference, besides=None):
    ink.settle()
    screen = board.screen_when(lambda picture: not differing(picture, reference, besides))
    where = differing(screen, reference, besides)
    assert not where, f"the screen is not what was drawn: {where}\n{ink.log}"


def differing(screen, reference, besides=None):
    """Some of the places that are not the same, but for those around one."""
    where = [(x, y) for y in range(0, screen.height, 3) for x in range(0, screen.width, 3)
             if screen.pixel(x, y) != reference.pixel(x, y)]
    return [(x, y) for x, y in where if besides is None or max(abs(x - besides[0]), abs(y - besides[1])) > 4][:5]


@pytest.mark.parametrize("what, error, count", [
    fault("flip", errno.EBUSY, 1), fault("flip", errno.EBUSY, 7), fault("flip", errno.EBUSY, 60),
    fault("flip", errno.EINVAL, 2), fault("flip", errno.ENOSPC, 3), fault("event", 0, 1), fault("event", 0, 2, long)])
def test_a_driver_that_refuses_or_loses_flips(board, reference, what, error, count):
    faults = Faults(board)
    touch = board.touchscreen(*board.size)
    ink = board.start_ink(*LOOK, env=faults.environment)
    row(touch, ROWS[0])
    ink.settle()
    faults.inject(what, error, count)
    for y in ROWS[1:]:
        row(touch, y)
    assert_same(board, ink, reference)
    assert ready_count(ink) == 1, f"the display was given up:\n{ink.log}"
    assert ink.terminate() == 0


def inked(screen):
    """Places in the rows, but for their ends: ink that is predicted there goes again when the pen has come."""
    return {(x, y) for y in range(0, screen.height, 3) for x in range(0, 700, 3) if max(screen.pixel(x, y)) < 128}


def test_ink_that_was_shown_never_goes_while_flips_are_refused_now_and_then(board):
    faults = Faults(board)
    touch = board.touchscreen(*board.size)
    ink = board.start_ink(*LOOK, env=faults.environment)
    chance = random.Random(7)
    shown = set()
    for y in range(60, 481, 60):
        faults.inject("flip", errno.EBUSY, chance.randint(1, 9))
        is_lifted = chance.random() < 0.5
        row(touch, y, end=is_lifted)
        now = inked(board.screendump())
        assert shown <= now, f"ink that was shown has gone: {sorted(shown - now)[:5]}\n{ink.log}"
        shown = now
        if not is_lifted:
            touch.up()
    ink.settle()
    whole = {(x, y) for y in range(60, 481, 60) for x in range(102, 697, 3)}
    last = inked(board.screen_when(lambda picture: whole <= inked(picture)))
    assert shown | whole <= last, f"not on the screen: {sorted((shown | whole) - last)[:5]}\n{ink.log}"
    assert ready_count(ink) == 1
    assert ink.terminate() == 0


@pytest.mark.parametrize("what, error, count", [
    fault("any", errno.EACCES, 4), fault("any", errno.ENOMEM, 4), fault("flip", errno.EACCES, 1, long),
    fault("flip", errno.ENODEV, 1, long), fault("any", errno.ENODEV, 3, long), fault("any", errno.EIO, 5, long)])
def test_a_driver_that_takes_the_screen_away(board, reference, what, error, count):
    faults = Faults(board)
    touch = board.touchscreen(*board.size)
    ink = board.start_ink(*LOOK, env=faults.environment)
    row(touch, ROWS[0])
    ink.settle()
    faults.inject(what, error, count)
    # On the line that is there: a stroke that is drawn while the screen goes ends there.
    dot = (400, ROWS[0])
    touch.tap(*dot)
    wait_ready(board, ink, 2)
    for y in ROWS[1:]:
        row(touch, y)
    assert_same(board, ink, reference, besides=dot)
    assert ink.terminate() == 0


def test_a_driver_that_goes_and_comes_back(board, reference):
    driver = UNBIND.get(board.display)
    if driver is None:
        # Said here instead of skipped: there is nothing to test on a driver without a device.
        assert board.display == "vkms"
        return
    names = [path.rsplit("/", 1)[-1] for path in board.glob(driver + "/*")]
    name, = (name for name in names if ":" in name or name.startswith("virtio"))
    touch = board.touchscreen(*board.size)
    ink = board.start_ink(*LOOK)
    row(touch, ROWS[0])
    row(touch, ROWS[1], end=False)  # the finger is down when the screen goes
    ink.settle()
    board.write_file(driver + "/unbind", name)
    ink.wait_line(WAITING, within=10)
    touch.up()
    row(touch, 600)  # nobody sees that, nobody means it
    board.sleep(1)
    assert ink.is_running
    board.write_file(driver + "/bind", name)
    wait_ready(board, ink, 2)
    row(touch, ROWS[2])
    assert_same(board, ink, reference)
    assert ink.terminate() == 0


def test_another_program_has_the_screen_first(board, reference):
    touch = board.touchscreen(*board.size)
    card = board.cards()[-1]["node"]
    holder = board.start("/usr/bin/python3", "-c", f"import time; f = open({card!r}); time.sleep(600)", tty=None)
    board.sleep(1)
    ink = board.start_ink(*LOOK, wait=False)
    ink.wait_line("another program", within=60)
    board.sleep(1)
    assert ink.is_running and ready_count(ink) == 0
    holder.signal(signal.SIGKILL)
    wait_ready(board, ink, 1)
    for y in ROWS:
        row(touch, y)
    assert_same(board, ink, reference)
    assert ink.terminate() == 0


def test_another_terminal_is_shown_for_a_while(board, reference):
    touch = board.touchscreen(*board.size)
    ink = board.start_ink(*LOOK)
    row(touch, ROWS[0])
    ink.settle()
    # Root may switch whatever the program thinks of it, but the kernel asks first.
    board.switch_console(2)
    ink.wait_line("another terminal is shown", within=10)
    card = board.cards()[-1]["node"]
    assert card not in ink.open_files
    row(touch, 600)
    board.switch_console(1)
    wait_ready(board, ink, 2)
    row(touch, ROWS[1])
    row(touch, ROWS[2])
    assert_same(board, ink, reference)
    assert ink.terminate() == 0
    assert board.console()["mode"] == "text"


def test_it_starts_while_another_terminal_is_shown(board, reference):
    touch = board.touchscreen(*board.size)
    board.switch_console(2)
    ink = board.start_ink(*LOOK)
    assert board.read_file("/sys/class/tty/tty0/active").strip() == "tty1", "it was not asked for"
    for y in ROWS:
        row(touch, y)
    assert_same(board, ink, reference)
    assert ink.terminate() == 0


def test_another_terminal_is_refused_where_the_configuration_says_so(board, reference):
    board.write_file("/run/no-switching.toml", "[display]\nswitching = false\n")
    touch = board.touchscreen(*board.size)
    ink = board.start_ink(*LOOK, "--config", "/run/no-switching.toml")
    for y in ROWS[:2]:
        row(touch, y)
    # Asked for and not waited for (VT_ACTIVATE without VT_WAITACTIVE): it would be for ever.
    board.run("/usr/bin/python3", "-c", "import fcntl, os; fcntl.ioctl(os.open('/dev/tty0', os.O_RDWR), 0x5606, 2)")
    board.sleep(0.5)
    row(touch, ROWS[2])
    assert_same(board, ink, reference)
    assert ready_count(ink) == 1
    assert ink.terminate() == 0


def test_the_touch_device_goes_with_a_finger_down_and_comes_back_as_another(board, reference):
    touch = board.touchscreen(*board.size)
    ink = board.start_ink(*LOOK)
    row(touch, ROWS[0])
    row(touch, ROWS[1], end=False)
    ink.settle()
    touch.unplug()
    ink.wait_line(NO_TOUCH, within=10)
    ink.settle()  # no core burnt
    keyboard = board.device({
        "name": "in the way", "id": [3, 0x1209, 4, 1], "properties": [], "codes": {1: [30]}, "axes": {}})
    again = board.touchscreen(*board.size)
    assert again.node != keyboard.node
    ink.wait_line("its touches are read", within=10)
    row(again, ROWS[2])
    assert_same(board, ink, reference)
    assert ink.terminate() == 0
    assert ink.summary()["strokes"] == 3


def test_word_of_a_device_is_lost_among_too_much(board, reference):
    touch = board.touchscreen(*board.size)
    # As the service runs: only with that capability may a socket's buffer be larger than net.core.rmem_max.
    ink = board.start(
        "/usr/bin/setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin", program.binary(), "run",
        "--page", "ink", *LOOK, kind=program.Inkpanel)
    ink.wait_line(wording.READY)
    row(touch, ROWS[0])
    touch.unplug()
    ink.wait_line(NO_TOUCH, within=10)
    board.single_touch(64, 64, name="stray")
    ink.wait_line(r"stray \(.*\): its touches are read", within=10)
    ink.stop()
    # More than the socket holds, so that what comes after it is thrown away.
    uevent = next(path for path in board.glob("/sys/class/drm/card*/uevent"))
    board.run("/usr/bin/python3", "-c", f"for _ in range(3000): open({uevent!r}, 'w').write('change')")
    again = board.touchscreen(*board.size)
    ink.resume()
    ink.wait_line(r"touchscreen \(.*\): its touches are read", within=10)
    row(again, ROWS[1])
    row(again, ROWS[2])
    assert_same(board, ink, reference)
    assert ink.terminate() == 0


def test_without_word_of_devices_they_are_looked_for(board, reference):
    faults = Faults(board)
    touch = board.touchscreen(*board.size)
    faults.inject("netlink", errno.EAFNOSUPPORT, 9)
    ink = board.start_ink(*LOOK, env=faults.environment)
    assert "looked for every five seconds" in ink.log
    row(touch, ROWS[0])
    # What it has not read when the device goes is gone with it.
    ink.settle()
    touch.unplug()
    ink.wait_line(NO_TOUCH, within=10)
    board.single_touch(64, 64, name="stray")
    ink.wait_line(r"stray \(.*\): its touches are read", within=15)
    again = board.touchscreen(*board.size)
    ink.wait_line(r"touchscreen \(.*\): its touches are read", within=15)
    row(again, ROWS[1])
    row(again, ROWS[2])
    assert_same(board, ink, reference)
    assert ink.terminate() == 0


def test_it_starts_without_a_touch_device(board, reference):
    ink = board.start_ink(*LOOK)
    assert "waiting for one" in ink.log
    touch = board.touchscreen(*board.size)
    ink.wait_line("its touches are read", within=10)
    for y in ROWS:
        row(touch, y)
    assert_same(board, ink, reference)
    assert ink.terminate() == 0


def test_it_is_stopped_so_long_that_reports_are_lost_while_the_screen_is_busy(board, reference):
    faults = Faults(board)
    touch = board.touchscreen(*board.size)
    ink = board.start_ink(*LOOK, env=faults.environment)
    row(touch, ROWS[0])
    ink.settle()
    faults.inject("flip", errno.EBUSY, 20)
    ink.stop()
    for _ in range(40):
        touch.tap(50, 700)
    ink.resume()
    for y in ROWS[1:]:
        row(touch, y)
    ink.settle()
    screen = board.screendump()
    for y in ROWS:
        assert screen.different_from(PAPER, screen.near(400, y, 8)), f"row {y} is not there\n{ink.log}"
    assert ink.terminate() == 0
