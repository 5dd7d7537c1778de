// SPDX-License-Identifier: Apache-2.0
import HostAPI
public import Record
import TestSupport

extension CaptureRecord {
    /// A pad of 100 x 60 mm with 10 pixels and 100 device units a millimetre, a signing area of 80 x 30 mm, and no
    /// strokes.
    /// - Parameter pen: a second device, such as ``pen(pressure:)``.
    public static func pad(
        pressure: CaptureDevice.Axis? = nil, pen: CaptureDevice? = nil, entries: [CaptureEntry] = []
    ) -> CaptureRecord {
        let axis = CaptureDevice.Axis(minimum: 0, maximum: 10_000, resolution: 100)
        let device = CaptureDevice(
            name: "Test \"Pad\" <1> & Co", bus: 3, vendor: 1, product: 2, version: 1, x: axis,
            y: .init(minimum: 0, maximum: 6000, resolution: 100), pressure: pressure,
            transform: [0.1, 0, 0, 0.1, 0, 0])
        let screen = CaptureScreen(
            width: 1000, height: 600, pixelsPerMillimetre: 10, signingArea: [100, 200, 800, 300])
        let header = CaptureHeader(
            id: "20261121-1", startedAt: 1_795_216_476_123_456, startedAtDeviceTime: 5_000_000,
            program: "inkpanel 1", devices: [device] + (pen.map { [$0] } ?? []),
            screen: screen,
            request: CaptureRequest(
                prompt: ["Bitte unterschreiben", "وقّع هنا"], signer: "Anna <O'Neil> & \u{1}Söhne", reason: "Lieferung",
                document: .init(reference: "LS-17", sha256: String(repeating: "ab", count: 32))))
        return CaptureRecord(
            header: header, entries: entries,
            end: CaptureEnd(outcome: .accepted, endedAt: 1, quality: CaptureQuality(reportRate: 125)))
    }

    /// A second device for ``pad(pressure:pen:entries:)``: x in millimetres is x / 200 + 1, y is y / 200 - 1.
    public static func pen(pressure: CaptureDevice.Axis?) -> CaptureDevice {
        CaptureDevice(
            name: "Test Pen", bus: 3, vendor: 1, product: 3, version: 1,
            x: .init(minimum: 0, maximum: 20_000, resolution: 200),
            y: .init(minimum: 0, maximum: 12_000, resolution: 200), pressure: pressure,
            distance: .init(minimum: 0, maximum: 63, resolution: 0), transform: [0.05, 0, 0, 0.05, 10, -10])
    }

    /// The position of a sample on the screen, calculated independently of the product.
    public func millimetres(_ sample: CaptureStroke.Sample, _ device: Int) -> (x: Double, y: Double) {
        device == 0
            ? (Double(sample.x) / 100, Double(sample.y) / 100)
            : (Double(sample.x) / 200 + 1, Double(sample.y) / 200 - 1)
    }

    /// A pad with up to five random strokes within the signing area, some of them undone. With every second seed a
    /// pen draws, too; unlike the panel, it measures pressure and hovers.
    public static func random(seed: UInt64) -> CaptureRecord {
        var random = SeededGenerator(seed: seed)
        let axis = CaptureDevice.Axis(minimum: 0, maximum: 1023, resolution: 0)
        let hasPen = seed % 2 == 1
        let hasPressure = !hasPen && Bool.random(using: &random)
        var entries: [CaptureEntry] = []
        var time: Int64 = .random(in: 0...2_000_000, using: &random)
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            var (x, y) = (Int32.random(in: 2000...8000, using: &random), Int32.random(in: 2500...4500, using: &random))
            let isPen = hasPen && Bool.random(using: &random)
            var samples: [CaptureStroke.Sample] = []
            for _ in 0..<Int.random(in: 1...120, using: &random) {
                let pressure = hasPressure || isPen ? Int32.random(in: 0...1023, using: &random) : nil
                samples.append(
                    .init(
                        microseconds: time, x: isPen ? 2 * x - 200 : x, y: isPen ? 2 * y + 200 : y,
                        pressure: pressure))
                x = min(max(x + .random(in: -150...150, using: &random), 1000), 9000)
                y = min(max(y + .random(in: -150...150, using: &random), 2000), 5000)
                time += .random(in: 0...12_000, using: &random)
            }
            entries.append(.stroke(CaptureStroke(pen: "ink", device: isPen ? 1 : 0, samples: samples)))
            if isPen {
                entries.append(
                    .inAir(
                        CaptureInAir(
                            device: 1,
                            samples: (1...Int64.random(in: 1...20, using: &random)).map { step in
                                let (x, y) = (2 * x - 200 + Int32(step), 2 * y + 200 - Int32(3 * step))
                                return .init(microseconds: time + 500 * step, x: x, y: y, distance: Int32(step))
                            })))
            }
            if Int.random(in: 0..<6, using: &random) == 0 { entries.append(.action(.undo, microseconds: time)) }
            time += .random(in: 0...800_000, using: &random)
        }
        return pad(pressure: hasPressure ? axis : nil, pen: hasPen ? pen(pressure: axis) : nil, entries: entries)
    }
}

extension CaptureEntry {
    /// A hover entry with samples (microseconds, x, y, distance).
    public static func inAir(_ samples: [(Int64, Int32, Int32, Int32?)], device: Int = 0) -> CaptureEntry {
        .inAir(
            CaptureInAir(
                device: device, samples: samples.map { .init(microseconds: $0.0, x: $0.1, y: $0.2, distance: $0.3) }))
    }

    /// A stroke with samples (microseconds, x, y, pressure).
    public static func stroke(
        _ samples: [(Int64, Int32, Int32, Int32?)], pen: String = "ink", device: Int = 0
    ) -> CaptureEntry {
        .stroke(
            CaptureStroke(
                pen: pen, device: device,
                samples: samples.map { .init(microseconds: $0.0, x: $0.1, y: $0.2, pressure: $0.3) }))
    }
}
