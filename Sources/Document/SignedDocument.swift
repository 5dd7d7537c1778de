// SPDX-License-Identifier: Apache-2.0

/// A document with an update that still lacks its signature (ISO 32000-1, 12.8.1): bytes with one hole.
///
/// The update comes from a process that has parsed the document and that nobody trusts. So this type parses no PDF: it
/// appends the update to the document, finds the hole, and checks that the range that the file says is signed is all
/// but the hole. Whatever else the update has, a signature over ``signedRanges`` covers it.
public struct SignedDocument: Equatable, Sendable {
    /// The longest signature, in bytes.
    public static let longestSignature = 8192
    /// The longest update, in bytes.
    public static let longestUpdate = HelperLimits.update

    /// What the range looks like in an update, until its numbers are known: as long as all numbers in files of 4 GiB.
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
        let holes = Self.holes(in: update)
        guard holes.count == 1, Self.places(of: Self.holeStart, in: update, atMost: 2) == [
            holes[0].lowerBound - Self.holeStart.count + 1
        ] else { throw .holes }
        hole = originalCount + holes[0].lowerBound..<originalCount + holes[0].upperBound
        let size = originalCount + update.count
        let ranges = Self.places(of: Self.rangeStart, in: update, atMost: 2)
        let expected = Self.rangeText(hole: hole, size: size)
        guard ranges.count == 1, ranges[0] + expected.count <= holes[0].lowerBound,
            update[ranges[0]..<ranges[0] + expected.count].elementsEqual(expected)
        else { throw .byteRange }
        bytes = original
        bytes.reserveCapacity(size)
        bytes.append(contentsOf: update)
    }

    /// What the signature covers: all before the hole, and all after it.
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
        // What an earlier, longer signature has left.
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

    /// Two at most.
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

/// Why an update of a document is not signed. The program that has made it is wrong, or was led astray by the document.
public enum SignedDocumentError: Error, Equatable, Sendable, CustomStringConvertible {
    case longUpdate(byteCount: Int)
    /// There is no place for a signature in the update, or more than one.
    case holes
    /// The range that the update says is signed is not all but the hole.
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
