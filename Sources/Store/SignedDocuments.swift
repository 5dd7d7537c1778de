// SPDX-License-Identifier: Apache-2.0
import Evidence
import Glibc
public import HostAPI
import Linux
import Record

/// Signed documents: `captures/ID.pdf` beside the record, or `captures/ID.pdf.age` if records are encrypted. A document
/// is in `open/` from before its record has an end until it is sealed, and has its place before the record. Where
/// neither a record nor a journal has its name, it is a remainder that ``recover()`` removes.
extension CaptureStore {
    static let documentSuffix = ".pdf"
    static let encryptedDocumentSuffix = ".pdf.age"

    private var currentDocumentSuffix: String {
        encryption == nil ? Self.documentSuffix : Self.encryptedDocumentSuffix
    }
    func documents(of id: CaptureID, in folder: String) -> [String] {
        [Self.documentSuffix, Self.encryptedDocumentSuffix].map { "\(folder)/\(id)\($0)" }
    }
    /// The path at which a document is written first.
    func unplacedDocument(_ id: CaptureID) -> String { "\(unplaced)/\(id)\(currentDocumentSuffix)" }

    /// The signed document of a capture that has ended; nil if it has none.
    /// - Throws: ``StoreError/encrypted(_:)`` if only recipients can read it by now; ``StoreError/missing(_:)``.
    public func signedDocument(of id: CaptureID) throws(StoreError) -> [UInt8]? {
        if let readable = encryption?.readable.bytes(of: id, .document) { return readable }
        return try readDocument(of: id, Self.documentSuffix, or: Self.encryptedDocumentSuffix)
    }

    /// The size of the signed document in bytes, without reading it; nil without a document.
    /// - Throws: as ``signedDocument(of:)``.
    public func signedDocumentByteCount(of id: CaptureID) throws(StoreError) -> Int? {
        if let readable = encryption?.readable.byteCount(of: id, .document) { return readable }
        let path = "\(captures)/\(id)\(Self.documentSuffix)"
        do throws(Errno) { return try InputFile.open(path).byteCount } catch {
            if error != .noSuchFile { throw StoreError(.read, path, error) }
        }
        return try explainMissing(id, other: Self.encryptedDocumentSuffix)
    }

    /// The signed document as its recipients open it with age; nil if the capture has none, or it is stored readable.
    public func encryptedDocument(of id: CaptureID) throws(StoreError) -> [UInt8]? {
        try readDocument(of: id, Self.encryptedDocumentSuffix, or: nil)
    }

    /// - Parameter other: the name under which the document cannot be read.
    private func readDocument(
        of id: CaptureID, _ suffix: String, or other: String?
    ) throws(StoreError) -> [UInt8]? {
        let path = "\(captures)/\(id)\(suffix)"
        do throws(Errno) {
            if let bytes = try InputFile.read(path, maximumByteCount: CaptureLimits.encryptedDocumentByteCount) {
                return bytes
            }
            throw Errno.fileTooLarge
        } catch {
            if error != .noSuchFile { throw StoreError(.read, path, error) }
        }
        return try explainMissing(id, other: other)
    }

    /// Whether a capture has no document, is missing, or has only an encrypted document.
    func explainMissing<Value>(_ id: CaptureID, other: String?) throws(StoreError) -> Value? {
        if let other, try contains(["\(captures)/\(id)\(other)"]) { throw .encrypted(id) }
        if try contains([capture(id), encryptedCapture(id)]) { return nil }
        throw .missing(id)
    }

    // MARK: writing

    /// Moves the document of a capture to its place, if there is one; its name is on the medium when this returns.
    func placeDocument(of id: CaptureID) throws(StoreError) {
        var isPlaced = false
        for (path, place) in zip(documents(of: id, in: unplaced), documents(of: id, in: captures)) {
            do throws(Errno) {
                guard try Directory.contains(path) else { continue }
                do throws(Errno) { try Directory.rename(path, to: place) } catch {
                    // Somebody has removed the directory of captures.
                    guard error == .noSuchFile, (try? prepare()) != nil else { throw error }
                    try Directory.rename(path, to: place)
                }
                isPlaced = true
            } catch {
                throw StoreError(.rename, path, error)
            }
        }
        if isPlaced { try synchronizeCaptures() }
    }

    /// Removes the document of a capture, wherever it is.
    /// - Returns: whether there was one.
    @discardableResult
    func removeDocuments(of id: CaptureID) throws(StoreError) -> Bool {
        var isRemoved = false
        for folder in [unplaced, captures] {
            var isChanged = false
            for path in documents(of: id, in: folder) { isChanged = try Self.remove(path) || isChanged }
            if isChanged { try Self.synchronize(folder) }
            isRemoved = isRemoved || isChanged
        }
        return isRemoved
    }

    // MARK: recovery

    /// Checks that a document is what its seal says, wherever it is.
    func checkDocument(of id: CaptureID, _ seal: Seal) throws(StoreError) {
        guard let signed = seal.signed else { return }
        let wanted = seal.signedStored ?? signed
        let suffix = seal.signedStored == nil ? Self.documentSuffix : Self.encryptedDocumentSuffix
        for folder in [unplaced, captures] {
            let path = "\(folder)/\(id)\(suffix)"
            do throws(Errno) {
                guard try Directory.contains(path) else { continue }
                let limit = CaptureLimits.encryptedDocumentByteCount
                let bytes = try InputFile.read(path, maximumByteCount: limit)
                if let bytes, SHA256Digest(of: bytes).description == wanted { return }
            } catch {
                throw StoreError(.read, path, error)
            }
            throw .seals(.differs(path: path))
        }
        throw .seals(.missing("\(captures)/\(id)\(suffix)"))
    }

    /// Removes documents without a record or a journal: of a capture that was being deleted, or had no whole line. Puts
    /// those in their place whose record is there.
    func removeStrayDocuments() throws(StoreError) {
        // A killed process left these, on file systems without unnamed files.
        for name in (try? Directory.names(of: unplaced)) ?? [] where name.hasSuffix(".part") {
            try? Directory.remove("\(unplaced)/\(name)")
        }
        for folder in [unplaced, captures] {
            for suffix in [Self.documentSuffix, Self.encryptedDocumentSuffix] {
                for id in try ids(in: folder, suffix) { try settleDocument(of: id) }
            }
        }
    }

    private func settleDocument(of id: CaptureID) throws(StoreError) {
        if try contains([capture(id), encryptedCapture(id)]) { return try placeDocument(of: id) }
        // Files that recovery could not move stay as they are.
        let open = [journal(id), "\(unplaced)/\(id)\(Self.suffix)", unplacedEncrypted(id)]
        if try !contains(open) { try removeDocuments(of: id) }
    }

    /// Whether one of the files exists.
    private func contains(_ paths: [String]) throws(StoreError) -> Bool {
        for path in paths {
            do throws(Errno) { if try Directory.contains(path) { return true } } catch {
                throw StoreError(.read, path, error)
            }
        }
        return false
    }
}

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
