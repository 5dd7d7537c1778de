// SPDX-License-Identifier: Apache-2.0
import Geometry
public import Raster
public import Record

/// A copy of the picture on the screen, as people see it: not rotated. It shows the page and all ink, so it is as
/// sensitive as a record.
public final class Screenshot: Equatable, Sendable {
    /// Nobody writes to it.
    public let pixels: PixelBuffer

    public init(_ pixels: consuming PixelBuffer) { self.pixels = pixels }

    public static func == (a: Screenshot, b: Screenshot) -> Bool { a === b }
}

/// A copy of a page as it was composed, for the record.
public struct PageImage: Sendable {
    public var picture: Screenshot
    /// The fonts of its texts, with their versions.
    public var fonts: [String]
    /// Microseconds of the devices' clock.
    public var takenAt: Int64

    public init(picture: Screenshot, fonts: [String], takenAt: Int64) {
        self.picture = picture
        self.fonts = fonts
        self.takenAt = takenAt
    }
}

/// A reply to a host's call. All but ``progress(_:)``, ``changed(_:)``, ``mirrored(_:)`` and ``backdrop(_:)`` are
/// final.
public enum PadReply: Equatable, Sendable {
    case progress(CaptureProgress)
    case ended(EndedCapture)
    /// The reply to cancel, clear, accept and identify.
    case done
    case status(PadStatus)
    case changed(PadStatus)
    case screenshot(Screenshot)
    /// Whether a person has allowed a pairing.
    case paired(Bool)
    case mirrored(MirrorChange)
    /// The page of a mirrored capture without ink.
    case backdrop(Screenshot)
    case failed(PanelError)
}

/// The state of a capture.
public enum CaptureState: Equatable, Sendable {
    /// Waits for another capture to end, or for a display or a touch device.
    case waiting
    case signing
    /// Accept was pressed, but the ink was refused. Signing goes on, with a message on the page.
    case refused(Refusal)
    /// The ink was accepted; the record is being stored.
    case saving
}

/// A change of a capture, or a finished stroke.
public struct CaptureProgress: Equatable, Sendable {
    public var id: CaptureID
    public var state: CaptureState
    /// The number of strokes on the page.
    public var strokes: Int
    /// The stroke that was just finished, if this reports one.
    public var stroke: HostStroke?
    /// Texts that the page does not show as they are; nil for none, and before there is a page.
    public var missingGlyphs: [MissingGlyphs]?

    public init(
        id: CaptureID, state: CaptureState, strokes: Int, stroke: HostStroke? = nil,
        missingGlyphs: [MissingGlyphs]? = nil
    ) {
        self.missingGlyphs = missingGlyphs
        self.id = id
        self.state = state
        self.strokes = strokes
        self.stroke = stroke
    }
}

/// The final reply to a call for a signature that began or waited.
public struct EndedCapture: Equatable, Sendable {
    public var id: CaptureID
    public var outcome: CaptureOutcome
    /// A copy of ``CaptureRequest/data``.
    public var data: [String: String]?
    /// The seal of an accepted record: the head of the chain, for the host to keep.
    public var seal: SealHead?
    /// As in ``CaptureProgress/missingGlyphs``.
    public var missingGlyphs: [MissingGlyphs]?

    public init(
        id: CaptureID, outcome: CaptureOutcome, data: [String: String]? = nil, seal: SealHead? = nil,
        missingGlyphs: [MissingGlyphs]? = nil
    ) {
        self.missingGlyphs = missingGlyphs
        self.id = id
        self.outcome = outcome
        self.data = data
        self.seal = seal
    }
}

/// How a capture ended. Only `accepted` leaves a record.
public enum CaptureOutcome: Equatable, Sendable {
    public enum Party: String, Equatable, Sendable, Codable {
        case person
        /// A host's call, the end of the host's connection, or the end of the program.
        case host
    }
    public enum Limit: String, Equatable, Sendable, Codable {
        case inactivity, total
    }

