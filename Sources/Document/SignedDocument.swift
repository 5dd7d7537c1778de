// SPDX-License-Identifier: Apache-2.0

/// A document with an update that still lacks its signature (ISO 32000-1, 12.8.1): bytes with one hole.
///
/// The update comes from a process that is not trusted, because it has parsed the document. So this type parses no PDF:
/// it appends the update to the document, finds the hole, and checks that the signed range that the file states is all
/// but the hole. A signature over ``signedRanges`` covers whatever else the update has.
public struct SignedDocument: Equatable, Sendable {
    /// The longest signature, in bytes.
    public static let longestSignature = 8192
    /// The longest update, in bytes.
    public static let longestUpdate = HelperLimits.update

    /// The length of the numbers of `ByteRange` with the closing bracket, in bytes: enough for files of 4 GiB. An
    /// update has spaces there until the numbers are known.
    static let rangeByteCount = 48
    static let rangeStart = Array("/ByteRange [".utf8)
    static let holeStart = Array("/Contents <".utf8)
    /// The number of digits in the hole.
    public static let digitCount = 2 * longestSignature

    /// The whole file.
    public private(set) var bytes: [UInt8]
    /// The number of bytes of the document before the update. They are never changed.
    public let originalCount: Int
    /// The place of the signature in the file, with the angle brackets.
    public let hole: Range<Int>

    /// - Parameters:
    ///   - original: the document.
    ///   - update: the bytes that follow.
    public init(original: consuming [UInt8], update: [UInt8]) throws(SignedDocumentError) {
        guard update.count <= Self.longestUpdate else { throw .longUpdate(byteCount: update.count) }
        originalCount = original.count
        // Objects that the update repeats, such as pages with notes, may have entries of the same names.
        let holes = Self.holes(in: update)
        guard holes.count == 1, update[..<(holes[0].lowerBound + 1)].suffix(Self.holeStart.count) == Self.holeStart[...]
        else { throw .holes }
        hole = originalCount + holes[0].lowerBound..<originalCount + holes[0].upperBound
        let size = originalCount + update.count
        let expected = Self.rangeText(hole: hole, size: size)
        let ranges = Self.places(of: expected, in: update, atMost: 2)
        guard ranges.count == 1, ranges[0] + expected.count <= holes[0].lowerBound else { throw .byteRange }
        bytes = original
        bytes.reserveCapacity(size)
        bytes.append(contentsOf: update)
    }

    /// The ranges that the signature covers: all bytes before the hole, and all after it.
    public var signedRanges: [Range<Int>] { [0..<hole.lowerBound, hole.upperBound..<bytes.count] }

    /// Puts the signature into its place.
    /// - Parameter signature: a CMS in DER over ``signedRanges``.
    public mutating func fill(with signature: [UInt8]) throws(SignedDocumentError) {
        guard (1...Self.longestSignature).contains(signature.count) else {
            throw .longSignature(byteCount: signature.count)
        }
        let digits = Array("0123456789abcdef".utf8)
        var place = hole.lowerBound + 1
        for byte in signature {
            bytes[place] = digits[Int(byte >> 4)]
            bytes[place + 1] = digits[Int(byte & 15)]
            place += 2
        }
        // Digits of an earlier, longer signature become zeros.
        while place < hole.upperBound - 1 {
            bytes[place] = UInt8(ascii: "0")
            place += 1
        }
    }

    /// The entry `ByteRange` of a signature, filled up with spaces.
    /// - Parameters:
    ///   - hole: in the file, with the angle brackets.
    ///   - size: of the file.
    public static func rangeText(hole: Range<Int>, size: Int) -> [UInt8] {
        let text = "0 \(hole.lowerBound) \(hole.upperBound) \(size - hole.upperBound) ]"
        let spaces = max(0, rangeByteCount - text.utf8.count)
        return rangeStart + Array(text.utf8) + [UInt8](repeating: UInt8(ascii: " "), count: spaces)
    }

    /// The entry before its numbers are known.
    public static var rangePlaceholder: [UInt8] {
        rangeStart + [UInt8](repeating: UInt8(ascii: " "), count: rangeByteCount)
    }

    /// The entry `Contents` of a signature before it is filled.
    public static var emptyHole: [UInt8] {
        holeStart + [UInt8](repeating: UInt8(ascii: "0"), count: digitCount) + [UInt8(ascii: ">")]
    }

    /// The strings of exactly ``digitCount`` zeros, with their angle brackets; two at most.
    private static func holes(in update: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start: Int?
        for (place, byte) in update.enumerated() {
            switch byte {
            case UInt8(ascii: "<"): start = place
            case UInt8(ascii: "0"): continue
            case UInt8(ascii: ">"):
                if let start, place - start - 1 == digitCount { found.append(start..<place + 1) }
                start = nil
            default: start = nil
            }
            if found.count == 2 { break }
        }
        return found
    }

    private static func places(of word: [UInt8], in bytes: [UInt8], atMost count: Int) -> [Int] {
        var found: [Int] = []
        var place = 0
        while place + word.count <= bytes.count, found.count < count {
            if bytes[place] == word[0], bytes[place..<place + word.count].elementsEqual(word) { found.append(place) }
            place += 1
        }
        return found
    }
}

/// The reason why an update of a document is not signed. The program that made it has a fault, or the document has
/// misled it.
public enum SignedDocumentError: Error, Equatable, Sendable, CustomStringConvertible {
    case longUpdate(byteCount: Int)
    /// There is no place for a signature in the update, or more than one.
    case holes
    /// The signed range that the update states is not all but the hole.
    case byteRange
    /// The signature has no bytes, or more than ``SignedDocument/longestSignature``.
    case longSignature(byteCount: Int)

    public var description: String {
        switch self {
        case .longUpdate(let count):
            "the update has \(count) bytes, more than \(SignedDocument.longestUpdate): make the ink simpler"
        case .holes: "the update does not have one place for a signature: the document is not signed"
        case .byteRange: "the update would have another range signed than the whole file: the document is not signed"
        case .longSignature(let count):
            "the signature has \(count) bytes, and there is room for 1 to \(SignedDocument.longestSignature): shorten"
                + " the chain of certificates"
        }
    }
}
