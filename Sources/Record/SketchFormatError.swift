// SPDX-License-Identifier: Apache-2.0

/// Why a file is no journal of a sketch.
public enum SketchFormatError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The first line is no header, or it is no file at all.
    case notASketch(String)
    /// Written by a later program.
    case unsupportedVersion(Int)
    /// The first line is line 1.
    case malformed(line: Int, reason: String)
    /// More bytes than any journal has.
    case tooLarge(limit: Int)

    public var description: String {
        switch self {
        case .notASketch(let reason): "not a sketch: \(reason)"
        case .unsupportedVersion(let version):
            "version \(version) of the sketch's format is not known (\(SketchEncoder.version) is): use a later inkpanel"
        case .malformed(let line, let reason): "line \(line): \(reason)"
        case .tooLarge(let limit): "a sketch has at most \(limit) bytes"
        }
    }
}
