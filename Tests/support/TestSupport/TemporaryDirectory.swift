// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// An empty directory that is removed with its content when the value is released.
public final class TemporaryDirectory {
    public let path: String

    public init(below parent: String = "/tmp") throws {
        var template = Array("\(parent)/inkpanel-test-XXXXXX".utf8CString)
        // mkdtemp returns a pointer into the template, which may be released after its last use.
        guard mkdtemp(&template) != nil else { throw CannotMakeDirectory() }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    struct CannotMakeDirectory: Error {}

    deinit { Directory.removeTree(path) }

    public func write(_ name: String, _ bytes: [UInt8]) throws {
        try AtomicFile.write(bytes, to: "\(path)/\(name)")
    }

    /// The names in the directory, sorted.
    public func names() throws -> [String] {
        try Directory.names(of: path).sorted()
    }
}
