// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Linux
import Record

/// A capture in the panel's store, or a record in a file. An id has letters, digits and hyphens only; a file of such a
/// name is said with its folder.
enum CaptureSource: Equatable, ExpressibleByArgument {
    case stored(CaptureID)
    case file(path: String)

    init?(argument: String) {
        if argument.isEmpty { return nil }
        self = CaptureID(argument).map { .stored($0) } ?? .file(path: argument)
    }
}

/// A record that somebody has kept.
enum RecordFile {
    static func record(_ path: String) throws(CommandError) -> CaptureRecord { try read(path).record }

    static func read(_ path: String) throws(CommandError) -> (record: CaptureRecord, file: [UInt8]) {
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: CaptureLimits.recordByteCount)
        } catch {
            throw .cannotRead(path, error)
        }
        do throws(CaptureFormatError) {
            guard let bytes else { throw .tooLarge(limit: CaptureLimits.recordByteCount) }
            return (try CaptureDecoder.decode(bytes), bytes)
        } catch {
            throw .unusableInput("\(path): \(error)")
        }
    }
}
