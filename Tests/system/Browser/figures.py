#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the virtual panel in the browser, for `make browser-figures`: from the pointer's event to pixels, frames a
second, and the memory of the gateway. The pointer moves 125 times a second, for ten seconds."""

import asyncio
import math
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from conftest import Stack, Tab
from playwright.sync_api import sync_playwright
from test_signing import Signature

SECONDS = 10
RATE = 125

def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def memory(process) -> float:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def main():
    folder = Path(tempfile.mkdtemp())
    stack = Stack(folder)
    try:
        stack.start_panel()
        stack.start_gateway()
        start = memory(stack.gateway)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
            tab = Tab(browser.new_context(viewport={"width": 1440, "height": 900}), stack.url)
            tab.wait_for_link()
            measure(stack, tab, start)
            browser.close()
    finally:
        stack.stop()
        shutil.rmtree(folder)


def measure(stack, tab, start):
    signature = Signature(stack)
    tab.page.wait_for_timeout(500)
    tab.page.evaluate("""() => {
        const { meter } = document.getElementById("pad");
        meter.latencies = { drawn: [], shown: [] };
        meter.frames = [];
    }""")
    x, y = tab.place(0.5, 0.45)
    send = tab.cdp._impl_obj.send

    def event(kind: str, angle: float) -> dict:
        return {"type": kind, "x": x + 300 * math.cos(angle), "y": y + 100 * math.sin(2 * angle), "button": "left",
                "buttons": 1, "pointerType": "pen", "force": 0.5, "clickCount": 1}

    async def draw():
        sent = []
        begin = time.monotonic()
        for index in range(SECONDS * RATE):
            await asyncio.sleep(max(0, begin + index / RATE - time.monotonic()))
            kind = "mouseMoved" if index else "mousePressed"
            sent.append(asyncio.ensure_future(send("Input.dispatchMouseEvent", event(kind, index / 40), timeout=None)))
        await asyncio.gather(*sent)

    tab.cdp._sync(draw())
    meter = tab.page.evaluate("""() => {
        const { meter } = document.getElementById("pad");
        return { ...meter.latencies, frames: meter.frames };
    }""")
    tab.cdp.send("Input.dispatchMouseEvent", event("mouseReleased", SECONDS * RATE / 40))
    frames = meter["frames"]
    size = tab.page.evaluate("() => [document.getElementById('pad').width, document.getElementById('pad').height]")
    print(f"panel {size[0]}x{size[1]}, pointer at {RATE} Hz for {SECONDS} s, {len(meter['drawn'])} positions with ink")
    for name, text in (("drawn", "pointer event to pixels on the canvas"), ("shown", "and to the browser's next picture")):
        values = meter[name]
        print(f"{text}: p50 {statistics.median(values):.1f} ms, p95 {percentile(values, 0.95):.1f} ms")
    print(f"frames while drawing: {(len(frames) - 1) / (frames[-1] - frames[0]) * 1000:.0f} a second")
    print(f"memory of the gateway: {start:.1f} MiB at start, {memory(stack.gateway):.1f} MiB after")
    with stack.service() as service:
        service.Cancel()
    signature.thread.join(10)


if __name__ == "__main__":
    main()
