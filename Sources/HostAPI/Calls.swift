// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

// The parameters of methods with few of them, and their replies.

package struct NoParameters: StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable {
        // Not synthesized for an enumeration without cases.
        package static var allCases: [Self] { [] }
        package init?(stringValue: String) { return nil }
        package var stringValue: String { "" }
    }

    package init() {}
}

/// The parameters of `Cancel`, `Clear` and `Accept`.
public struct RunningCall: Codable, Sendable, StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case id }

    /// nil for the running capture.
    public var id: String?

    public init(id: CaptureID?) { self.id = id?.description }
}

/// The parameters of `Delete`.
public struct RecordCall: Codable, Sendable, StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case id }

    public var id: String

    public init(id: CaptureID) { self.id = id.description }
}

/// The parameters of `Mirror`.
public struct MirrorCall: Codable, Sendable, StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case level }

    public var level: String?

    public init(level: MirrorLevel) { self.level = level.rawValue }
}

/// A program that wants to be known to the gateway asks a person at the pad.
public struct PairingRequest: Codable, Equatable, Sendable, StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case name, digits, key }

    /// The program's name, 1 to 64 bytes.
    public var name: String
    /// Six decimal digits, which the program shows too.
    public var digits: String
    /// SHA-256 of the public key that the gateway's clients see, in Base64, as programs print it; nil if the gateway
    /// did not send it.
    public var key: String?

    public init(name: String, digits: String, key: String? = nil) {
        self.name = name
        self.digits = digits
        self.key = key
    }

    package func checked() throws(PanelError) -> PairingRequest {
        guard 1...64 ~= name.utf8.count, !name.isBlank else {
            throw .invalidParameter("name", expected: "1 to 64 bytes of UTF-8, not only blanks")
        }
        if let hidden = HiddenCharacter(in: name) { throw .hidden(hidden, in: "name") }
        guard digits.utf8.count == 6, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            throw .invalidParameter("digits", expected: "six decimal digits")
        }
        if let key { try checkKeyDigest(key) }
        return self
    }
}

private func checkKeyDigest(_ key: String) throws(PanelError) {
    let isBase64 = key.utf8.count == 44 && key.utf8.allSatisfy { $0 < 0x80 }
    guard isBase64, Data(base64Encoded: key)?.count == 32 else {
        throw .invalidParameter("key", expected: "the 32 bytes of a SHA-256 in Base64")
    }
}

/// The reply to `Pair`.
public struct PairingReply: Codable, Sendable {
    /// Whether the person at the pad has allowed it.
    public var allowed: Bool

    public init(allowed: Bool) { self.allowed = allowed }
}

/// The parameters of `Identify`.
public struct IdentifyCall: Codable, Sendable, StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case key }

    /// The gateway's key, as in ``PairingRequest/key``.
    public var key: String?

    public init(key: String?) { self.key = key }

    package func checked() throws(PanelError) -> String? {
        if let key { try checkKeyDigest(key) }
        return key
    }
}

/// An act of the simulated person of a panel, in a capture.
public enum SimulatedAct: String, CaseIterable, Sendable {
    /// Reads, ticks what must be ticked, answers, signs and presses Accept, for each person.
    case sign
    /// Presses Cancel.
    case cancel
    /// Leaves the page as it is.
    case leave
    /// Presses Accept without ink, which the page refuses, and leaves it.
    case refuse
    /// Presses Decline, chooses the first reason, and confirms.
    case decline
    /// Acts as ``sign`` does, but uses the first alternative to a signature that the host allows, if it allows one.
    case instead
}

/// The parameters of `Simulate`.
public struct SimulateCall: Codable, Sendable, StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case act }

    public var act: String

    public init(act: SimulatedAct) { self.act = act.rawValue }
}

/// The parameters of `GetInterfaceDescription`.
package struct DescriptionCall: StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case interface }

    package var interface: String
}

package struct DescriptionReply: Codable {
    package var description: String

    package init(description: String) { self.description = description }
}

/// A reply without members: that to `Append`, `CloseDocument`, `Cancel`, `Clear`, `Accept`, `TypeName`, `Delete`,
/// `Identify` and `Simulate`.
public struct NoReply: Codable, Sendable {
    package init() {}
}

/// The reply to `Health`.
public struct HealthReply: Codable, Sendable {
    public var health: PanelHealth

    package init(health: PanelHealth) { self.health = health }
}

/// The reply to `Reload`.
public struct ReloadReply: Codable, Equatable, Sendable {
    /// Settings that have changed and are applied, such as `capture.undo`, or the option `--notice`.
    public var applied: [String]
    /// Settings that have changed and need a restart, and the service that needs it, such as `fleet.broker:
    /// inkpanel-fleet`.
    public var restart: [String]

    package init(applied: [String] = [], restart: [String] = []) {
        self.applied = applied
        self.restart = restart
    }
}

/// The reply to `Status` and `Watch`.
public struct StatusReply: Codable, Sendable {
    public var status: PanelStatus

    package init(status: PanelStatus) { self.status = status }
}