    /// The record is durable.
    case accepted
    case cancelled(by: Party)
    case timedOut(Limit)
    /// The record could not be stored.
    /// - Parameter reason: for people.
    case failed(reason: String)
}

/// A finished stroke as a host receives it.
public struct HostStroke: Equatable, Sendable, Codable {
    enum CodingKeys: String, CodingKey { case samples = "points" }

    public struct Sample: Equatable, Sendable, Codable {
        enum CodingKeys: String, CodingKey {
            case microseconds = "time"
            case x, y, pressure
        }

        /// Time since the start of the capture.
        public var microseconds: Int64
        /// Millimetres from the upper left corner of the signing area, y down.
        public var x, y: Double
        /// 0...1 along the device's axis; nil if the device measured none.
        public var pressure: Double?

        public init(microseconds: Int64, x: Double, y: Double, pressure: Double? = nil) {
            self.microseconds = microseconds
            self.x = x
            self.y = y
            self.pressure = pressure
        }
    }

    public var samples: [Sample]

    public init(samples: [Sample]) { self.samples = samples }

    /// Converts a stroke of a record with this header. Samples without a finite position are left out.
    public init(_ stroke: CaptureStroke, of header: CaptureHeader) {
        let screen = header.screen
        let area = screen.signingArea.map(Double.init)
        let corner = area.count == 4 ? (area[0], area[1]) : (0, 0)
        let device = header.devices.indices.contains(stroke.device) ? header.devices[stroke.device] : nil
        let map = header.map(of: stroke.device)
        samples = stroke.samples.compactMap { sample in
            guard let place = map?.position(x: sample.x, y: sample.y) else { return nil }
            let (x, y) = (place.x - corner.0, place.y - corner.1)
            let perMillimetre = screen.pixelsPerMillimetre
            guard perMillimetre > 0, (x / perMillimetre).isFinite, (y / perMillimetre).isFinite else { return nil }
            return Sample(
                microseconds: sample.microseconds, x: x / perMillimetre, y: y / perMillimetre,
                pressure: sample.pressure.flatMap { device?.pressure?.share(of: $0) })
        }
    }
}

/// The panel's status, except for the stored records, which the server adds.
public struct PadStatus: Equatable, Sendable {
    /// The name of a page.
    public enum Page: String, Equatable, Sendable, CaseIterable {
        /// `ink` is a bare sheet; no pad shows it. `fault`: there is no touch device, or captures cannot be recorded.
        case starting, fault, idle, sketch, ink, pairing, identity, signing, refused, saving, thanks, failed
    }

    public struct Running: Equatable, Sendable {
        public var id: CaptureID
        /// The number of strokes on the page.
        public var strokes: Int
        /// The role of the host that asked for it.
        public var askedBy: HostRole

        public init(id: CaptureID, strokes: Int, askedBy: HostRole) {
            self.id = id
            self.strokes = strokes
            self.askedBy = askedBy
        }
    }

    /// Name and version of the program.
    public var program: String
    public var page: Page
    /// The capture that runs or is being prepared.
    public var running: Running?
    /// The number of calls that wait for another capture, a display or a touch device.
    public var waiting: Int
    /// The names of the touch devices in use.
    public var touchDevices: [String]
    /// The current display, or the last one.
    public var screen: PadScreen
    /// Why the display shows nothing; nil while there is a display. For people.
    public var displayFault: String?
    /// Why records cannot be written; nil if the last one was. For people.
    public var storeFault: String?

    public init(
        program: String, page: Page, running: Running? = nil, waiting: Int = 0,
        touchDevices: [String], screen: PadScreen, displayFault: String? = nil, storeFault: String? = nil
    ) {
        self.program = program
        self.page = page
        self.running = running
        self.waiting = waiting
        self.touchDevices = touchDevices
        self.screen = screen
        self.displayFault = displayFault
        self.storeFault = storeFault
    }

    /// The status for a host with this reach: without a running capture that it may not see. The page still says that
    /// one runs.
    func seen(by reach: CaptureReach) -> PadStatus {
        var status = self
        if let running, !reach.includes(running.askedBy) { status.running = nil }
        return status
    }
}
