// SPDX-License-Identifier: Apache-2.0
import Canvas
import Control
import Geometry
import Glibc
import Ink
import Linux
import Raster
import TestSupport
import Testing
import Touch
import Virtual
import VirtualFixtures

@testable import Panel

/// A virtual touch device that ends the session when the client leaves.
private final class LeavingTouch: TouchInput {
    private let touch: VirtualTouch

    init(_ touch: VirtualTouch) { self.touch = touch }

    var name: String { touch.name }
    var path: String? { nil }
    var description: DeviceDescription { touch.description }
    var descriptor: CInt { touch.descriptor }
    var dropCount: Int { 0 }

    func start() throws(Errno) {}

    func read() throws(TouchError) -> TouchReading {
        var reading = try touch.read()
        reading.isFinished = reading.isInterrupted
        return reading
    }
}

@Suite("A virtual panel")
struct VirtualPanelTests {
    private static let size = PixelSize(width: 480, height: 300)
    /// A time of the client after those of all samples, by less than the longest way of a message. The panel learns it
    /// first, so that the offset of the clocks does not change.
    private static let firstTime: Int64 = 970_000

    /// Loops, as a pen writes them.
    private static func signature(_ kind: PointerSample.Kind, measures: Bool) -> [PointerSample] {
        let points = 120
        return (0...points).map { index in
            let way = Double(index) / Double(points)
            let (x, y) = (0.15 + 0.65 * way, 0.5 + 0.22 * sin(way * 30))
            let phase: PointerSample.Phase = index == 0 ? .down : index == points ? .up : .move
            return PointerSample(
                microseconds: Int64(index) * 8000, contact: 77, kind: kind, phase: phase, x: UInt16(x * 65536),
                y: UInt16(y * 65536), pressure: measures ? UInt16(20000 + index * 300) : nil)
        }
    }

    /// The picture that a canvas makes of the samples.
    private func drawn(_ samples: [PointerSample], on device: DeviceDescription, _ look: Look) throws -> [UInt32] {
        let mapping = try #require(PanelMapping(device, panel: Self.size))
        var canvas = Canvas(size: Self.size, pen: look.pen, color: look.color, background: look.background)
        for (index, sample) in samples.dropLast().enumerated() {
            let pressure = sample.pressure.map { Int32($0) }
            let reading = DeviceReading(x: Int32(sample.x), y: Int32(sample.y), pressure: pressure)
            let place = mapping.sample(reading, at: Timestamp(microseconds: sample.microseconds))
            canvas.apply(index == 0 ? .begin(place) : .move(place))
        }
        canvas.apply(.end)
        return words(of: canvas.dryPixels)
    }

    @Test(
        "shows its client what a canvas draws of the client's samples",
        arguments: [(PointerSample.Kind.mouse, false), (.touch, false), (.pen, false), (.pen, true)])
    func signature(kind: PointerSample.Kind, measures: Bool) throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/virtual.sock"
        let socket = try ControlSocket.listen(path: path, group: nil)
        let display = try VirtualDisplay(
            size: Self.size, density: .standard,
            listener: .init(descriptor: socket.number) { () throws(Errno) in
                try socket.accept(by: AccessRule(group: nil), Log(threshold: .error))
            }, log: Log(threshold: .error))
        defer { display.close() }
        let samples = Self.signature(kind, measures: measures)
        var session = PanelSession(look: Look(), log: Log(threshold: .error))
        session.keepsStrokes = true
        session.endsWithRecording = true
        let touch = try #require(display.touches.first { $0.kind == kind })
        let expected = try drawn(samples, on: touch.description, session.look)
        nonisolated(unsafe) var isSame = false
        let client = try Linux.Thread(name: "client") {
            guard let client = try? TestClient(path: path) else { return }
            do {
                try client.readFrame()
                try client.acknowledge(microseconds: Self.firstTime)
                for start in stride(from: 0, to: samples.count, by: 7) {
                    try client.send(.samples(Array(samples[start..<min(start + 7, samples.count)])))
                }
                // The panel learns the clock of each answer.
                while client.pixels != expected {
                    try client.readFrame()
                    try client.acknowledge(microseconds: Self.firstTime)
                }
                isSame = true
            } catch {}
        }
        let outcome = try session.run(display.touches.map { LeavingTouch($0) }, display, until: [])
        client.join()
        #expect(isSame)
        let stroke = try #require(outcome.rendering.strokes.first)
        #expect(outcome.rendering.strokes.count == 1 && outcome.rendering.sampleCount == samples.count - 1)
        let (first, last) = (try #require(stroke.centerline.first), try #require(stroke.centerline.last))
        #expect(last.time - first.time == .milliseconds(119 * 8))
    }
}
