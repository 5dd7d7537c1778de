// SPDX-License-Identifier: Apache-2.0
import Glibc

/// An empty directory that goes with the value.
public final class TemporaryDirectory {
    public let path: String

    public init() throws {
        var template = Array("/tmp/inkpanel-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw CannotMakeDirectory() }
        path = String(cString: made)
    }

    struct CannotMakeDirectory: Error {}

    deinit {
        for name in (try? names()) ?? [] { unlink(path + "/" + name) }
        rmdir(path)
    }

    /// What is in it, sorted.
    public func names() throws -> [String] {
        guard let directory = opendir(path) else { throw CannotMakeDirectory() }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
