// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// JSON lines: one JSON object a line; the last line may be torn. Records and sketches are written so.
package enum JSONLines {
    package static let newline = UInt8(ascii: "\n")

    /// Two members of the first line.
    struct Format: Decodable {
        var format: String
        var version: Int
    }

    /// The number of bytes in whole lines. The rest was being written when the process or the power went: a line
    /// without its newline or, because a file system may store a block before earlier ones, with zero bytes. There is
    /// at most one such line, because each is forced to the medium before the next.
    package static func wholeByteCount(_ bytes: some BidirectionalCollection<UInt8>) -> Int {
        guard let end = bytes.lastIndex(of: newline) else { return 0 }
        let start = bytes[..<end].lastIndex(of: newline).map { bytes.index(after: $0) } ?? bytes.startIndex
        let cut = bytes[start..<end].contains(0) ? start : bytes.index(after: end)
        return bytes.distance(from: bytes.startIndex, to: cut)
    }

    /// The whole lines without their newlines.
    package static func whole(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes[..<wholeByteCount(bytes)].split(separator: newline, omittingEmptySubsequences: false).dropLast()
    }

    /// - Parameter line: without its newline.
    package static func parse<Value: Decodable>(
        _ type: Value.Type, _ line: ArraySlice<UInt8>
    ) throws(JSONLineError) -> Value {
        // JSON strings escape control characters, and these formats have no space between values. Foundation might
        // take some for UTF-16.
        guard line.first == UInt8(ascii: "{"), !line.contains(where: { $0 < 0x20 }) else {
            throw JSONLineError(reason: "not a JSON object in one line of UTF-8")
        }
        do {
            return try CheckedJSON.decode(type, from: Data(line))
        } catch let error as DecodingError {
            throw JSONLineError(reason: error.reason)
        } catch {
            throw JSONLineError(reason: "the JSON cannot be decoded (\(error))")
        }
    }

    /// The same value gives the same bytes.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }
}

/// The fault in a line.
package struct JSONLineError: Error {
    package var reason: String
}

/// The samples of a line: a list `"samples":[[t,x,y],[t,x,y,more],…]` of whole numbers, by far the largest part of
/// records and sketches. It is read without Foundation, which needs about 60 bytes for each byte of it.
///
/// Only what ``append(_:to:)`` writes is read so. Foundation reads anything else and says what is wrong with it. The
/// fourth number is a pressure here; in the air it is a distance.
enum SampleList {
    typealias Sample = CaptureStroke.Sample

    /// Longer lines are only read if their samples are such a list: 35,000 samples.
    private static let longestLine = 1 << 20
    /// A member's name and the start of its value. Within a string the quotes would be escaped.
    private static let start = Array("\"samples\":[".utf8)

