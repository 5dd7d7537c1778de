// SPDX-License-Identifier: Apache-2.0

/// A name that was typed in place of a signature.
public struct TypedName: Codable, Equatable, Sendable {
    public enum Typist: String, Codable, Sendable, CaseIterable {
        /// The person who would sign, on a keyboard of the host.
        case person
        /// Somebody at the host, such as a clerk.
        case staff
    }

    public var name: String
    public var by: Typist
    /// Why there is no signature. Staff must say so.
    public var reason: String?

    public init(name: String, by: Typist, reason: String? = nil) {
        self.name = name
        self.by = by
        self.reason = reason
    }

    /// A description for people, in English. The texts of the host are in quotes and last, so that they cannot pass for
    /// facts of the record.
    /// - Parameter facts: of the record, such as ", accepted by the host".
    public func words(_ facts: String) -> String {
        let act = by == .staff ? "that staff entered" : "that the person typed"
        let why = reason.map { ", because " + Self.quoted($0) } ?? ""
        return "a name \(act) in place of a signature\(facts): \(Self.quoted(name))\(why)"
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] } + "\""
    }

    /// Why a name cannot stand in place of a signature; nil if it can.
    package var fault: String? {
        if name.isEmpty { return "a name in place of a signature is empty" }
        return by == .staff && reason?.isEmpty != false ? "a name that staff entered without a reason" : nil
    }
}

/// The parameters of `TypeName`.
public struct TypeNameCall: Codable, Sendable, StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case id, name, by, reason }

    /// Bytes of UTF-8.
    package static let (longestName, longestReason) = (256, 1024)

    /// nil for the running capture.
    public var id: String?
    public var name, by: String
    public var reason: String?

    /// - Parameter by: a ``TypedName/Typist``; the panel checks it, as all members.
    public init(id: CaptureID?, name: String, by: String, reason: String? = nil) {
        self.id = id?.description
        self.name = name
        self.by = by
        self.reason = reason
    }

    package func checked() throws(PanelError) -> TypedName {
        guard let typist = TypedName.Typist(rawValue: by) else {
            let typists = TypedName.Typist.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidParameter("by", expected: "one of \(typists)")
        }
        try Self.check(name, "name", longest: Self.longestName)
        if let reason { try Self.check(reason, "reason", longest: Self.longestReason) }
        if typist == .staff, reason == nil {
            throw .invalidParameter("reason", expected: "why staff enter the name in place of a signature")
        }
        return TypedName(name: name, by: typist, reason: reason)
    }

    private static func check(_ text: String, _ member: String, longest: Int) throws(PanelError) {
        guard 1...longest ~= text.utf8.count, !text.isBlank else {
            throw .invalidParameter(member, expected: "1 to \(longest) bytes of UTF-8, not only blanks")
        }
        if let hidden = HiddenCharacter(in: text) { throw .hidden(hidden, in: member) }
    }
}
