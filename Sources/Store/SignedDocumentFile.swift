// SPDX-License-Identifier: Apache-2.0
public import HostAPI
import Linux

extension CaptureStore {
    /// A part of the signed document of a capture.
    /// - Parameters:
    ///   - offset: of the first byte; beyond the end no bytes come.
    ///   - count: the most bytes.
    /// - Returns: the part and the size of the whole document; nil without a signed document.
    /// - Throws: as ``signedDocument(of:)``.
    public func signedDocument(
        of id: CaptureID, from offset: Int, count: Int
    ) throws(StoreError) -> (bytes: [UInt8], byteCount: Int)? {
        if let part = encryption?.readable.part(of: id, .document, from: offset, count: count) { return part }
        let path = "\(captures)/\(id)\(Self.documentSuffix)"
        do throws(Errno) {
            let file = try InputFile.open(path)
            let byteCount = try file.byteCount
            let left = max(0, byteCount - offset)
            return (try file.read(min(left, count), from: min(offset, byteCount)), byteCount)
        } catch {
            if error != .noSuchFile { throw StoreError(.read, path, error) }
        }
        return try explainMissing(id, other: Self.encryptedDocumentSuffix)
    }
}
