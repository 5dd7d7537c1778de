// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A directory that exists as long as the value, accessible to this user only.
public final class TemporaryFolder {
    /// $TMPDIR or /tmp.
    public static var parent: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    public let path: String

    /// - Parameters:
    ///   - parent: nil for ``parent``.
    ///   - prefix: of its name.
    public init(in parent: String? = nil, prefix: String) throws(Errno) {
        var template = Array("\(parent ?? Self.parent)/\(prefix).XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .current }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Directory.removeTree(path) }
}
