// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Ink
import PadFixtures
import Record
import Testing

@testable import Pad

@Suite("What is known of touch devices")
struct KnownDevicesTests {
    private func tested(_ device: CaptureDevice, _ noise: Double) -> CaptureDevice {
        var device = device
        device.selfTest = DigitizerTest(
            at: 1, program: "inkpanel test", offset: 0.1, largestOffset: 0.3, noise: noise, reportRate: 100,
            longestGap: 10_000, breaks: 0, drops: 0)
        return device
    }

    /// Captures a signature of some strokes.
    /// - Returns: the pen that drew it.
    private func capture(_ pad: inout PadDriver, strokes: Int = 16, accepted: Bool = true) throws -> Pen {
        let first = pad.rendered.count
        pad.capture()
        let id = try #require(pad.runningID)
        for _ in 0..<strokes { pad.sign() }
        if accepted {
            pad.press(.accept)
            pad.handle(.stored(.committed(id)))
        } else {
            pad.press(.cancel)
        }
        pad.rest()
        // The pen is for the canvas of the signing page, and for all strokes.
        let steps = pad.rendered[first...].compactMap { action -> String? in
            switch action {
            case .show(let page) where page.inkField != nil: "page"
            case .use: "pen"
            case .ink(.begin, _): "stroke"
            default: nil
            }
        }
        #expect(steps == ["page", "pen"] + [String](repeating: "stroke", count: strokes))
        for case .use(let pen, _) in pad.rendered[first...] { return pen }
        return Pen()
    }

    @Test("the pen knows what accepted signatures have shown; cancelled ones leave nothing")
    func accepted() throws {
        var pad = PadDriver()
        let plain = pad.pad.settings.pen
        #expect(try capture(&pad, accepted: false) == plain)
        #expect(try capture(&pad) == plain)
        let known = try capture(&pad, accepted: false)
        var expected = plain
        expected.panelScatter = known.panelScatter
        #expect(known == expected && known.panelScatter ?? 0 > 0)
        #expect(try capture(&pad, accepted: false) == known)
    }

