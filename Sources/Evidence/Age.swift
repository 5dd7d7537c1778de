// SPDX-License-Identifier: Apache-2.0
internal import CLibcrypto

/// Files that only the owners of certain keys can read, in the format of age (c2sp.org/age, age-encryption.org/v1),
/// with X25519 recipients. The program `age` reads and writes them, too.
public enum Age {
    /// The largest number of recipients that files are encrypted to.
    public static let mostRecipients = 100

    private static let type = "X25519"
    private static let wrapInfo = "age-encryption.org/v1/X25519"
    private static let fileKeyByteCount = 16
    private static let nonceByteCount = 16
    private static let chunkByteCount = 64 << 10

    // MARK: Encrypting

    /// How many keys open a file; 0 if its header cannot be read.
    public static func recipientCount(of file: [UInt8]) -> Int { (try? AgeHeader(file))?.stanzas.count ?? 0 }

    /// Encrypts a file so that each of `recipients` can read it alone. The result is
    /// about 200 bytes longer for one recipient, 100 more for each other, and 16 more for each 64 KiB.
    /// - Parameter recipients: 1 to ``mostRecipients``.
    public static func encrypt(_ plain: [UInt8], to recipients: [AgeRecipient]) throws(EvidenceError) -> [UInt8] {
        guard (1...mostRecipients).contains(recipients.count) else { throw .recipientCount(recipients.count) }
        let fileKey = try Secret.random(fileKeyByteCount)
        var stanzas: [AgeHeader.Stanza] = []
        for recipient in recipients { stanzas.append(try wrap(fileKey, for: recipient)) }
        var file = try AgeHeader(stanzas, fileKey: fileKey).bytes
        let nonce = try Secret.random(nonceByteCount).withBytes { Array($0) }
        file += nonce
        let key = try HKDFSHA256.derive(from: fileKey, salt: nonce, info: "payload")

        file.reserveCapacity(file.count + plain.count + (plain.count / chunkByteCount + 1) * ChaChaPoly.tagByteCount)
        var index = 0
        var rest = plain[...]
        repeat {
            let chunk = rest.prefix(chunkByteCount)
            rest = rest.dropFirst(chunk.count)
            file += try ChaChaPoly.seal(chunk, key: key, nonce: chunkNonce(index, isLast: rest.isEmpty))
            index += 1
        } while !rest.isEmpty
        return file
    }

    private static func wrap(
        _ fileKey: Secret, for recipient: AgeRecipient
    ) throws(EvidenceError) -> AgeHeader.Stanza {
        let ephemeral = try Secret.random(X25519.byteCount)
        let share = try X25519.point(of: ephemeral)
        guard let shared = X25519.sharedSecret(ephemeral, recipient.point) else {
            throw EvidenceError.failed("encrypt for \(recipient)")
        }
        let key = try HKDFSHA256.derive(from: shared, salt: share + recipient.point, info: wrapInfo)
        return AgeHeader.Stanza(
            arguments: [type, String(decoding: Base64.encode(share, isPadded: false), as: UTF8.self)],
            body: try ChaChaPoly.seal(fileKey, key: key, nonce: wrapNonce))
    }

    // MARK: Decrypting

    /// Decrypts a file.
    /// - Parameters:
    ///   - file: binary, not armoured.
    ///   - identities: of which one belongs to a recipient of the file.
    public static func decrypt(
        _ file: [UInt8], with identities: [AgeIdentity]
    ) throws(EvidenceError) -> [UInt8] {
        let header = try AgeHeader(file)
        guard let fileKey = try unwrap(header.stanzas, with: identities) else { throw .otherRecipient }
        guard try header.isAuthentic(fileKey: fileKey) else {
            throw .ageFile(reason: "its header does not fit its authentication code, so it was changed")
        }
        let payload = file[header.byteCount...]
        guard payload.count >= nonceByteCount else {
            throw .ageFile(reason: "its header is followed by no payload")
        }
        let key = try HKDFSHA256.derive(from: fileKey, salt: Array(payload.prefix(nonceByteCount)), info: "payload")
        var plain: [UInt8] = []
        plain.reserveCapacity(payload.count)
        var index = 0
        var rest = payload.dropFirst(nonceByteCount)
        repeat {
            let sealed = rest.prefix(chunkByteCount + ChaChaPoly.tagByteCount)
            rest = rest.dropFirst(sealed.count)
            let isWhole = sealed.count >= ChaChaPoly.tagByteCount
            guard isWhole,
                var chunk = try ChaChaPoly.open(
                    sealed, key: key, nonce: chunkNonce(index, isLast: rest.isEmpty))
            else {
                plain.erase()
                throw .ageFile(reason: "its payload was changed or cut, in or after chunk \(index + 1) of 64 KiB")
            }
            // It would be another file for the same contents.
            guard index == 0 || !chunk.isEmpty else {
                plain.erase()
                throw .ageFile(reason: "its payload has an empty last chunk")
            }
            plain += chunk
            chunk.erase()
            index += 1
        } while !rest.isEmpty
        return plain
    }

    /// - Returns: the file key; nil if none of the identities is a recipient.
    private static func unwrap(
        _ stanzas: [AgeHeader.Stanza], with identities: [AgeIdentity]
    ) throws(EvidenceError) -> Secret? {
        // A passphrase is meant to prove who wrote the file, which another recipient could undermine.
        guard stanzas.count == 1 || !stanzas.contains(where: { $0.arguments[0] == "scrypt" }) else {
            throw .ageFile(reason: "its header has a passphrase and other recipients")
        }
        var fileKey: Secret?
        for stanza in stanzas where stanza.arguments[0] == type {
            guard stanza.arguments.count == 2,
                let share = Base64.decode(Array(stanza.arguments[1].utf8), isPadded: false),
                share.count == X25519.byteCount, stanza.body.count == fileKeyByteCount + ChaChaPoly.tagByteCount
            else { throw .ageFile(reason: "its header has an invalid X25519 recipient") }
            for identity in identities where fileKey == nil {
                guard let shared = X25519.sharedSecret(identity.secret, share) else {
                    throw .ageFile(reason: "its header has an X25519 recipient of low order")
                }
                let key = try HKDFSHA256.derive(
                    from: shared, salt: share + identity.recipient.point, info: wrapInfo)
                guard var opened = try ChaChaPoly.open(stanza.body[...], key: key, nonce: wrapNonce) else { continue }
                fileKey = Secret(copying: opened)
                opened.erase()
            }
        }
        return fileKey
    }

    /// An ephemeral key wraps once, so that its nonce may be fixed.
    private static let wrapNonce = [UInt8](repeating: 0, count: ChaChaPoly.nonceByteCount)

    /// The number of the chunk, big-endian in 11 bytes, and whether it is the last one.
    private static func chunkNonce(_ index: Int, isLast: Bool) -> [UInt8] {
        let number = (0..<8).reversed().map { UInt8(truncatingIfNeeded: index >> (8 * $0)) }
        return [0, 0, 0] + number + [isLast ? 1 : 0]
    }
}
