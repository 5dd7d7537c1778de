// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Ink
import Record
import Touch

struct FinishedStroke {
    let measure: InkMeasure
    /// The index in the header.
    let device: Int
    /// The samples that the display got.
    let drawn: [Sample]
}

/// The stroke that is being drawn.
struct OpenStroke {
    private(set) var measure: InkMeasure
    /// The samples that the display got.
    private(set) var drawn: [Sample] = []
    /// The reports of the device, without points between two reports.
    private(set) var samples: [CaptureStroke.Sample] = []
    private(set) var enters, leaves: CaptureStroke.Edge?
    /// The index of the device.
    private(set) var device = 0
    /// The tool last reported: a device may recognize a tool, or read its number, only after some reports.
    private(set) var tool = CaptureTool()
    private let start: Timestamp

    init(first sample: Sample, _ reading: DeviceReading?, start: Timestamp) {
        measure = InkMeasure()
        self.start = start
        measure.begin(sample, isReport: reading != nil)
        record(sample, reading)
    }

    /// - Parameter reading: nil for a point between two reports.
    mutating func add(_ sample: Sample, _ reading: DeviceReading?) {
        measure.add(sample, isReport: reading != nil)
        record(sample, reading)
    }

    /// The places of the samples after noise filters; nil if these have moved no sample.
    func places(on header: CaptureHeader) -> [Point]? {
        let places = drawn.dropFirst(enters == nil ? 0 : 1).prefix(samples.count).map(\.position)
        let map = header.map(of: device)
        let isMoved = zip(places, samples).contains { $0 != map?.position(x: $1.x, y: $1.y) }
        return isMoved ? places : nil
    }

    private mutating func record(_ sample: Sample, _ reading: DeviceReading?) {
        drawn.append(sample)
        guard let reading else {
            let edge = CaptureStroke.Edge(
                microseconds: (sample.time - start).microseconds, x: sample.position.x, y: sample.position.y,
                pressure: sample.pressure)
            if samples.isEmpty { enters = edge } else { leaves = edge }
            return
        }
        // A contact belongs to one device.
        device = reading.device
        tool.learn(reading.tool)
        samples.append(
            CaptureStroke.Sample(
                microseconds: (sample.time - start).microseconds, x: reading.x, y: reading.y, pressure: reading.pressure
            ))
    }
}

/// The movements of hovering pens that are not in the record yet.
struct InAirTrail {
    /// Samples of one entry: ten seconds at 200 reports/s. A power cut may lose as many.
    private static let entryLimit = 2000

    private let start: Timestamp
    private var open: CaptureInAir?
    private var count = 0

    init(start: Timestamp) { self.start = start }

    /// - Returns: an entry to record first: the open one is full, or belongs to another pen.
    mutating func add(_ hover: PenHover, device: Int, at time: Timestamp) -> CaptureEntry? {
        guard count < CaptureLimits.inAirSampleCount else { return nil }
        count += 1
        let isFull =
            open.map {
                $0.device != device || $0.tool.isOther(than: hover.tool) || $0.samples.count >= Self.entryLimit
            } ?? false
        let entry = isFull ? removeEntry() : nil
        if open == nil { open = CaptureInAir(device: device, samples: []) }
        open?.tool.learn(hover.tool)
        open?.samples.append(
            CaptureInAir.Sample(
                microseconds: (time - start).microseconds, x: hover.x, y: hover.y, distance: hover.distance))
        return entry
    }

    mutating func removeEntry() -> CaptureEntry? {
        defer { open = nil }
        return open.map { .inAir($0) }
    }
}

extension CaptureTool {
    mutating func learn(_ identity: ToolIdentity) {
        if let kind = identity.kind { tool = kind.rawValue }
        if let number = identity.serial { serial = number }
    }

    /// Whether the device has reported two tools.
    func isOther(than identity: ToolIdentity) -> Bool {
        if let tool, let kind = identity.kind, tool != kind.rawValue { return true }
        if let serial, let number = identity.serial, serial != number { return true }
        return false
    }
}
