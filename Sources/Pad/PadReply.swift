// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import HostAPI
public import Raster
import Record

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
    /// On the devices' clock.
    public var takenAt: Timestamp

    public init(picture: Screenshot, fonts: [String], takenAt: Timestamp) {
        self.picture = picture
        self.fonts = fonts
        self.takenAt = takenAt
    }
}

/// A reply to a host's call. ``changed(_:)``, ``events(_:)``, ``mirrored(_:)`` and ``backdrop(_:)`` are not final,
/// nor is ``capture(_:)`` before the capture has ended.
public enum PadReply: Equatable, Sendable {
    case capture(CaptureReply)
    /// The reply to cancel, clear, accept, the name in place of a signature, and identify.
    case done
    case status(PanelStatus)
    case health(PanelHealth)
    case reloaded(ReloadReply)
    case changed(PanelStatus)
    case events(EventsReply)
    case abilities(PanelAbilities)
    case screenshot(Screenshot)
    /// Whether a person has allowed a pairing.
    case paired(Bool)
    case mirrored(MirrorChange)
    /// The page of a mirrored capture without ink.
    case backdrop(Screenshot)
    case failed(PanelError)
}
