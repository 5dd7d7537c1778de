// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// An empty directory that goes with the value, and all that came to be in it.
public final class TemporaryDirectory {
    public let path: String

    public init() throws {
        var template = Array("/tmp/inkpanel-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw CannotMakeDirectory() }
        path = String(cString: made)
    }

    struct CannotMakeDirectory: Error {}

    deinit { Directory.removeTree(path) }

    /// What is in it, sorted.
    public func names() throws -> [String] {
        try Directory.names(of: path).sorted()
    }
}
