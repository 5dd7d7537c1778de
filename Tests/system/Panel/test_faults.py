# SPDX-License-Identifier: Apache-2.0
"""After a fault of display or touch device, the final screen is the same as without the fault.

`make test` uses one driver, `make test-long` all of them.
"""

import errno
import random
import signal
import time

import pytest
from harness import Panel, program, wording
from harness.faults import Faults
from harness.look import BLACK_ON_WHITE, PAPER
from support.breadth import long

LOOK = ("--pen", "linear", "--width", "0.7", *BLACK_ON_WHITE)
ROWS = (100, 250, 400)
WAITING = r"waiting for a display: "
NO_TOUCH = "waiting for a touch device|waiting for one"
# Folders in sysfs to unbind a driver and bind it again; vkms has no device to unbind.
UNBIND = {"bochs": "/sys/bus/pci/drivers/bochs-drm", "virtio-gpu": "/sys/bus/virtio/drivers/virtio_gpu"}


def fault(what, error, count, marks=()):
    """A parameter set; `what` is a word of guest/faults.c."""
    return pytest.param(what, error, count, marks=marks, id=f"{what}-{errno.errorcode.get(error, 'lost')}-{count}")


@pytest.fixture(
    scope="module", params=["bochs", pytest.param("virtio-gpu", marks=long), pytest.param("vkms", marks=long)])
def booted(request):
    """A separate guest, because its display comes and goes."""
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
    """Waits until the log has `count` lines "ready"; prints how long that took."""
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
    """The first places with different pixels, ignoring those around `besides`."""
    where = [(x, y) for y in range(0, screen.height, 3) for x in range(0, screen.width, 3)
             if screen.pixel(x, y) != reference.pixel(x, y)]
    return [(x, y) for x, y in where if besides is None or max(abs(x - besides[0]), abs(y - besides[1])) > 4][:5]


@pytest.mark.parametrize("what, error, count", [
    fault("flip", errno.EBUSY, 1, long), fault("flip", errno.EBUSY, 7), fault("flip", errno.EBUSY, 60, long),
    fault("flip", errno.EINVAL, 2, long), fault("flip", errno.ENOSPC, 3, long), fault("event", 0, 1),
    fault("event", 0, 2, long)])
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
    """Inked places in the rows, without their ends, where predicted ink is replaced."""
    return {(x, y) for y in range(0, screen.height, 3) for x in range(0, 700, 3) if max(screen.pixel(x, y)) < 128}


@long
def test_shown_ink_stays_while_flips_are_refused_at_random(board):
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
    fault("any", errno.EACCES, 4), fault("any", errno.ENOMEM, 4, long), fault("flip", errno.EACCES, 1, long),
    fault("flip", errno.ENODEV, 1, long), fault("any", errno.ENODEV, 3, long), fault("any", errno.EIO, 5, long)])
def test_a_driver_that_takes_the_screen_away(board, reference, what, error, count):
    faults = Faults(board)
    touch = board.touchscreen(*board.size)
    ink = board.start_ink(*LOOK, env=faults.environment)
    row(touch, ROWS[0])
    ink.settle()
    faults.inject(what, error, count)
    # On the first row, because a stroke ends when the display is lost.
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
        # Returns instead of skipping: there is nothing to test on a driver without a device.
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
    row(touch, 600)  # ignored without a display
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
    # Root may always switch, but the kernel asks the program first.
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


@long
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
    # VT_ACTIVATE without VT_WAITACTIVE, which would wait forever.
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
    ink.settle()  # it does not spin
    keyboard = board.device({
        "name": "in the way", "id": [3, 0x1209, 4, 1], "properties": [], "codes": {1: [30]}, "axes": {}})
    again = board.touchscreen(*board.size)
    assert again.node != keyboard.node
    ink.wait_line("now in use", within=10)
    row(again, ROWS[2])
    assert_same(board, ink, reference)
    assert ink.terminate() == 0
    assert ink.summary()["strokes"] == 3


@long
def test_a_device_is_found_though_its_udev_event_was_lost(board, reference):
    touch = board.touchscreen(*board.size)
    # Like the service, without the capability that allows buffers larger than net.core.rmem_max.
    ink = board.start(
        "/usr/bin/setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin", program.binary(), "run",
        "--page", "ink", *LOOK, kind=program.Inkpanel)
    ink.wait_line(wording.READY)
    row(touch, ROWS[0])
    touch.unplug()
    ink.wait_line(NO_TOUCH, within=10)
    board.single_touch(64, 64, name="stray")
    ink.wait_line(r"stray \(.*\): now in use", within=10)
    ink.stop()
    # More than the socket holds, so that later events are lost.
    uevent = next(path for path in board.glob("/sys/class/drm/card*/uevent"))
    board.run("/usr/bin/python3", "-c", f"for _ in range(3000): open({uevent!r}, 'w').write('change')")
    again = board.touchscreen(*board.size)
    ink.resume()
    ink.wait_line(r"touchscreen \(.*\): now in use", within=10)
    row(again, ROWS[1])
    row(again, ROWS[2])
    assert_same(board, ink, reference)
    assert ink.terminate() == 0


def test_without_udev_events_devices_are_polled(board, reference):
    faults = Faults(board)
    touch = board.touchscreen(*board.size)
    faults.inject("netlink", errno.EAFNOSUPPORT, 9)
    ink = board.start_ink(*LOOK, env=faults.environment)
    assert "looking for devices every five seconds" in ink.log
    row(touch, ROWS[0])
    # The kernel discards unread reports with the device.
    ink.settle()
    touch.unplug()
    ink.wait_line(NO_TOUCH, within=10)
    board.single_touch(64, 64, name="stray")
    ink.wait_line(r"stray \(.*\): now in use", within=15)
    again = board.touchscreen(*board.size)
    ink.wait_line(r"touchscreen \(.*\): now in use", within=15)
    row(again, ROWS[1])
    row(again, ROWS[2])
    assert_same(board, ink, reference)
    assert ink.terminate() == 0


@long
def test_it_starts_without_a_touch_device(board, reference):
    ink = board.start_ink(*LOOK)
    assert "waiting for one" in ink.log
    touch = board.touchscreen(*board.size)
    ink.wait_line("now in use", within=10)
    for y in ROWS:
        row(touch, y)
    assert_same(board, ink, reference)
    assert ink.terminate() == 0


@long
def test_reports_are_lost_while_the_program_is_stopped_and_flips_are_refused(board, reference):
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
