// SPDX-License-Identifier: Apache-2.0
public import Evidence
import Glibc
import Linux

/// The file of a panel's private key: PEM, readable by its owner only. Its certificate lies beside the captures.
public struct KeyFile: Sendable {
    /// A key has 240 bytes.
    private static let maximumByteCount = 16 << 10

    public let path: String

    public init(at path: String) { self.path = path }

    public func read() throws(SealFault) -> SigningKey {
        let bytes: [UInt8]?
        do throws(PrivateFileError) {
            // The service manager lets the panel read its credentials by an access list, whose mask shows as the
            // permissions of the group.
            bytes = try PrivateFile.read(
                path, maximumByteCount: Self.maximumByteCount, forbidden: isCredential ? 0o037 : 0o077)
        } catch {
            throw .key("cannot read the panel's key \(error)\(Self.remedy(of: error))")
        }
        guard var bytes else { throw .key("\(path) is too long for a key") }
        defer { LockedMemory.wipe(&bytes) }
        do throws(EvidenceError) { return try SigningKey(pem: bytes) } catch { throw .key("\(path): \(error)") }
    }

    /// Follows a fault that does not say itself what to do.
    private static func remedy(of error: PrivateFileError) -> String {
        switch error {
        case .failed(_, .noSuchFile):
            "; put it back from a backup (inkpanel restore), or replace a lost one (/usr/lib/inkpanel/identity --lost)"
        case .failed(_, .permissionDenied): "; chown it to the panel's user"
        case .failed, .refused: ""
        }
    }

    private var isCredential: Bool {
        getenv("CREDENTIALS_DIRECTORY").map { path.hasPrefix(String(cString: $0) + "/") } ?? false
    }

    public var exists: Bool { (try? Directory.contains(path)) == true }

    /// Makes a new key, which is on the medium when this returns. Replaces no file.
    public func create() throws(SealFault) -> SigningKey {
        if exists { throw .key("there is a key already: \(path)") }
        do {
            let key = try SigningKey.generate()
            var pem = try key.pem()
            defer { LockedMemory.wipe(&pem) }
            try AtomicFile.writeSynchronized(pem, to: path)
            return key
        } catch {
            throw .key("cannot make the panel's key \(path): \(error)")
        }
    }
}
