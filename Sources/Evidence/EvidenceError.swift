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

    public var description: String {
        switch self {
        case .failed(let action, let reason): "libcrypto cannot \(action): \(reason)"
        case .privateKey(let reason): "the private key cannot be read: \(reason)"
        case .namespace: "the namespace of a signature must have 1 to 255 visible ASCII characters"
        case .signature(let reason): "the SSH signature cannot be read: \(reason)"
        }
    }
}