    @Test("a signature of few samples shows nothing alone")
    func few() throws {
        var pad = PadDriver()
        for _ in 0..<4 { #expect(try capture(&pad, strokes: 4).panelScatter == nil) }
        #expect(try capture(&pad, strokes: 4).panelScatter != nil)
    }

    @Test("record and mirror state the pen of the display")
    func stated() throws {
        var pad = PadDriver()
        pad.pad = Pad(
            PadDriver.settings(policy: PadDriver.policy).with(mirror: .ink), screen: PadDriver.screen(PadDriver.size))
        pad.handle(.devices(["touch"], [tested(PadDriver.device, 0.07)]))
        pad.handle(.stored(.storeChanged(fault: nil)))
        let mirror = pad.call(.mirror(nil))
        for _ in 0..<2 {
            let pen = try capture(&pad)
            let looks = pad.stored.compactMap { if case .begin(let header) = $0 { header.screen.penLook } else { nil } }
            let mirrored = pad.replies[mirror]?.compactMap { reply -> Pen? in
                if case .mirrored(let change) = reply { change.capture?.pen } else { nil }
            }
            #expect(pen.panelScatter != nil && mirrored?.last == pen)
            let (color, paper) = (pad.pad.settings.color, pad.pad.settings.paper)
            #expect(looks.last == CapturePenLook(pen, color: color, paper: paper))
        }
    }

    @Test("before the first signatures of a device its self-test counts, and the steadiest device")
    func selfTest() throws {
        var pad = PadDriver()
        func scatter(_ devices: [CaptureDevice]) throws -> Double? {
            pad.handle(.devices(["touch"], devices))
            return try capture(&pad, strokes: 1, accepted: false).panelScatter
        }
        #expect(try scatter([PadDriver.device, PadDriver.pen]) == nil)
        #expect(try scatter([PadDriver.device, tested(PadDriver.pen, 0.07)]) == 0.07)
        #expect(try scatter([tested(PadDriver.device, 0.05), tested(PadDriver.pen, 0.07)]) == 0.05)
        _ = try capture(&pad)
        let learnt = try scatter([tested(PadDriver.device, 0.05)])
        let shown = try #require(learnt)
        #expect(shown != 0.05)
        #expect(try scatter([tested(PadDriver.device, 0.05), tested(PadDriver.pen, 0.07)]) == min(shown, 0.07))
    }

    @Test("a device that has measured pressure is believed from the first stroke of the next capture on")
    func pressure() throws {
        var pad = PadDriver()
        var device = PadDriver.device
        device.pressure = CaptureDevice.Axis(minimum: 0, maximum: 100, resolution: 0)
        pad.handle(.devices(["touch"], [device]))
        func recorded(_ pressures: [Int32]) throws -> [Bool] {
            let first = pad.stored.count
            pad.capture()
            let id = try #require(pad.runningID)
            for pressure in pressures {
                pad.pressure = pressure
                pad.sign()
            }
            pad.press(.accept)
            pad.handle(.stored(.committed(id)))
            pad.rest()
            return pad.stored[first...].compactMap { action in
                guard case .append(_, .stroke(let stroke)) = action else { return nil }
                return stroke.samples.allSatisfy { $0.pressure != nil }
            }
        }
        #expect(try recorded([50, 50]) == [false, false])
        #expect(try recorded([50, 60, 60]) == [false, true, true])
        #expect(try recorded([50, 50]) == [true, true])
    }

    @Test("a device with another calibration is another one, and a device that is back is known")
    func devices() throws {
        var pad = PadDriver()
        func scatter(_ device: CaptureDevice) throws -> Double? {
            pad.handle(.devices([], []))
            pad.handle(.devices(["touch"], [device]))
            return try capture(&pad, strokes: 1, accepted: false).panelScatter
        }
        _ = try capture(&pad)
        let learnt = try scatter(PadDriver.device)
        let shown = try #require(learnt)
        var other = PadDriver.device
        other.transform[4] += 1
        #expect(try scatter(other) == nil)
        #expect(try scatter(PadDriver.device) == shown)
        // As many others as are remembered.
        for number in 0..<16 as Range<UInt16> {
            other.product = 100 + number
            #expect(try scatter(other) == nil)
            _ = try capture(&pad)
            #expect(try scatter(other) != nil)
        }
        #expect(try scatter(PadDriver.device) == nil)
    }

    private func kept(_ pad: PadDriver) -> [[DeviceScatter]] {
        pad.stored.compactMap { if case .keepScatter(let devices) = $0 { devices } else { nil } }
    }

    @Test("scatter is kept when an accepted signature has shown it, and again when it changes")
    func keeping() throws {
        var pad = PadDriver()
        pad.handle(.devices(["touch"], [tested(PadDriver.device, 0.07)]))
        _ = try capture(&pad, strokes: 4)
        _ = try capture(&pad, accepted: false)
        #expect(kept(pad).isEmpty)
        for _ in 0..<8 { _ = try capture(&pad) }
        let shown = try #require(try capture(&pad).panelScatter)
        #expect(kept(pad) == [[DeviceScatter(PadDriver.device, scatter: shown)]])
        pad.zigzag = (5, 2)
        for _ in 0..<30 { _ = try capture(&pad) }
        let larger = try #require(try capture(&pad).panelScatter)
        let scatter = kept(pad).flatMap { $0.map(\.scatter) }
        #expect(larger > shown && scatter.count > 1 && scatter.count == kept(pad).count, "\(scatter), \(larger)")
        for (next, last) in zip(scatter.dropFirst(), scatter) { #expect(abs(next / last - 1) > 0.05) }
        #expect(abs(try #require(scatter.last) - larger) <= max(0.05 * larger, 0.003))
    }

    @Test("what was kept warms the first capture of the same device, until new signatures are sure")
    func remembering() throws {
        let kept = DeviceScatter(PadDriver.device, scatter: 0.081)
        func first(_ device: CaptureDevice) throws -> Double? {
            var pad = PadDriver()
            pad.handle(.devices(["touch"], [device]))
            pad.handle(.stored(.scatter([kept])))
            return try capture(&pad, strokes: 1).panelScatter
        }
        var moved = tested(PadDriver.device, 0.03)
        moved.phys = "usb-2"
        #expect(try first(moved) == 0.081)
        for change: (inout CaptureDevice) -> Void in [
            { $0.firmware = "fw=2" }, { $0.uniq = "8" }, { $0.product += 1 }, { $0.name += "2" },
            { $0.transform[4] += 1 },
        ] {
            var other = PadDriver.device
            change(&other)
            #expect(try first(other) == nil)
        }
        var pad = PadDriver()
        pad.handle(.stored(.scatter([kept])))
        // 64 reports show enough alone, but not to replace what was known.
        for _ in 0..<3 { #expect(try capture(&pad).panelScatter == 0.081) }
        #expect(self.kept(pad).isEmpty)
        for _ in 0..<3 { _ = try capture(&pad) }
        let shown = try #require(try capture(&pad).panelScatter)
        #expect(shown != 0.081 && self.kept(pad) == [[DeviceScatter(PadDriver.device, scatter: shown)]])
    }

    @Test("of kept devices the last sixteen are remembered, and a device that has drawn stays")
    func keptLimit() throws {
        let many = (0..<20 as Range<UInt16>).map { number in
            var device = PadDriver.device
            device.product = 100 + number
            return DeviceScatter(device, scatter: 0.08)
        }
        var pad = PadDriver()
        for _ in 0..<2 { _ = try capture(&pad) }
        pad.handle(.stored(.scatter(many)))
        for (number, expected) in [4: false, 5: true, 19: true] {
            pad.handle(.devices(["touch"], [many[number].device]))
            #expect(try capture(&pad, strokes: 1, accepted: false).panelScatter == (expected ? 0.08 : nil))
        }
        // The first of them draws, so that the next one leaves.
        pad.handle(.devices(["touch"], [many[5].device]))
        _ = try capture(&pad)
        var other = PadDriver.device
        other.product = 200
        pad.handle(.devices(["touch"], [other]))
        _ = try capture(&pad)
        let last = try #require(kept(pad).last)
        #expect(last.count == 16 && last.suffix(2).map(\.device) == [many[5].device, other])
        #expect(!last.contains { $0.device == many[6].device } && last.contains { $0.device == PadDriver.device })
    }
}
