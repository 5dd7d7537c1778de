# SPDX-License-Identifier: Apache-2.0
"""A real USB headset, as QEMU emulates it: it is plugged in, heard, and pulled out, while somebody is to sign."""

import array
import signal
import time

import pytest
from conftest import PAD_SCREENS
from harness import Pad, Panel, wording

# A sixtieth of the full scale: speech is louder, and what an idle card plays is not.
LEAST = 500


class Headset:
    """The only place of the guest's sound is a WAV file of QEMU's."""

    def __init__(self, folder):
        self.path = folder / "heard.wav"
        self.arguments = ["-device", "qemu-xhci,id=usb", "-audiodev", f"wav,id=sound,path={self.path}"]
        self.machine = None

    def plug(self):
        self.machine.control("device_add", driver="usb-audio", id="headset", audiodev="sound")

    def pull(self):
        self.machine.control("device_del", id="headset")

    def loud(self) -> int:
        """The number of samples so far that somebody hears."""
        if not self.path.exists():
            return 0
        heard = self.path.read_bytes()[44:]
        samples = array.array("h", heard[:len(heard) // 2 * 2])
        return sum(abs(sample) > LEAST for sample in samples)

    def wait_loud(self, more_than: int = 0, within: float = 60) -> int:
        end = time.monotonic() + within
        while (loud := self.loud()) <= more_than:
            assert time.monotonic() < end, "nothing is heard"
            time.sleep(0.2)
        return loud


@pytest.fixture(scope="session")
def booted_headset(tmp_path_factory):
    headset = Headset(tmp_path_factory.mktemp("headset"))
    with Panel(display="bochs", size=(800, 480), more_devices=headset.arguments) as panel:
        panel.load("xhci-pci")
        panel.load("snd-usb-audio")
        headset.machine = panel.machine
        yield panel, headset


def test_a_headset_that_is_plugged_in_reads_the_page_and_one_that_is_pulled_out_is_missed(booted_headset):
    panel, headset = booted_headset
    panel.reset()
    # QEMU's card calls itself a loudspeaker.
    pad = Pad(panel, PAD_SCREENS["800x480"], '[speech]\noutput = "usb"')
    # What is there in the first seconds counts as having been there.
    panel.sleep(11)
    host = pad.ask("--prompt", "12 parcels")
    host.wait_line(wording.ASKED)
    pad.settled()
    panel.sleep(2)
    assert headset.loud() == 0

    headset.plug()
    headset.wait_loud(more_than=2000)
    # A touch silences at once: what is in the card's buffer is heard, a fifth of a second.
    pad.finger.tap(5, 5)
    panel.sleep(1)
    before = headset.loud()
    panel.sleep(2)
    assert headset.loud() == before
    # A finger that rests reads what is under it, and draws nothing.
    x, y = pad.place_to_sign.centre
    pad.finger.down(round(x), round(y))
    panel.sleep(1)
    pad.finger.up()
    headset.wait_loud(more_than=before + 2000)

    headset.pull()
    host.wait_line("not read aloud: the headset was pulled out")
    host.signal(signal.SIGINT)
    host.wait()
