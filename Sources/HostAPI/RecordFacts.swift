// SPDX-License-Identifier: Apache-2.0

// Facts that records and replies about records state in the same words.

/// How a capture ended, as records, files and the host API name it.
public enum RecordOutcome: String, Codable, Sendable, CaseIterable {
    case accepted, cancelled, timedOut
    /// The record has no end: the panel was switched off, or its program ended, while the person signed.
    case interrupted
}

/// The page that the person saw: its digests as it was composed, and when it was on the screen.
///
/// A digest is the SHA-256 of the picture as a binary PPM file: `P6`, a newline, width, a space, height, a newline,
/// `255`, a newline, then three bytes for each pixel, row by row, not rotated. Any program that writes PPM finds the
/// same one.
public struct ShownPage: Codable, Equatable, Sendable {
    /// The page before the first stroke.
    public var page: String
    /// The page with the ink that was accepted, while Accept is pressed.
    public var signed: String
    /// When the page was shown and when the ink was accepted: microseconds after the start of the capture, by the
    /// clock of the devices.
    public var from, until: Int64
    /// The fonts of its texts, with their versions as fontconfig has them; the first ones, if there are very many.
    public var fonts: [String]
    /// The limit for the names together, in bytes, so that the end of a record has room for them.
    private static let fontByteCount = 3 << 10

    public init(page: String, signed: String, from: Int64, until: Int64, fonts: [String]) {
        self.page = page
        self.signed = signed
        self.from = from
        self.until = until
        var room = Self.fontByteCount
        self.fonts = Array(
            fonts.prefix {
                // Eight bytes more for quotes, a comma, and an escape now and then.
                room -= $0.utf8.count + 8
                return room > 0
            })
    }
}

/// The parts of a document that one person has read. It is in the end of a record. All but the time follows from the
/// record's views.
public struct ReadingResult: Codable, Equatable, Sendable {
    /// The numbers of the pages of which rows were on the screen in the page's whole width, in their order.
    public var pages: [Int]
    /// Whether all rows of all pages were.
    public var toEnd: Bool
    /// The time with the document, in seconds.
    public var seconds: Double

    public init(pages: [Int], toEnd: Bool, seconds: Double) {
        self.pages = pages
        self.toEnd = toEnd
        self.seconds = seconds
    }
}

/// An act in place of a signature, or a part of one.
public enum InsteadPart: String, Codable, Sendable, CaseIterable {
    /// The person confirmed with a button or a key. There is no ink.
    case confirmed
    /// The mark, such as a cross, of a person who cannot write.
    case mark
    /// The name and signature of somebody who saw the mark made.
    case witness1, witness2
    /// The name and signature of somebody who signs for the person.
    case representative
    /// A name that was typed at the host. There is no ink.
    case typed
}

/// A field or note of a capture with ink, or what was accepted in place of a signature without.
public struct SignedField: Codable, Equatable, Sendable {
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case signature, initials, note
    }

    /// The name of the field or the question, as in ``GetCall/field``. Without a document, the first person's signature
    /// is called `signature`, those of others `signature:ROLE`.
    public var name: String
    public var kind: Kind
    /// The role of the person; nil if the host named no people.
    public var person: String?
    /// The number of visible strokes.
    public var strokes: Int
    /// The field whose ink this one has: the person chose to use their initials again.
    public var same: String?
    /// nil for what the person has written as asked.
    public var instead: InsteadPart?
    /// Whether all words of the page had been read aloud to their end; only for ``InsteadPart/confirmed`` and
    /// ``InsteadPart/typed``.
    public var heard: Bool?
    /// The typed name, and whether the host accepted it rather than the person on the pad; only for
    /// ``InsteadPart/typed``.
    public var typed: TypedName?
    public var host: Bool?

    public init(
        name: String, kind: Kind, person: String? = nil, strokes: Int, same: String? = nil,
        instead: InsteadPart? = nil, heard: Bool? = nil, typed: TypedName? = nil, host: Bool? = nil
    ) {
        self.instead = instead
        self.heard = heard
        self.typed = typed
        self.host = host
        self.name = name
        self.kind = kind
        self.person = person
        self.strokes = strokes
        self.same = same
    }
}

/// How well the devices and the screen worked during a capture.
public struct CaptureQuality: Codable, Equatable, Sendable {
    /// Milliseconds from a report to the screen, as percentiles.
    public struct Latency: Codable, Equatable, Sendable {
        public var p50, p95, p99: Double

        public init(p50: Double, p95: Double, p99: Double) {
            self.p50 = p50
            self.p95 = p95
            self.p99 = p99
        }
    }

    /// Reports per second while a contact was down; nil if no stroke has two samples.
    public var reportRate: Double?
    /// The longest time between two reports of a stroke, in microseconds; nil if no stroke has two samples.
    public var longestGap: Int64?
    /// The number of times that the kernel dropped reports (SYN_DROPPED).
    public var drops: Int
    /// The number of contacts that drew no ink: second fingers, palms, fingers near a pen, and those that noise filters
    /// removed.
    public var ignoredContacts: Int
    /// nil if nothing was shown.
    public var latency: Latency?

    public init(
        reportRate: Double? = nil, longestGap: Int64? = nil, drops: Int = 0, ignoredContacts: Int = 0,
        latency: Latency? = nil
    ) {
        self.reportRate = reportRate
        self.longestGap = longestGap
        self.drops = drops
        self.ignoredContacts = ignoredContacts
        self.latency = latency
    }
}

/// The date at the start in the panel's time zone.
public struct LocalDate: Codable, Equatable, Sendable {
    /// The text on the page, if ``ShownFields/date`` says that it was there.
    public var text: String
    /// Seconds by which local time was ahead of UTC.
    public var offsetSeconds: Int
    /// The IANA name of the time zone; nil if the machine does not know it.
    public var zone: String?

    public init(text: String, offsetSeconds: Int, zone: String? = nil) {
        self.text = text
        self.offsetSeconds = offsetSeconds
        self.zone = zone
    }
}

/// The place of a seal in the chain: what a host keeps so that nobody can change what came before.
public struct SealHead: Codable, Hashable, Sendable {
    /// The number of the seal, from 1.
    public var n: Int64
    /// The digest of the seal's line, newline included.
    public var digest: String

    public init(n: Int64, digest: String) {
        self.n = n
        self.digest = digest
    }

    /// Whether a text is 64 lower-case hexadecimal digits.
    package static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
    }
}
