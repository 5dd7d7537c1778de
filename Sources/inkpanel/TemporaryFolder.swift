// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// A directory for as long as the value lives, which only this user may look into.
final class TemporaryFolder {
    let path: String

    /// - Parameter purpose: part of its name.
    init(for purpose: String) throws(CommandError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/inkpanel-\(purpose).XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .cannotWrite(parent, .current, option: "TMPDIR") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Directory.removeTree(path) }
}
