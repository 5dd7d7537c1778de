// SPDX-License-Identifier: Apache-2.0
import Linux

extension SHA256Digest {
    /// The digest of a file of any size. Blocks while it reads.
    package init(ofFile path: String) throws(EvidenceFileError) {
        var hash = SHA256Hash()
        do throws(Errno) {
            let file = try InputFile.open(path)
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            while true {
                let count = try file.read(into: &bytes)
                if count == 0 { break }
                bytes.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            }
        } catch {
            throw .cannotRead(path, error)
        }
        self = hash.finish()
    }
}
