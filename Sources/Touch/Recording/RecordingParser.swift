// SPDX-License-Identifier: Apache-2.0

/// Reads evemu's text line by line: N, I, P, B and A describe the device, E is an event, # a comment.
///
/// Bytes, not strings: comments and names may be in any encoding, and a million lines are read in a second.
struct RecordingParser {
    private(set) var events: [InputEvent] = []
    private let path: String
    private let eventLimit: Int
    private var line = 0
    private var description = DeviceDescription()
    private var isDescribed = false
    private var propertyCount = 0
    /// Bits of each event type read so far: B lines of one type follow each other, eight bytes a line.
    private var bitCount: [UInt16: Int] = [:]

    init(path: String, eventLimit: Int = Recording.eventLimit) {
        self.path = path
        self.eventLimit = eventLimit
    }

    /// What the N, I, P, B and A lines said; nil when none told of an ability.
    var device: DeviceDescription? { isDescribed ? description : nil }

    /// Takes the next line, without its line end.
    mutating func take(_ bytes: ArraySlice<UInt8>) throws(RecordingError) {
        line += 1
        if bytes.count > Recording.lineLimit { throw .lineTooLong(path: path, line: line) }
        var text = LineScanner(bytes)
        text.skipBlanks()
        guard let letter = text.next(), letter != UInt8(ascii: "#") else { return }
        let starts = "a line that starts with N:, I:, P:, B:, A:, E: or #"
        guard text.next() == UInt8(ascii: ":") else { throw malformed(starts) }
        switch letter {
        case UInt8(ascii: "E"): try takeEvent(&text)
        case UInt8(ascii: "N"): description.name = text.remainder()
        case UInt8(ascii: "I"): try takeIdentity(&text)
        case UInt8(ascii: "P"): try takeProperties(&text)
        case UInt8(ascii: "B"): try takeBits(&text)
        case UInt8(ascii: "A"): try takeAxis(&text)
        // Lamps and switches at the start (evemu 1.3): of no use here.
        case UInt8(ascii: "L"), UInt8(ascii: "S"): break
        default: throw malformed(starts)
        }
    }

    private func malformed(_ expected: String) -> RecordingError {
        .malformed(path: path, line: line, expected: expected)
    }

    private mutating func takeEvent(_ text: inout LineScanner) throws(RecordingError) {
        let form = "\"E: seconds.microseconds type code value\", the time not negative and with six decimals, "
            + "type and code in hexadecimal"
        guard let time = text.time(), let type = text.hexadecimal(), let code = text.hexadecimal(),
            let value = text.decimal(), text.isAtEndOrComment()
        else { throw malformed(form) }
        guard events.count < eventLimit else { throw .tooManyEvents(path: path, line: line) }
        events.append(InputEvent(microseconds: time, type: type, code: code, value: value))
    }

    private mutating func takeIdentity(_ text: inout LineScanner) throws(RecordingError) {
        guard let bus = text.hexadecimal(), let vendor = text.hexadecimal(), let product = text.hexadecimal(),
            let version = text.hexadecimal(), text.isAtEndOrComment()
        else { throw malformed("\"I: bus vendor product version\", four hexadecimal numbers") }
        (description.bus, description.vendor) = (bus, vendor)
        (description.product, description.version) = (product, version)
    }

    private mutating func takeProperties(_ text: inout LineScanner) throws(RecordingError) {
        guard let mask = takeMask(&text) else { throw malformed("\"P:\" and up to eight hexadecimal bytes") }
        description.properties.formUnion(mask.bits(from: propertyCount, through: EventCode.lastProperty))
        propertyCount = min(propertyCount + mask.count * 8, 1 << 16)
    }

    private mutating func takeBits(_ text: inout LineScanner) throws(RecordingError) {
        guard let type = text.hexadecimal(), let mask = takeMask(&text) else {
            throw malformed("\"B: type\" and up to eight hexadecimal bytes")
        }
        let start = bitCount[type, default: 0]
        bitCount[type] = min(start + mask.count * 8, 1 << 16)
        guard type == EventCode.typeKey else { return }
        for bit in mask.bits(from: start, through: EventCode.lastKey) {
            description.keys.insert(bit)
            isDescribed = true
        }
    }

    private mutating func takeAxis(_ text: inout LineScanner) throws(RecordingError) {
        let form = "\"A: axis minimum maximum fuzz flat resolution\", the axis in hexadecimal, "
            + "the resolution perhaps absent"
        guard let axis = text.hexadecimal(), let minimum = text.decimal(), let maximum = text.decimal(),
            let fuzz = text.decimal(), let flat = text.decimal()
        else { throw malformed(form) }
        var resolution: Int32 = 0
        if !text.isAtEndOrComment() {
            guard let number = text.decimal(), text.isAtEndOrComment() else { throw malformed(form) }
            resolution = number
        }
        isDescribed = true
        // An axis the kernel does not have is kept out, so that a description stays small whatever the file says.
        guard axis <= EventCode.lastAbs else { return }
        description.axes[axis] = AxisInfo(
            minimum: minimum, maximum: maximum, fuzz: fuzz, flat: flat, resolution: resolution)
    }

    private func takeMask(_ text: inout LineScanner) -> [UInt8]? {
        var mask: [UInt8] = []
        while !text.isAtEndOrComment() {
            guard mask.count < 8, let byte = text.hexadecimal(), byte <= 0xff else { return nil }
            mask.append(UInt8(byte))
        }
        return mask.isEmpty ? nil : mask
    }
}

extension [UInt8] {
    /// The numbers of the bits set, the first byte's lowest bit being `start`; none above `last`.
    fileprivate func bits(from start: Int, through last: UInt16) -> [UInt16] {
        var bits: [UInt16] = []
        for (index, byte) in enumerated() {
            for bit in 0..<8 where byte & (1 << bit) != 0 {
                let number = start + index * 8 + bit
                if number <= Int(last) { bits.append(UInt16(number)) }
            }
        }
        return bits
    }
}
