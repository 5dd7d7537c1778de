// SPDX-License-Identifier: Apache-2.0
public import Formats
public import Record

/// Draws pictures with prompt, signer and date below the ink. Text needs fonts and is drawn elsewhere: who makes a
/// ``ControlServer`` or a ``RecordExport`` brings it.
public protocol CaptionPainter: Sendable {
    /// A PNG. On any thread.
    /// - Throws: why there is none, in words for people.
    func png(of picture: CapturePicture, of record: CaptureRecord, isTransparent: Bool) throws(CaptionError) -> [UInt8]
}

/// Why a caption could not be drawn: no font, say.
public struct CaptionError: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
