// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Geometry
import JSON

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

    /// Reads a line, which is an object without `null`: readers disagree whether a member that is null is there.
    /// - Parameters:
    ///   - line: without its newline.
    ///   - body: reads the object.
    static func read(
        _ line: ArraySlice<UInt8>,
        _ body: (inout JSONReader) throws(JSONFault) -> JSONValue = { reader throws(JSONFault) in try reader.value() }
    ) throws(JSONLineError) -> JSONValue {
        // JSON strings escape control characters, and these formats have no space between values.
        guard line.first == UInt8(ascii: "{"), !line.contains(where: { $0 < 0x20 }) else {
            throw JSONLineError(reason: "not a JSON object in one line of UTF-8")
        }
        let value: JSONValue
        do throws(JSONFault) { value = try JSONReader.read(line, body) } catch {
            throw JSONLineError(reason: error.place)
        }
        if value.hasNull { throw JSONLineError(reason: "a value is null") }
        return value
    }

    /// Decodes a value that was read.
    static func decode<Value: Decodable>(_ type: Value.Type, _ value: JSONValue) throws(JSONLineError) -> Value {
        do {
            return try value.decode(type)
        } catch let error as DecodingError {
            throw JSONLineError(reason: error.reason)
        } catch {
            throw JSONLineError(reason: "the JSON cannot be decoded (\(error))")
        }
    }

    /// - Parameter line: without its newline.
    package static func parse<Value: Decodable>(
        _ type: Value.Type, _ line: ArraySlice<UInt8>
    ) throws(JSONLineError) -> Value { try decode(type, read(line)) }

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

extension JSONValue {
    fileprivate var hasNull: Bool {
        switch self {
        case .null: true
        case .list(let list): list.contains(where: \.hasNull)
        case .object(let members): members.values.contains(where: \.hasNull)
        default: false
        }
    }
}

/// The samples of a line: a list `"samples":[[t,x,y],[t,x,y,more],…]` of whole numbers, by far the largest part of
/// records and sketches. The fourth number is a pressure here; in the air it is a distance.
enum SampleList {
    typealias Sample = CaptureStroke.Sample

    /// Appends the member `samples`.
    /// - Parameter samples: not empty.
    static func append(_ samples: some Sequence<Sample>, to bytes: inout [UInt8]) {
        func append(_ number: some BinaryInteger) { bytes.append(contentsOf: String(number).utf8) }
        bytes += Array("\"samples\":[".utf8)
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

    /// Appends the member `places`: a list of x and y, which are finite.
    static func append(_ places: [Point], to bytes: inout [UInt8]) {
        bytes += Array("\"places\":[".utf8)
        for (index, place) in places.enumerated() {
            bytes.append(contentsOf: "\(index == 0 ? "" : ",")[\(place.x),\(place.y)]".utf8)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Reads a line of a stroke or of movement in the air. As a ``JSONValue``, its samples would take five times the
    /// memory.
    /// - Parameter line: without its newline.
    /// - Returns: the object without the members `samples` and `places`, and both; nil if there is no such member.
    static func read(
        _ line: ArraySlice<UInt8>
    ) throws(JSONLineError) -> (line: JSONValue, samples: [Sample]?, places: [Point]?) {
        var samples: [Sample]?
        var places: [Point]?
        let value = try JSONLines.read(line) { reader throws(JSONFault) in
            var members: [String: JSONValue] = [:]
            try reader.members { kind, reader throws(JSONFault) in
                guard kind == "stroke" || kind == "inAir" else {
                    members[kind] = try reader.value()
                    return
                }
                var inner: [String: JSONValue] = [:]
                try reader.members { name, reader throws(JSONFault) in
                    if name == "samples" {
                        samples = try Self.samples(&reader)
                    } else if name == "places", kind == "stroke" {
                        places = try Self.places(&reader)
                    } else {
                        inner[name] = try reader.value()
                    }
                }
                members[kind] = .object(inner)
            }
            return .object(members)
        }
        return (value, samples, places)
    }

    private static func places(_ reader: inout JSONReader) throws(JSONFault) -> [Point] {
        var places: [Point] = []
        places.reserveCapacity(reader.count(of: UInt8(ascii: "[")))
        try reader.elements { reader throws(JSONFault) in
            guard case .list(let numbers) = try reader.value(), numbers.count == 2, let x = numbers[0].number,
                let y = numbers[1].number
            else { throw reader.fault("not an x and a y") }
            places.append(Point(x: x, y: y))
        }
        return places
    }

    private static func samples(_ reader: inout JSONReader) throws(JSONFault) -> [Sample] {
        var samples: [Sample] = []
        // Growing in steps would take twice the memory. Each sample has a bracket; so may have what follows.
        samples.reserveCapacity(reader.count(of: UInt8(ascii: "[")))
        var numbers: [Int64] = [0, 0, 0, 0]
        try reader.elements { reader throws(JSONFault) in
            guard let count = try reader.integers(&numbers), count >= 3, let x = Int32(exactly: numbers[1]),
                let y = Int32(exactly: numbers[2]),
                let more = count == 4 ? Int32(exactly: numbers[3]).map(Optional.some) : .some(nil)
            else { throw reader.fault("not a time, x, y and optionally a fourth number") }
            samples.append(Sample(microseconds: numbers[0], x: x, y: y, pressure: more))
        }
        return samples
    }
}
