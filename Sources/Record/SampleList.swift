// SPDX-License-Identifier: Apache-2.0

/// The samples of a line, read where they stand: nearly all of a record is such lists, and a JSON decoder needs 60 times
/// their bytes.
///
/// It takes what ``CaptureEncoder`` writes, whole numbers without spaces. Of anything else it makes nothing, and the JSON
/// decoder says what is wrong.
struct SampleList {
    struct Sample {
        var t: Int64
        var x, y: Int32
        var more: Int32?
    }

    let samples: [Sample]
    /// The line with an empty list in the place of the samples.
    let rest: ArraySlice<UInt8>

    /// A member's name and the start of its value: within a string the quotes would be escaped.
    private static let start = Array("\"samples\":[".utf8)

    /// - Parameter line: without its end.
    /// - Returns: nil when the line has no such list, or several.
    init?(in line: ArraySlice<UInt8>) {
        guard let list = Self.place(in: line) else { return nil }
        var scanner = Scanner(bytes: line, index: list)
        guard let samples = scanner.samples(), Self.place(in: line[scanner.index...]) == nil else { return nil }
        self.samples = samples
        rest = line[..<list] + line[(scanner.index - 1)...]
    }

    /// - Returns: where the list begins, after its bracket.
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

    private struct Scanner {
        let bytes: ArraySlice<UInt8>
        var index: Int

        /// As far as the list's end, which is taken.
        mutating func samples() -> [Sample]? {
            var samples: [Sample] = []
            // Not as it grows, which would take twice the memory. A sample has 8 bytes at least.
            samples.reserveCapacity(bytes[index...].count { $0 == UInt8(ascii: "[") })
            repeat {
                guard let sample = sample() else { return nil }
                samples.append(sample)
            } while take(",")
            return take("]") ? samples : nil
        }

        private mutating func sample() -> Sample? {
            guard take("["), let t = number(), take(","), let x = number().flatMap(Int32.init(exactly:)), take(","),
                let y = number().flatMap(Int32.init(exactly:))
            else { return nil }
            var sample = Sample(t: t, x: x, y: y)
            if take(",") {
                guard let more = number().flatMap(Int32.init(exactly:)) else { return nil }
                sample.more = more
            }
            return take("]") ? sample : nil
        }

        /// As JSON has whole numbers: no zero in front, no plus.
        private mutating func number() -> Int64? {
            let isNegative = take("-")
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
            // Summed up below zero, where there is one number more.
            return isNegative ? value : value == .min ? nil : -value
        }

        private mutating func take(_ byte: Unicode.Scalar) -> Bool {
            guard index < bytes.endIndex, bytes[index] == UInt8(ascii: byte) else { return false }
            index += 1
            return true
        }
    }
}
