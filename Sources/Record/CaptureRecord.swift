// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import HostAPI
import Ink

/// Everything that was captured. Pictures and files in other formats are made from it on demand.
public struct CaptureRecord: Equatable, Sendable {
    public var header: CaptureHeader
    /// Entries are in the order in which they happened.
    public var entries: [CaptureEntry]
    /// nil if the capture was interrupted.
    public var end: CaptureEnd?

    public init(header: CaptureHeader, entries: [CaptureEntry] = [], end: CaptureEnd? = nil) {
        self.header = header
        self.entries = entries
        self.end = end
    }

    public var isAccepted: Bool { end?.outcome == .accepted }
    public var outcome: RecordOutcome { end?.outcome ?? .interrupted }

    /// The strokes that are visible at the end, without those that were undone or cleared. With a flow, those of the
    /// first accepted signature (``sheet(named:)``).
    public var visibleStrokes: [CaptureStroke] {
        visibleEntries.compactMap { index in
            guard case .stroke(let stroke) = entries[index] else { return nil }
            return stroke
        }
    }

    /// The earliest time of a stroke's samples, in microseconds after the start; nil without strokes.
    package var earliestInk: Int64? {
        entries.compactMap { entry in
            guard case .stroke(let stroke) = entry else { return nil }
            return stroke.samples.map(\.microseconds).min()
        }.min()
    }

    /// The indices of ``visibleStrokes`` in ``entries``, in rising order.
    package var visibleEntries: [Int] { mainEntries.map { visibleEntries(in: $0) } ?? [] }

    func visibleEntries(in range: Range<Int>) -> [Int] {
        var history = History<Int>()
        for index in range {
            switch entries[index] {
            case .stroke: history.append(index)
            case .action(.undo, _): history.undo()
            case .action(.redo, _): history.redo()
            case .action(.clear, _): history.clearSheet()
            case .inAir, .flow, .spoken: break
            }
        }
        return history.visible
    }
}

/// One line of a record after its header.
public enum CaptureEntry: Equatable, Sendable {
    case stroke(CaptureStroke)
    /// Movement of a pen above the page since the previous entry; a long one is split into several entries.
    case inAir(CaptureInAir)
    /// A change by the person or the host to the strokes before. Microseconds as in samples.
    case action(Action, microseconds: Int64)
    /// An event of a capture with several pages. Microseconds as in samples.
    case flow(FlowEvent, microseconds: Int64)
    /// A text that was read aloud to its end. Microseconds as in samples.
    case spoken(String, microseconds: Int64)

    public enum Action: String, Codable, Sendable, CaseIterable {
        case undo, redo, clear
    }
}

/// One stroke of a capture: all reports of its contact, as the device sent them.
public struct CaptureStroke: Equatable, Sendable {
    public struct Sample: Equatable, Sendable {
        /// The kernel's time, microseconds after ``CaptureHeader/startedAtDeviceTime``; may repeat or run backwards.
        public var microseconds: Int64
        /// Device units.
        public var x, y: Int32
        /// Device units; nil until the device has measured a pressure (``MeasuredPressure``). Older records also have
        /// constants.
        public var pressure: Int32?

        public init(microseconds: Int64, x: Int32, y: Int32, pressure: Int32? = nil) {
            self.microseconds = microseconds
            self.x = x
            self.y = y
            self.pressure = pressure
        }
    }

    /// A point on the edge of the signing area, between a report there and one outside, which is not recorded. Ink
    /// begins or ends there.
    public struct Edge: Codable, Equatable, Sendable {
        enum CodingKeys: String, CodingKey {
            case microseconds = "t"
            case x, y, pressure
        }

        /// The time, as in ``Sample``.
        public var microseconds: Int64
        /// Pixels of the screen.
        public var x, y: Double
        /// 0...1; nil without a measured pressure.
        public var pressure: Double?

        public init(microseconds: Int64, x: Double, y: Double, pressure: Double? = nil) {
            self.microseconds = microseconds
            self.x = x
            self.y = y
            self.pressure = pressure
        }
    }

    /// The name of the pen that the screen showed it with. It says nothing about what was measured.
    public var pen: String
    /// The index in ``CaptureHeader/devices`` of the device that drew it.
    public var device: Int
    public var samples: [Sample]
    public var tool: CaptureTool
    /// The edges where the contact entered and left the signing area; nil if it did not, as in older records.
    public var enters, leaves: Edge?
    /// The drawn place of each sample, in the screen's pixels; nil if that is where ``CaptureHeader/map(of:)`` has it,
    /// as without noise filters. Older records do not have it.
    public var places: [Point]?

    public init(
        pen: String, device: Int = 0, samples: [Sample], tool: CaptureTool = CaptureTool(), enters: Edge? = nil,
        leaves: Edge? = nil, places: [Point]? = nil
    ) {
        self.pen = pen
        self.device = device
        self.samples = samples
        self.tool = tool
        self.enters = enters
        self.leaves = leaves
        self.places = places
    }

    /// Removes pressures that are not measured.
    public mutating func removePressure() {
        for index in samples.indices { samples[index].pressure = nil }
        enters?.pressure = nil
        leaves?.pressure = nil
    }
}

/// Movement of a pen near the screen without touching it: all reports of its position, as the device sent them. No ink.
public struct CaptureInAir: Equatable, Sendable {
    public struct Sample: Equatable, Sendable {
        /// See ``CaptureStroke/Sample/microseconds``.
        public var microseconds: Int64
        /// Device units.
        public var x, y: Int32
        /// Device units; nil if the device does not report it.
        public var distance: Int32?

        public init(microseconds: Int64, x: Int32, y: Int32, distance: Int32? = nil) {
            self.microseconds = microseconds
            self.x = x
            self.y = y
            self.distance = distance
        }
    }

    /// The index in ``CaptureHeader/devices``.
    public var device: Int
    public var samples: [Sample]
    public var tool: CaptureTool

    public init(device: Int = 0, samples: [Sample], tool: CaptureTool = CaptureTool()) {
        self.device = device
        self.samples = samples
        self.tool = tool
    }
}

/// The tool that drew or hovered, as the device reported it. Older records have none of it.
public struct CaptureTool: Codable, Equatable, Sendable {
    /// `pen`, `brush`, `pencil`, `airbrush` or `finger`, as the kernel names tools; later programs may write others.
    /// nil if the device did not tell.
    public var tool: String?
    /// The pen's own number; nil if the device did not tell it.
    public var serial: UInt32?

    public init(_ tool: String? = nil, serial: UInt32? = nil) {
        self.tool = tool
        self.serial = serial
    }
}

/// The last line of a record. A record without it was interrupted.
public struct CaptureEnd: Codable, Equatable, Sendable {
    /// Not ``RecordOutcome/interrupted``.
    public var outcome: RecordOutcome
    /// Wall clock, microseconds since 1970-01-01 UTC.
    public var endedAt: Int64
    public var quality: CaptureQuality
    /// nil in older records.
    public var shown: ShownPage?
    /// The parts of the document that each person read, in the order of people; nil without a document.
    public var reading: [ReadingResult]?
    /// nil without a document, and in older records.
    public var check: DocumentCheck?

    public init(
        outcome: RecordOutcome, endedAt: Int64, quality: CaptureQuality, shown: ShownPage? = nil,
        reading: [ReadingResult]? = nil, check: DocumentCheck? = nil
    ) {
        self.reading = reading
        self.check = check
        self.outcome = outcome
        self.endedAt = endedAt
        self.quality = quality
        self.shown = shown
    }
}
