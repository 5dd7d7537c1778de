// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A directory that exists as long as the value, accessible to this user only.
public final class TemporaryFolder {
    /// $TMPDIR or /tmp.
    public static var parent: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    public let path: String

    /// - Parameter prefix: of its name.
    public init(prefix: String) throws(Errno) {
        var template = Array("\(Self.parent)/\(prefix).XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .current }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Directory.removeTree(path) }
}