    /// Appends the member `samples`.
    /// - Parameter samples: not empty.
    static func append(_ samples: some Sequence<Sample>, to bytes: inout [UInt8]) {
        func append(_ number: some BinaryInteger) { bytes.append(contentsOf: String(number).utf8) }
        bytes += start
        var isFirst = true
        for sample in samples {
            bytes.append(contentsOf: (isFirst ? "[" : ",[").utf8)
            isFirst = false
            append(sample.microseconds)
            bytes.append(UInt8(ascii: ","))
            append(sample.x)
            bytes.append(UInt8(ascii: ","))
            append(sample.y)
            if let more = sample.pressure {
                bytes.append(UInt8(ascii: ","))
                append(more)
            }
            bytes.append(UInt8(ascii: "]"))
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Decodes a line without its samples.
    /// - Parameter line: without its newline.
    /// - Returns: nil for the samples if they are in the value instead.
    package static func parse<Value: Decodable>(
        _ type: Value.Type, _ line: ArraySlice<UInt8>
    ) throws(JSONLineError) -> (Value, [Sample]?) {
        if let (samples, rest) = extract(from: line) { return (try JSONLines.parse(type, rest), samples) }
        if line.count > longestLine { throw JSONLineError(reason: "a long line without a list of samples") }
        return (try JSONLines.parse(type, line), nil)
    }

    /// - Returns: the samples and the line with an empty list in their place; nil if there is no such list, or several.
    static func extract(from line: ArraySlice<UInt8>) -> (samples: [Sample], rest: ArraySlice<UInt8>)? {
        guard let start = place(in: line) else { return nil }
        var scanner = Scanner(bytes: line, index: start)
        guard let samples = scanner.samples(), place(in: line[scanner.index...]) == nil else { return nil }
        return (samples, line[..<start] + line[(scanner.index - 1)...])
    }

    /// - Returns: the index after the list's opening bracket.
    private static func place(in line: ArraySlice<UInt8>) -> Int? {
        var index = line.startIndex
        while index + start.count <= line.endIndex {
            if line[index] == start[0], line[index..<index + start.count].elementsEqual(start) {
                return index + start.count
            }
            index += 1
        }
        return nil
    }

    /// - Parameters:
    ///   - list: the samples that ``parse(_:_:)`` has read; nil if Foundation has read them into `lists`.
    ///   - last: the name of the fourth number, for the error.
    static func samples(_ list: [Sample]?, or lists: [[Int64]], last: String) throws(JSONLineError) -> [Sample] {
        if let list { return list }
        var samples: [Sample] = []
        samples.reserveCapacity(lists.count)
        for (index, numbers) in lists.enumerated() {
            guard (3...4).contains(numbers.count), let x = Int32(exactly: numbers[1]),
                let y = Int32(exactly: numbers[2]),
                let more = numbers.count == 4 ? Int32(exactly: numbers[3]).map(Optional.some) : .some(nil)
            else { throw invalidSample(index, last: last) }
            samples.append(Sample(microseconds: numbers[0], x: x, y: y, pressure: more))
        }
        return samples
    }

    static func invalidSample(_ index: Int, last: String) -> JSONLineError {
        JSONLineError(reason: "sample \(index + 1) is not a time, x, y and optionally a \(last)")
    }

    private struct Scanner {
        let bytes: ArraySlice<UInt8>
        var index: Int

        /// Reads up to and including the list's closing bracket.
        mutating func samples() -> [Sample]? {
            var samples: [Sample] = []
            // Growing in steps would take twice the memory.
            samples.reserveCapacity(bytes[index...].count { $0 == UInt8(ascii: "[") })
            repeat {
                guard let sample = sample() else { return nil }
                samples.append(sample)
            } while skip(",")
            return skip("]") ? samples : nil
        }

        private mutating func sample() -> Sample? {
            guard skip("["), let t = number(), skip(","), let x = number().flatMap(Int32.init(exactly:)), skip(","),
                let y = number().flatMap(Int32.init(exactly:))
            else { return nil }
            var sample = Sample(microseconds: t, x: x, y: y)
            if skip(",") {
                guard let more = number().flatMap(Int32.init(exactly:)) else { return nil }
                sample.pressure = more
            }
            return skip("]") ? sample : nil
        }

        /// Reads a whole number as JSON has them: no leading zero, no plus.
        private mutating func number() -> Int64? {
            let isNegative = skip("-")
            let first = index
            var value: Int64 = 0
            while index < bytes.endIndex, case let digit = bytes[index] &- UInt8(ascii: "0"), digit < 10 {
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, overflowToo) = product.subtractingReportingOverflow(Int64(digit))
                if overflow || overflowToo { return nil }
                value = sum
                index += 1
            }
            if index == first || index > first + 1 && bytes[first] == UInt8(ascii: "0") { return nil }
            // Summed up below zero, because there is one more negative number.
            return isNegative ? value : value == .min ? nil : -value
        }

        private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
            guard index < bytes.endIndex, bytes[index] == UInt8(ascii: byte) else { return false }
            index += 1
            return true
        }
    }
}
