// SPDX-License-Identifier: Apache-2.0

/// The parameters of `Capture`, as org.inkpanel.Panel.varlink has them.
struct CaptureParameters: StrictMembers {
    struct Document: StrictMembers, Equatable {
        enum CodingKeys: CodingKey, CaseIterable { case reference, sha256 }

        var reference, sha256: String?
    }

    struct Shows: StrictMembers {
        enum CodingKeys: CodingKey, CaseIterable { case prompt, signer, reason, date }

        var prompt, signer, reason, date: Bool?
    }

    struct Minima: StrictMembers {
        enum CodingKeys: CodingKey, CaseIterable { case strokes, samples, length, extent, breadth, duration }

        var strokes, samples: Whole?
        var length, extent, breadth: Double?
        var duration: Whole?
    }

    struct Policy: StrictMembers {
        enum CodingKeys: CodingKey, CaseIterable { case undo, inactivityLimit, totalLimit, minima }

        var undo: Bool?
        var inactivityLimit, totalLimit: Whole?
        var minima: Strict<Minima>?
    }

    enum CodingKeys: CodingKey, CaseIterable { case prompt, signer, reason, document, data, shows, policy, wait }

    var prompt: [String]?
    var signer, reason: String?
    var document: Strict<Document>?
    var data: [String: String]?
    var shows: Strict<Shows>?
    var policy: Strict<Policy>?
    var wait: Bool?
}

/// The parameters of methods without any.
struct NoParameters: StrictMembers {
    enum CodingKeys: CodingKey, CaseIterable {
        // An enumeration without cases has no list of them made for it.
        static var allCases: [Self] { [] }
        init?(stringValue: String) { return nil }
        var stringValue: String { "" }
    }
}

/// Those of `Cancel`, `Clear` and `Accept`.
struct RunningParameters: StrictMembers {
    enum CodingKeys: CodingKey, CaseIterable { case id }

    var id: String?
}

/// Those of `Delete`.
struct RecordParameters: StrictMembers {
    enum CodingKeys: CodingKey, CaseIterable { case id }

    var id: String
}

/// Those of `GetInterfaceDescription`.
struct DescriptionParameters: StrictMembers {
    enum CodingKeys: CodingKey, CaseIterable { case interface }

    var interface: String
}

/// Those of `Get`.
struct GetParameters: StrictMembers {
    struct Size: StrictMembers {
        enum CodingKeys: CodingKey, CaseIterable { case width, height }

        var width, height: Whole
    }

    enum CodingKeys: CodingKey, CaseIterable {
        case id, format, dpi, size, part, transparent, color, caption, interrupted
    }

    var id: String
    var format: String
    var dpi: Double?
    var size: Strict<Size>?
    var part: String?
    var transparent: Bool?
    var color: String?
    var caption, interrupted: Bool?
}
