// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The rules of a capture. The panel has a policy with all members; a call has one with the members that it
/// overrides. A member that both leave nil allows undo, limits no time and demands no minimum.
///
/// The member names are those of the interface, where times are microseconds.
public struct CapturePolicy: Equatable, Sendable {
    /// The minima of ink that counts as a signature, so that a dot, a tap or a line does not. nil demands nothing.
    public struct Minima: Equatable, Sendable {
        public var strokes: Int?
        /// Reports of the device.
        public var samples: Int?
        /// Millimetres of line.
        public var length: Double?
        /// Millimetres of the diagonal of the bounding box.
        public var extent: Double?
        /// Millimetres across the main direction; 0 for a straight line in any direction.
        public var breadth: Double?
        /// The time from the first sample to the last.
        public var duration: Duration?

        public init(
            strokes: Int? = nil, samples: Int? = nil, length: Double? = nil, extent: Double? = nil,
            breadth: Double? = nil, duration: Duration? = nil
        ) {
            self.strokes = strokes
            self.samples = samples
            self.length = length
            self.extent = extent
            self.breadth = breadth
            self.duration = duration
        }
    }

    /// Whether single strokes can be undone; forensic use wants a signature in one go.
    public var undo: Bool?
    /// The time without a touch until the capture times out.
    public var inactivityLimit: Duration?
    /// The time from the start until the capture times out, whatever happens.
    public var totalLimit: Duration?
    public var minima: Minima
    /// The rule for a page with characters that no font has.
    public var missingGlyphs: MissingGlyphsRule?
    /// The alternatives to a signature that people may use. nil allows none.
    public var alternatives: [Alternative]?

    public init(
        undo: Bool? = nil, inactivityLimit: Duration? = nil, totalLimit: Duration? = nil, minima: Minima = Minima(),
        missingGlyphs: MissingGlyphsRule? = nil, alternatives: [Alternative]? = nil
    ) {
        self.alternatives = alternatives
        self.missingGlyphs = missingGlyphs
        self.undo = undo
        self.inactivityLimit = inactivityLimit
        self.totalLimit = totalLimit
        self.minima = minima
    }

    /// This policy, with the members that it leaves open taken from `base`.
    public func merged(over base: CapturePolicy) -> CapturePolicy {
        CapturePolicy(
            undo: undo ?? base.undo, inactivityLimit: inactivityLimit ?? base.inactivityLimit,
            totalLimit: totalLimit ?? base.totalLimit,
            minima: Minima(
                strokes: minima.strokes ?? base.minima.strokes, samples: minima.samples ?? base.minima.samples,
                length: minima.length ?? base.minima.length, extent: minima.extent ?? base.minima.extent,
                breadth: minima.breadth ?? base.minima.breadth, duration: minima.duration ?? base.minima.duration),
            missingGlyphs: missingGlyphs ?? base.missingGlyphs, alternatives: alternatives ?? base.alternatives)
    }
}

/// An act of a person who cannot write a signature, in its place.
public enum Alternative: String, Codable, CaseIterable, Sendable {
    /// Confirms with a button or a key.
    case confirmed
    /// Makes a mark, such as a cross. Two witnesses who saw that write their names and sign.
    case mark
    /// Has somebody else sign, who writes their own name, too.
    case representative
    /// Has their name typed at the host, by themselves or by staff, and accepts it on the pad (`TypeName`).
    case typed
}

/// The rule for a page with characters that no font has. The host hears of them in any case.
public enum MissingGlyphsRule: String, Equatable, Sendable, Codable, CaseIterable {
    /// Such a capture does not begin.
    case refuse
    /// It does not begin if they are in the signer's name or in the rows: names and amounts are not guessed from the
    /// rest of the text, as words are.
    case values
    case tell
}

extension CapturePolicy: Codable {
    private enum MemberKey: CodingKey, CaseIterable {
        case undo, inactivityLimit, totalLimit, minima, missingGlyphs, alternatives
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.strictContainer(keyedBy: MemberKey.self)
        let alternatives = try members.decodeListIfPresent(Alternative.self, forKey: .alternatives, of: "alternatives")
        if let alternatives, Set(alternatives).count != alternatives.count {
            throw Expectation.failure("each once", at: members.codingPath + [MemberKey.alternatives])
        }
        self.init(
            undo: try members.decodeIfPresent(Bool.self, forKey: .undo),
            inactivityLimit: try members.decodeMicrosecondsIfPresent(forKey: .inactivityLimit),
            totalLimit: try members.decodeMicrosecondsIfPresent(forKey: .totalLimit),
            minima: try members.decodeIfPresent(Minima.self, forKey: .minima) ?? Minima(),
            missingGlyphs: try members.decodeIfPresent(String.self, forKey: .missingGlyphs).map { name in
                guard let rule = MissingGlyphsRule(rawValue: name) else {
                    throw Expectation.failure(
                        "one of " + MissingGlyphsRule.allCases.map(\.rawValue).joined(separator: ", "),
                        at: members.codingPath + [MemberKey.missingGlyphs])
                }
                return rule
            }, alternatives: alternatives)
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: MemberKey.self)
        try members.encodeIfPresent(undo, forKey: .undo)
        try members.encodeIfPresent(inactivityLimit?.microseconds, forKey: .inactivityLimit)
        try members.encodeIfPresent(totalLimit?.microseconds, forKey: .totalLimit)
        try members.encode(minima, forKey: .minima)
        try members.encodeIfPresent(missingGlyphs, forKey: .missingGlyphs)
        try members.encodeIfPresent(alternatives, forKey: .alternatives)
    }
}

extension CapturePolicy.Minima: Codable {
    private enum MemberKey: CodingKey, CaseIterable { case strokes, samples, length, extent, breadth, duration }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.strictContainer(keyedBy: MemberKey.self)
        self.init(
            strokes: try members.decodeWholeIfPresent(forKey: .strokes).map { Int($0) },
            samples: try members.decodeWholeIfPresent(forKey: .samples).map { Int($0) },
            length: try members.decodeIfPresent(Double.self, forKey: .length),
            extent: try members.decodeIfPresent(Double.self, forKey: .extent),
            breadth: try members.decodeIfPresent(Double.self, forKey: .breadth),
            duration: try members.decodeMicrosecondsIfPresent(forKey: .duration))
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: MemberKey.self)
        try members.encodeIfPresent(strokes, forKey: .strokes)
        try members.encodeIfPresent(samples, forKey: .samples)
        try members.encodeIfPresent(length, forKey: .length)
        try members.encodeIfPresent(extent, forKey: .extent)
        try members.encodeIfPresent(breadth, forKey: .breadth)
        try members.encodeIfPresent(duration?.microseconds, forKey: .duration)
    }
}
