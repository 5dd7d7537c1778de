// SPDX-License-Identifier: Apache-2.0
public import Linux

/// Why a recording cannot be used.
public enum RecordingError: Error, Equatable, Sendable {
    case cannotOpen(path: String, Errno)
    case readFailed(path: String, Errno)
    /// A directory, a device, a pipe.
    case notAFile(path: String)
    /// Lines count from 1.
    case malformed(path: String, line: Int, expected: String)
    /// A line longer than any recorder writes: this is no recording.
    case lineTooLong(path: String, line: Int)
    case tooManyEvents(path: String, line: Int)
    /// More bytes than ``Recording/byteLimit``, comments included.
    case tooLarge(path: String, line: Int)
    /// The file has no event in it.
    case noEvents(path: String)
    /// The file does not say what device it is from, and none of the files beside it that could is there.
    case noDescription(path: String, tried: [String])

    public var message: String {
        switch self {
        case .cannotOpen(let path, let error): "cannot open the recording \(path): \(error)"
        case .readFailed(let path, let error): "reading the recording \(path) failed: \(error)"
        case .notAFile(let path): "\(path) is not a file; name an evemu recording (evemu-record writes them)"
        case .malformed(let path, let line, let expected): "\(path), line \(line): expected \(expected)"
        case .lineTooLong(let path, let line):
            "\(path), line \(line): longer than \(Recording.lineLimit) bytes; this is not an evemu recording"
        case .tooManyEvents(let path, let line):
            "\(path), line \(line): more than \(Recording.eventLimit) events; cut the recording into parts"
        case .tooLarge(let path, let line):
            "\(path), line \(line): more than \(Recording.byteLimit) bytes; cut the recording into parts"
        case .noEvents(let path): "\(path) has no events (lines that start with \"E: \")"
        case .noDescription(let path, let tried):
            "\(path) does not describe its device (lines N:, I:, P:, B: and A:), and there is none of "
                + tried.joined(separator: ", ") + "; record again with evemu-record, or put the output of "
                + "evemu-describe into one of them"
        }
    }
}

extension RecordingError: CustomStringConvertible {
    public var description: String { message }
}
