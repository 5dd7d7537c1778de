// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import TestSupport
import Testing

@Suite("Private files")
struct PrivateFileTests {
    private func fault(_ path: String, forbidden: mode_t = 0o077) -> String {
        do throws(PrivateFileError) {
            _ = try PrivateFile.read(path, maximumByteCount: 9, forbidden: forbidden)
            return "none"
        } catch {
            return error.description
        }
    }

    @Test("are read if they are this user's alone")
    func own() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/key"
        try AtomicFile.write([1, 2], to: path)
        #expect(try PrivateFile.read(path, maximumByteCount: 9) == [1, 2])
        #expect(try PrivateFile.read(path, maximumByteCount: 1) == nil)
        let error = thrownError { try PrivateFile.read(directory.path + "/none", maximumByteCount: 9) }
        #expect((error as? PrivateFileError)?.isMissing == true)
    }

    @Test("are refused with the remedy if they are links, of another kind, or others may read them")
    func refused() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/key"
        try AtomicFile.write([1], to: path)
        symlink(path, directory.path + "/link")
        #expect(fault(directory.path + "/link") == "\(directory.path)/link is a link; put the file itself there")
        #expect(fault(directory.path).contains("is a directory; remove it"))
        mkfifo(directory.path + "/pipe", 0o600)
        #expect(fault(directory.path + "/pipe").contains("is not a regular file"))
        for mode in [0o640, 0o604, 0o620, 0o602] as [mode_t] {
            chmod(path, mode)
            #expect(fault(path).contains("(mode \(String(mode, radix: 8))); chmod 600"))
        }
        chmod(path, 0o644)
        #expect(fault(path, forbidden: 0o022) == "none")
        chmod(path, 0o600)
        link(path, directory.path + "/second")
        #expect(fault(path).contains("has a second name (a hard link)"))
    }

    @Test("of other users are refused, except for root in a directory of that user", .enabled(if: geteuid() == 0))
    func owners() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/key"
        try AtomicFile.write([1], to: path)
        chown(path, 65534, 65534)
        #expect(fault(path).contains("belongs to the user 65534"))
        chown(directory.path, 65534, 65534)
        #expect(fault(path) == "none")
        chown(path, 65533, 65533)
        #expect(fault(path).contains("belongs to the user 65533"))
    }
}
