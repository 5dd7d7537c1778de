// SPDX-License-Identifier: Apache-2.0

/// Why a key, a signature, a certificate or an encrypted file cannot be made or read. No case holds a secret.
public enum EvidenceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// libcrypto failed at something that no input makes fail: it has no memory or no random bytes, or its
    /// configuration takes an algorithm away.
    case failed(doing: String, reason: String)
    /// A private key cannot be read.
    case privateKey(reason: String)
    /// The namespace of a signature has other than 1 to 255 visible ASCII characters.
    case namespace
    /// An armoured SSH signature cannot be read.
    case signature(reason: String)
    /// A certificate cannot be read, or has a key of another kind.
    case certificate(reason: String)
    /// A name in a certificate is empty, too long or has control characters.
    case certificateName(field: String)
    /// A certificate would end before it begins, or not between the years 1970 and 9999.
    case certificateTime
    /// The certificate that a document would be signed with is another key's.
    case otherKeysCertificate
    /// A file `allowed_signers` is longer than ``AllowedSigners/longestFile``.
    case longAllowedSigners
    /// A text is not an age recipient that files can be encrypted to.
    case recipient(reason: String)
    /// Other than 1 to ``Age/mostRecipients`` recipients.
    case recipientCount(Int)
    /// A text, or a line of a file, is not an age identity that files can be decrypted with.
    /// - Parameter line: from 1; nil for a text of its own.
    case identity(line: Int?, reason: String)
    /// A file is not an age file, or was changed or cut.
    case ageFile(reason: String)
    /// None of the identities belongs to a recipient of the age file.
    case otherRecipient

    public var description: String {
        switch self {
        case .failed(let action, let reason): "libcrypto cannot \(action): \(reason)"
        case .privateKey(let reason): "the private key cannot be read: \(reason)"
        case .namespace: "the namespace of a signature must have 1 to 255 visible ASCII characters"
        case .signature(let reason): "the SSH signature cannot be read: \(reason)"
        case .certificate(let reason): "the certificate cannot be read: \(reason)"
        case .certificateName(let field):
            "the \(field) of a certificate must have 1 to \(CertificateSubject.longestName) characters, none of them a"
                + " control character"
        case .certificateTime: "a certificate must begin before it ends, between the years 1970 and 9999"
        case .otherKeysCertificate:
            "the first certificate is another key's: put the certificate of the key that signs first, then its chain"
        case .longAllowedSigners:
            "the file of allowed signers is longer than \(AllowedSigners.longestFile) bytes; leave out keys that are"
                + " no panel's"
        case .recipient(let reason): "not an age recipient: \(reason)"
        case .recipientCount(let count):
            "a file is encrypted to 1 to \(Age.mostRecipients) recipients, not \(count)"
        case .identity(nil, let reason): "not an age identity: \(reason)"
        case .identity(let line?, let reason): "line \(line) is not an age identity: \(reason)"
        case .ageFile(let reason): "the age file cannot be decrypted: \(reason)"
        case .otherRecipient:
            "the age file is not encrypted to any of these identities: use the identity of one of its recipients"
        }
    }
}
