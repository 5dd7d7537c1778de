// SPDX-License-Identifier: Apache-2.0
import Linux

/// A configuration's file with everything that is wrong with it, to be checked. ``Configuration/init(path:)`` is for a
/// program that runs with it.
public struct ConfigurationFile: Sendable {
    public let path: String
    /// What holds where there is no problem; defaults elsewhere.
    public let configuration: Configuration
    /// In the order of their lines. With a file that is not TOML it is its first such line.
    public let problems: [ConfigurationProblem]
    private let lines: KeyLines

    /// Reads a file. It is waited for; any thread.
    /// - Throws: ``ConfigurationError/cannotRead(path:_:)`` or ``ConfigurationError/tooLarge(path:limit:)``.
    public init(path: String) throws(ConfigurationError) {
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: Configuration.largestFile)
        } catch {
            throw .cannotRead(path: path, error)
        }
        guard let bytes else { throw .tooLarge(path: path, limit: Configuration.largestFile) }
        try self.init(document: bytes, path: path)
    }

    /// - Parameter path: for messages.
    /// - Throws: ``ConfigurationError/tooLarge(path:limit:)``.
    public init(document: [UInt8], path: String) throws(ConfigurationError) {
        guard document.count <= Configuration.largestFile else {
            throw .tooLarge(path: path, limit: Configuration.largestFile)
        }
        self.path = path
        let text = document.dropFirst(Self.byteOrderMark(of: document).count)
        lines = KeyLines(Array(text))
        do throws(ConfigurationProblem) {
            var reader = try ConfigurationReader(Array(text), lines)
            reader.read()
            configuration = reader.configuration
            problems = reader.problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        } catch {
            configuration = Configuration()
            problems = [error]
        }
    }

    /// From 1; nil when the file does not have the key.
    public func line(of key: String, in table: String) -> Int? { lines[[table, key]] }

    /// What Windows' editors put before UTF-8; not part of the text.
    static func byteOrderMark(of document: [UInt8]) -> [UInt8] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return document.starts(with: mark) ? mark : []
    }
}
