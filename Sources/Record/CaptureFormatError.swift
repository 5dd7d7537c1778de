// SPDX-License-Identifier: Apache-2.0

/// Why bytes are no record of a capture, or why a capture cannot be written as one.
public enum CaptureFormatError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The first line is no header: it is cut, or the file is something else.
    case notARecord(String)
    /// Written by a later program.
    case unsupportedVersion(Int)
    /// The first line is line 1.
    case malformed(line: Int, reason: String)
    /// More bytes than any record has.
    case tooLarge(limit: Int)
    /// The reader would refuse it.
    case unencodable(String)

    public var description: String {
        switch self {
        case .notARecord(let reason): "not the record of a capture: \(reason)"
        case .unsupportedVersion(let version):
            "version \(version) of the record's format is not known (\(CaptureHeader.version) is): use a later inkpanel"
        case .malformed(let line, let reason): "line \(line): \(reason)"
        case .tooLarge(let limit): "a record has at most \(limit) bytes"
        case .unencodable(let reason): "this cannot be recorded: \(reason)"
        }
    }
}
