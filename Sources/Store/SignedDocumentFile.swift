// SPDX-License-Identifier: Apache-2.0
public import HostAPI
import Linux

extension CaptureStore {
    private static let signedSuffix = ".pdf"

    private func signedDocument(_ id: CaptureID) -> String { "\(captures)/\(id)\(Self.signedSuffix)" }

    /// A part of the signed document of a capture.
    /// - Parameters:
    ///   - offset: of the first byte; beyond the end no bytes come.
    ///   - count: the most bytes.
    /// - Returns: the part and the size of the whole document; nil without a signed document.
    public func signedDocument(
        of id: CaptureID, from offset: Int, count: Int
    ) throws(StoreError) -> (bytes: [UInt8], byteCount: Int)? {
        let path = signedDocument(id)
        do throws(Errno) {
            let file = try InputFile.open(path)
            let byteCount = try file.byteCount
            let left = max(0, byteCount - offset)
            return (try file.read(min(left, count), from: min(offset, byteCount)), byteCount)
        } catch {
            if error == .noSuchFile { return nil }
            throw StoreError(.read, path, error)
        }
    }
}
