// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Geometry
import TestSupport
import Testing

@testable import Screen

@Suite("Display modes and card events")
struct DisplayModeTests {
    private let small = DisplayMode(width: 640, height: 480, hertz: 60)
    private let large = DisplayMode(width: 1920, height: 1080, hertz: 60)
    private let preferred = DisplayMode(width: 800, height: 480, hertz: 60, type: 1 << 3)
    private let user = DisplayMode(width: 1024, height: 768, hertz: 60, type: 1 << 5)

    @Test("the best mode is the command line's, else the preferred, else the largest, in any order")
    func best() {
        #expect(DisplayMode.best(of: [small, large, preferred, user]) == user)
        #expect(DisplayMode.best(of: [small, large, preferred]) == preferred)
        #expect(DisplayMode.best(of: [small, large]) == large)
        #expect(DisplayMode.best(of: []) == nil)
        #expect(DisplayMode.best(of: [DisplayMode(width: 0, height: 0, hertz: 60, type: 1 << 3)]) == nil)
    }

    private func mode(_ width: UInt16, _ height: UInt16, _ hertz: UInt32, flags: UInt32 = 0, type: UInt32 = 0)
        -> DisplayMode
    {
        var mode = DisplayMode(width: width, height: height, hertz: hertz, type: type)
        mode.kernelValue.flags = flags
        return mode
    }

    @Test("an interlaced or double-scanned mode is used last, unless the command line requests it")
    func plainModes() {
        let (interlaced, doubled): (UInt32, UInt32) = (1 << 4, 1 << 5)
        for flags in [interlaced, doubled] {
            let (slow, less) = (mode(1920, 1080, 30), mode(1280, 720, 60))
            let bad = mode(1920, 1080, 60, flags: flags)
            #expect(DisplayMode.best(of: [bad, slow, less]) == slow)
            #expect(DisplayMode.best(of: [bad, less]) == less)
            #expect(DisplayMode.best(of: [bad, mode(1280, 720, 60, type: 1 << 3), slow]) == less.with(type: 1 << 3))
            // The native size without its fault.
            let preferred = mode(1920, 1080, 60, flags: flags, type: 1 << 3)
            #expect(DisplayMode.best(of: [preferred, mode(2560, 1440, 30), less, slow]) == slow)
            #expect(DisplayMode.best(of: [preferred, less]) == less)
            #expect(DisplayMode.best(of: [mode(800, 600, 60, flags: flags), bad]) == bad)
            #expect(DisplayMode.best(of: [bad, preferred]) == preferred)
            let requested = mode(720, 576, 50, flags: flags, type: 1 << 5)
            #expect(DisplayMode.best(of: [less, requested]) == requested)
        }
    }

    @Test("the text of a mode says that it is interlaced or double-scanned")
    func names() {
        #expect(mode(1920, 1080, 60).description.hasSuffix(" Hz"))
        #expect(mode(1920, 1080, 60, flags: 1 << 4).description.hasSuffix(" Hz, interlaced"))
        #expect(mode(320, 240, 60, flags: 1 << 5).description.hasSuffix(" Hz, doublescan"))
        let report = CardReport(
            path: "/dev/dri/card0", isMaster: true,
            connectors: [
                ConnectorReport(
                    name: "HDMI-A-1", modes: [mode(1920, 1080, 60, flags: 1 << 4, type: 1 << 3), mode(1920, 1080, 60)],
                    bestMode: mode(1920, 1080, 60), verdict: .chosen)
            ])
        let lines = DisplayInventory(cards: [report]).description.split(separator: "\n")
        #expect(lines.contains { $0.hasSuffix("Hz, interlaced (preferred)") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("      1920x1080") && $0.hasSuffix("Hz") }, "\(lines)")
    }

    @Test("the refresh interval follows from the timing, or from 60 Hz without one")
    func interval() {
        var mode = DisplayMode(width: 1920, height: 1080, hertz: 60)
        mode.kernelValue.clock = 148_500
        (mode.kernelValue.htotal, mode.kernelValue.vtotal) = (2200, 1125)
        #expect(mode.refreshInterval == .nanoseconds(16_666_666))
        #expect(mode.description == "1920x1080 at 60.00 Hz")
        mode.kernelValue.vdisplay = 1080
        #expect(mode.blanking.microseconds == 666)
        mode.kernelValue.flags = 1 << 4
        #expect(mode.refreshInterval == .nanoseconds(8_333_333))
        mode.kernelValue.clock = 0
        mode.kernelValue.vrefresh = 0
        #expect(mode.refreshInterval == .nanoseconds(16_666_666))
        mode.kernelValue.vtotal = 0
        #expect(mode.blanking == .zero, "virtual drivers report no timing")
        mode.kernelValue.clock = .max
        #expect(mode.refreshInterval == .nanoseconds(16_666_666))
    }

    @Test("parses several completions in one read, other events between them, and garbage at the end")
    func events() {
        func event(_ type: UInt32, _ length: UInt32, serial: UInt64) -> [UInt8] {
            var bytes: [UInt8] = []
            func add(_ value: UInt64, _ count: Int) {
                for shift in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (shift * 8))) }
            }
            add(UInt64(type), 4)
            add(UInt64(length), 4)
            add(serial, 8)
            add(12, 4)
            add(345_678, 4)
            add(99, 4)
            add(30, 4)
            return bytes
        }
        let bytes = event(2, 32, serial: 1) + event(1, 32, serial: 2) + event(2, 32, serial: 3) + event(2, 0, serial: 4)
        let events = bytes.withUnsafeBytes { CardEvent.parse($0) }
        #expect(events.map(\.serial) == [1, 3])
        #expect(events[0] == CardEvent(crtc: 30, serial: 1, time: 12_345_678))
        for count in 0..<bytes.count { _ = bytes[..<count].withUnsafeBytes { CardEvent.parse($0) } }
    }
}

extension DisplayMode {
    fileprivate func with(type: UInt32) -> DisplayMode {
        var mode = self
        mode.kernelValue.type = type
        return mode
    }
}
