// SPDX-License-Identifier: Apache-2.0
public import Document
import Geometry
public import HostAPI
public import Raster
public import Record

/// An action for the document thread, which has the documents read and drawn by `inkpanel-document`. It keeps the
/// document of one capture.
public enum DocumentAction: Equatable, Sendable {
    /// Reads the document of the call and finds the places of its fields. Answered with ``DocumentAnswer/opened(_:_:)``
    /// or ``DocumentAnswer/refused(_:_:)``.
    /// - Parameter date: as the pages show it today.
    case open(CaptureID, CaptureCall, date: String)
    /// Draws a page, or a part of one. Answered with ``DocumentAnswer/drawn(_:_:_:)`` or
    /// ``DocumentAnswer/failed(_:reason:fault:)``, in this order. A part that was asked for before and has not been
    /// begun is dropped.
    case draw(CaptureID, HelperRequest.Rendering)
    /// Reads the text of a page when no drawing is pending. Answered with ``DocumentAnswer/text(_:page:_:)``.
    case read(CaptureID, page: Int)
    /// Draws all pages with a second engine, too, while people read. Answered with ``DocumentAnswer/compared(_:_:)``,
    /// or ``DocumentAnswer/failed(_:reason:fault:)`` if the document must not be signed.
    case compare(CaptureID)
    /// The capture has ended.
    case close(CaptureID)
}

/// The document thread's answer to a ``DocumentAction``.
public enum DocumentAnswer: Equatable, Sendable {
    case opened(CaptureID, OpenedDocument)
    case refused(CaptureID, PanelError)
    case drawn(CaptureID, HelperRequest.Rendering, DrawnPage)
    /// Empty if the page has no text, or it cannot be read.
    case text(CaptureID, page: Int, String)
    /// All pages were compared.
    case compared(CaptureID, DocumentCheck)
    /// The document cannot be drawn any more, or must not be signed.
    /// - Parameter fault: for hosts, as in ``PanelError/documentRefused(fault:reason:)``.
    case failed(CaptureID, reason: String, fault: String? = nil)
}

/// A document that can be shown and signed.
public final class OpenedDocument: Equatable, Sendable {
    public let bytes: [UInt8]
    public let facts: DocumentFacts
    public let plan: DocumentPlan
    /// The program that draws, with its version.
    public let renderer: String
    /// The faults that the host lets pass.
    public let allowed: [ReadDocument.Allowance]
    /// The files that the panel has made the document from, and the document's own digest; nil if the host has sent the
    /// document itself.
    public let madeOf: (pictures: RecordedOriginal?, flattened: RecordedOriginal?, sha256: String)?

    public init(
        bytes: [UInt8], facts: DocumentFacts, plan: DocumentPlan, renderer: String,
        allowed: [ReadDocument.Allowance] = [],
        madeOf: (pictures: RecordedOriginal?, flattened: RecordedOriginal?, sha256: String)? = nil
    ) {
        self.bytes = bytes
        self.facts = facts
        self.plan = plan
        self.renderer = renderer
        self.allowed = allowed
        self.madeOf = madeOf
    }

    public static func == (a: OpenedDocument, b: OpenedDocument) -> Bool { a === b }
}

/// A page or a part of one as a picture. It never changes.
public final class DrawnPage: Equatable, Sendable {
    public let pixels: PixelBuffer
    /// SHA-256 of the pixels as ``SeenPage`` has it; nil for a part of a page.
    public let sha256: String?

    public init(_ pixels: consuming PixelBuffer, sha256: String?) {
        self.pixels = pixels
        self.sha256 = sha256
    }

    public static func == (a: DrawnPage, b: DrawnPage) -> Bool { a === b }
}
