// SPDX-License-Identifier: Apache-2.0

/// The points of an InkML trace: values one after the other, points apart by commas. A value is itself, or with ' the
/// difference to the one before, or with " the difference of differences; so are the following ones of its channel,
/// until ! or another sign says otherwise.
struct InkMLTrace {
    struct Malformed: Error, Equatable {
        var point: Int
        var reason: String
    }

    private enum Order {
        case explicit, first, second
    }

    private struct Channel {
        var order = Order.explicit
        var value: Double?
        var difference = 0.0

        /// - Returns: the channel's value; nil where there is none to count from.
        mutating func take(_ number: Double) -> Double? {
            switch order {
            case .explicit:
                value = number
                difference = 0
            case .first:
                difference = number
                value = value.map { $0 + difference }
            case .second:
                difference += number
                value = value.map { $0 + difference }
            }
            return value
        }
    }

    private var bytes: ArraySlice<UInt8>
    private var channels: [Channel]
    private let regularCount: Int
    private var pointCount = 0

    /// Reads one point after the other. They are not collected: a point of few bytes may have a value for each of many
    /// channels.
    /// - Parameter body: gets a value for each channel, nil where none was given.
    static func forEachPoint(
        _ bytes: [UInt8], _ format: InkMLFormat, _ body: ([Double?]) throws(Malformed) -> Void
    ) throws(Malformed) {
        var trace = InkMLTrace(
            bytes: bytes[...], channels: Array(repeating: Channel(), count: format.channels.count),
            regularCount: format.regularCount)
        try trace.parse(body)
    }

    private init(bytes: ArraySlice<UInt8>, channels: [Channel], regularCount: Int) {
        self.bytes = bytes
        self.channels = channels
        self.regularCount = regularCount
    }

    private mutating func parse(_ body: ([Double?]) throws(Malformed) -> Void) throws(Malformed) {
        var point: [Double?] = []
        skipSpace()
        while !bytes.isEmpty {
            point.removeAll(keepingCapacity: true)
            while let byte = bytes.first, byte != UInt8(ascii: ",") {
                guard point.count < channels.count else {
                    throw malformed("has more values than its trace format has channels (\(channels.count))")
                }
                point.append(try value(of: point.count))
                skipSpace()
            }
            guard point.count >= regularCount else {
                throw malformed("has \(point.count) values, and its trace format \(regularCount) channels")
            }
            // Channels that a point may leave out keep their value.
            for index in point.count..<channels.count { point.append(channels[index].value) }
            try body(point)
            pointCount += 1
            _ = bytes.popFirst()
            skipSpace()
        }
    }

    private mutating func value(of index: Int) throws(Malformed) -> Double? {
        switch bytes.first {
        case UInt8(ascii: "!"): channels[index].order = .explicit
        case UInt8(ascii: "'"): channels[index].order = .first
        case UInt8(ascii: "\""): channels[index].order = .second
        case UInt8(ascii: "?"):
            bytes.removeFirst()
            return nil
        case UInt8(ascii: "*"):
            bytes.removeFirst()
            channels[index].difference = 0
            return channels[index].value
        case UInt8(ascii: "T"), UInt8(ascii: "F"):
            channels[index].value = bytes.removeFirst() == UInt8(ascii: "T") ? 1 : 0
            return channels[index].value
        default: return try take(index)
        }
        bytes.removeFirst()
        skipSpace()
        return try take(index)
    }

    private mutating func take(_ index: Int) throws(Malformed) -> Double {
        let number = try number()
        guard let value = channels[index].take(number) else {
            throw malformed("has a difference to a value that there is not")
        }
        guard value.isFinite else { throw malformed("is out of range") }
        return value
    }

    private mutating func number() throws(Malformed) -> Double {
        var isNegative = false
        if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            bytes.removeFirst()
            skipSpace()
        }
        let magnitude: Double?
        if bytes.first == UInt8(ascii: "#") {
            bytes.removeFirst()
            let digits = takeDigits { UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 | 0x20 }
            magnitude = UInt64(String(decoding: digits, as: UTF8.self), radix: 16).map { Double($0) }
        } else {
            var previous: UInt8 = 0
            let text = takeDigits { byte in
                defer { previous = byte }
                let isExponent = byte | 0x20 == UInt8(ascii: "e")
                // A sign within a number belongs to its exponent; else it begins the next one.
                let isSign = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
                return byte == UInt8(ascii: ".") || isExponent || isSign && previous | 0x20 == UInt8(ascii: "e")
            }
            magnitude = Double(String(decoding: text, as: UTF8.self))
        }
        guard let magnitude else { throw malformed("holds something that is not a number") }
        return isNegative ? -magnitude : magnitude
    }

    /// Digits, and the bytes that `isPart` takes, which is asked about every byte.
    private mutating func takeDigits(_ isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let end = bytes.firstIndex { !(isPart($0) || 0x30...0x39 ~= $0) } ?? bytes.endIndex
        defer { bytes = bytes[end...] }
        return bytes[..<end]
    }

    private mutating func skipSpace() {
        while let byte = bytes.first, byte == 0x20 || 0x09...0x0D ~= byte { bytes.removeFirst() }
    }

    private func malformed(_ reason: String) -> Malformed { Malformed(point: pointCount, reason: reason) }
}
