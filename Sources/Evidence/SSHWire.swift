// SPDX-License-Identifier: Apache-2.0

/// Writes the data types of SSH (RFC 4251, section 5).
struct SSHWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(raw value: some Collection<UInt8>) { bytes += value }

    mutating func append(_ value: UInt32) {
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    /// A `string`: its length and its bytes.
    mutating func append(_ value: some Collection<UInt8>) {
        append(UInt32(value.count))
        bytes += value
    }

    mutating func append(_ text: String) { append(Array(text.utf8)) }
}

/// Reads the data types of SSH (RFC 4251, section 5).
struct SSHReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

    /// - Returns: false if other bytes follow.
    mutating func skip(raw value: some Collection<UInt8>) -> Bool {
        guard rest.starts(with: value) else { return false }
        rest.removeFirst(value.count)
        return true
    }

    mutating func uint32() -> UInt32? {
        guard rest.count >= 4 else { return nil }
        defer { rest.removeFirst(4) }
        return rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A `string`: its bytes without its length.
    mutating func string() -> ArraySlice<UInt8>? {
        guard let count = uint32().flatMap(Int.init(exactly:)), count <= rest.count else { return nil }
        defer { rest.removeFirst(count) }
        return rest.prefix(count)
    }

    /// - Returns: false if another string or something else follows.
    mutating func skip(_ text: String) -> Bool {
        string()?.elementsEqual(text.utf8) ?? false
    }

    /// An `mpint` above zero and below 2^256, in its shortest form. Its bytes are those of an INTEGER of DER, too.
    mutating func positive256() -> ArraySlice<UInt8>? {
        guard let value = string(), let first = value.first, value.count <= 33, first < 0x80 else { return nil }
        if first == 0 {
            guard value.count > 1, value[value.startIndex + 1] >= 0x80 else { return nil }
        } else if value.count == 33 {
            return nil
        }
        return value
    }
}
