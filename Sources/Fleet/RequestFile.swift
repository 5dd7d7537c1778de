// SPDX-License-Identifier: Apache-2.0
import Evidence
import HostAPI
import Linux

/// The requests of a day, on disk: a page is not shown twice for one key, whatever ends in between.
///
/// Lines are `ask HOST KEY DIGEST TIME`, with `-` in place of a time that no time service kept, then
/// `began HOST KEY CAPTURE`, and `end HOST KEY ANSWER` or `free HOST KEY`.
struct RequestFile {
    /// Requests that are kept; more of them in a day are refused, not forgotten.
    static let limit = 5000
    private static let byteLimit = 32 << 20

    /// A request as one line of the file.
    enum Note: Equatable {
        /// Nothing was sent to the panel before this was on the medium.
        /// - Parameter at: microseconds since 1970-01-01 UTC; nil if the clock was not synchronized.
        case asked(digest: SHA256Digest, at: Int64?)
        case began(CaptureID)
        /// The payload of the last answer.
        case ended([UInt8])
        /// The panel has refused the request: the host may use its key again.
        case freed
    }

    private var file: LineFile
    private(set) var lineCount = 0
    /// Why the file is not used: it then stays as it is, and no request is accepted.
    private(set) var fault: String?

    /// Reads the file of a directory. Blocks.
    /// - Returns: the file, and what its lines say, in order.
    static func read(in directory: String, log: Log) -> (file: RequestFile, notes: [(RequestKey, Note)]) {
        let path = directory + "/requests"
        var file = RequestFile(file: LineFile(path: path))
        do throws(PrivateFileError) {
            guard let (lineFile, lines) = try LineFile.read(path, maximumByteCount: byteLimit) else {
                throw .refused(path, "is too long; remove it")
            }
            file.file = lineFile
            file.lineCount = lines.count
            if lineFile.wasTorn { log.warning("\(path) has a torn line, which is left out") }
            let notes = lines.compactMap { Self.note(in: $0) }
            if notes.count < lines.count {
                log.warning("\(path): \(lines.count - notes.count) lines are damaged and left out")
            }
            return (file, notes)
        } catch {
            file.fault = "\(error), and restart inkpanel-fleet"
            log.error("\(error), and restart inkpanel-fleet: until then, no request is accepted")
            return (file, [])
        }
    }

    private init(file: LineFile) { self.file = file }

    /// Notes something. A question and a beginning are on the medium when this returns.
    /// - Throws: the reason, for people.
    mutating func note(_ note: Note, of key: RequestKey) throws(NotKept) {
        if let fault { throw NotKept(reason: fault) }
        let synchronizes =
            switch note {
            case .asked, .began: true
            // Lost, it is found out again from the panel's records.
            case .ended, .freed: false
            }
        do throws(Errno) { try file.append(Self.line(note, of: key), synchronizes: synchronizes) } catch {
            throw NotKept(reason: "\(file.path): \(error)")
        }
        lineCount += 1
    }

    struct NotKept: Error { let reason: String }

    /// Writes the file anew with these notes.
    mutating func replace(with notes: [(RequestKey, Note)]) {
        if fault != nil { return }
        // If it fails, the longer file stays.
        guard (try? file.replace(with: notes.map { Self.line($1, of: $0) })) != nil else { return }
        lineCount = notes.count
    }

    private static func line(_ note: Note, of key: RequestKey) -> String {
        let name = "\(key.host) \(key.text)"
        return switch note {
        case .asked(let digest, let time): "ask \(name) \(digest) \(time.map(String.init) ?? "-")"
        case .began(let capture): "began \(name) \(capture)"
        case .ended(let answer): "end \(name) " + String(decoding: answer, as: UTF8.self)
        case .freed: "free \(name)"
        }
    }

    private static func note(in line: String) -> (RequestKey, Note)? {
        // The answer may contain spaces.
        let words = line.split(separator: " ", maxSplits: line.hasPrefix("end ") ? 3 : 6)
        guard words.count > 2, let host = FleetName(words[1]), let key = RequestKey(host, words[2]) else { return nil }
        switch (words[0], words.count) {
        case ("ask", 5):
            guard let digest = SHA256Digest(hex: String(words[3])) else { return nil }
            let time = Int64(words[4]).flatMap { FleetOrders.times.contains($0) ? $0 : nil }
            return time != nil || words[4] == "-" ? (key, .asked(digest: digest, at: time)) : nil
        case ("began", 4): return CaptureID(String(words[3])).map { (key, .began($0)) }
        case ("end", 4): return (key, .ended(Array(words[3].utf8)))
        case ("free", 3): return (key, .freed)
        default: return nil
        }
    }
}
