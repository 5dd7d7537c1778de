// SPDX-License-Identifier: Apache-2.0
import Evidence
import Record

/// Checks keys, signatures and encrypted files, which whoever owns a panel or verifies a record gets from others.
enum EvidenceChecks {
    static func checkSeal(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let file: SealFile
        do throws(CaptureFormatError) {
            file = try SealFile(bytes)
        } catch {
            try require(!error.description.isEmpty, "an error without a description")
            return false
        }
        try require(file.bytes == bytes, "other bytes when written")
        try require((try? file.seal.line()) == file.line, "another line when written")
        var verification = Verification(allowedSigners: nil)
        verification.check(file)
        verification.check(Verification.Files(record: bytes), of: file.seal.id ?? "x", seal: file.seal)
        verification.finish()
        // No digest is that of the bytes that contain it.
        try require(verification.isWrong, "a record that fits its seal")
        return true
    }

    static func checkSignature(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let signature: SSHSignature
        do throws(EvidenceError) {
            signature = try SSHSignature(armoured: bytes)
        } catch {
            return try refused(error)
        }
        let written = try? SSHSignature(armoured: signature.armoured)
        try require(written == signature, "another signature when written and read")
        try require(PublicKey(point: signature.publicKey.point) == signature.publicKey, "a key off the curve")
        try require(!signature.isValid(for: bytes), "a signature of itself")
        return true
    }

    /// That of the seeds, which are test vectors of C2SP/CCTV.
    private static let identity = try? AgeIdentity(
        "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0")

    /// - Returns: whether the header is well-formed. Hardly any damage leaves more.
    static func checkAge(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let plain: [UInt8]
        do throws(EvidenceError) {
            plain = try Age.decrypt(bytes, with: identity.map { [$0] } ?? [])
        } catch {
            let isRead = try refused(error)
            return isRead || error == .otherRecipient
        }
        try require(plain.count < bytes.count, "more than the file holds")
        return true
    }

    static func checkAgeKeys(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        for word in text.split(whereSeparator: \.isWhitespace).prefix(100) {
            let recipient: AgeRecipient
            do throws(EvidenceError) {
                recipient = try AgeRecipient(String(word))
            } catch {
                // The start of each type of key may be repeated.
                try require(word.count < 30 || !error.description.contains(word.suffix(20)), "a key in a message")
                continue
            }
            try require(recipient.description == word, "another recipient when written")
            let file = try? Age.encrypt([1], to: [recipient])
            try require(file != nil, "no file can be encrypted to the recipient")
        }
        let identities: [AgeIdentity]
        do throws(EvidenceError) {
            identities = try AgeIdentity.identities(inFile: bytes)
        } catch {
            return try refused(error)
        }
        try require(!identities.isEmpty, "a file without identities")
        for identity in identities {
            try require(text.contains(identity.text), "another identity when written")
            let plain = try? Age.decrypt(try Age.encrypt([1], to: [identity.recipient]), with: [identity])
            try require(plain == [1], "the identity does not decrypt what is encrypted to its recipient")
        }
        return true
    }

    static func checkAllowedSigners(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let allowed: AllowedSigners
        do throws(EvidenceError) {
            allowed = try AllowedSigners(bytes)
        } catch {
            return try refused(error)
        }
        for signer in allowed.signers.prefix(100) {
            try require(!signer.principals.isEmpty, "a signer without a name")
            let found = allowed.signers(of: signer.key, namespace: "inkpanel-seal")
            try require(found.allSatisfy { $0.key == signer.key }, "a signer with another key")
            if signer.namespaces == nil { try require(found.contains(signer), "a signer who is not found") }
            let line = AllowedSigners.line(
                principal: signer.principals[0], key: signer.key, namespace: "n", validAfter: nil)
            let written = try? AllowedSigners(Array(line.utf8))
            try require(written?.signers.map(\.key) == [signer.key], "another signer when written and read")
        }
        return !allowed.signers.isEmpty
    }

    static func checkSigningKey(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let key: SigningKey
        do throws(EvidenceError) {
            key = try SigningKey(pem: bytes)
        } catch {
            return try refused(error)
        }
        let written = try? SigningKey(pem: key.pem())
        try require(written?.publicKey == key.publicKey, "another key when written and read")
        let signature = try? key.sign(bytes, namespace: "n")
        try require(signature?.isValid(for: bytes) == true, "an invalid signature")
        return true
    }

    static func checkCertificate(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let key: PublicKey
        do throws(EvidenceError) {
            key = try PublicKey(certificate: bytes)
        } catch {
            return try refused(error)
        }
        try require(PublicKey(point: key.point) == key, "a key off the curve")
        try require(PublicKey(text: key.text) == key, "another key when written and read")
        return true
    }

    /// Input is to blame for every error.
    private static func refused(_ error: EvidenceError) throws(CheckedInput.Fault) -> Bool {
        if case .failed = error { throw CheckedInput.Fault("\(error)") }
        try require(!error.description.isEmpty, "an error without words")
        return false
    }
}
