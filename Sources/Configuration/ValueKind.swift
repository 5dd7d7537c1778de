// SPDX-License-Identifier: Apache-2.0
import Pad
import Geometry

/// What a key's value may be: how it is read, how it is written, and how to say what is wanted.
struct ValueKind<Value> {
    /// Fits after "expected".
    let expectation: String
    /// nil for a value of another type or out of range.
    let read: (ConfigurationValue) -> Value?
    let write: (Value) -> ConfigurationValue
    /// Words that the value may be, for who has mistyped one.
    var words: [String] = []

    /// The same, where a word or a number stands for nil.
    func orNil(_ nilValue: ConfigurationValue, _ meaning: String? = nil) -> ValueKind<Value?> {
        ValueKind<Value?>(
            expectation: "\(expectation), or \(nilValue)" + (meaning.map { " for \($0)" } ?? ""),
            read: { value in value.means(nilValue) ? .some(nil) : read(value).map { .some($0) } },
            write: { $0.map(write) ?? nilValue },
            words: words + nilValue.words)
    }
}

extension ValueKind {
    /// The same for an optional property, whose nil means `usual`.
    func or(_ usual: Value) -> ValueKind<Value?> {
        ValueKind<Value?>(
            expectation: expectation, read: { value in read(value).map { .some($0) } }, write: { write($0 ?? usual) },
            words: words)
    }
}

extension ConfigurationValue {
    /// For what the program finds out by itself.
    static let automatic = ConfigurationValue.text("auto")

    /// Whether both are the same value; 0 and 0.0 are.
    fileprivate func means(_ other: ConfigurationValue) -> Bool {
        switch (self, other) {
        case (.number(let one), .integer(let other)): one == Double(other)
        default: self == other
        }
    }

    fileprivate var words: [String] {
        if case .text(let text) = self, !text.isEmpty { return [text] }
        return []
    }
}

extension ValueKind where Value == Bool {
    static var flag: Self {
        ValueKind(
            expectation: "true or false",
            read: { if case .flag(let flag) = $0 { flag } else { nil } },
            write: { .flag($0) })
    }
}

extension ValueKind where Value == Double {
    /// - Parameter unit: `millimetres`, say.
    static func number(_ range: ClosedRange<Double>, _ unit: String) -> Self {
        let bounds = [range.lowerBound, range.upperBound].map { ConfigurationValue.number($0).description }
        return ValueKind(
            expectation: "\(bounds[0]) to \(bounds[1]) \(unit)",
            read: { value in
                let number: Double
                switch value {
                case .number(let read): number = read
                case .integer(let read): number = Double(read)
                default: return nil
                }
                // NaN is in no range.
                return range.contains(number) ? number : nil
            },
            write: { .number($0) })
    }
}

extension ValueKind where Value == Int {
    static func integer(_ range: ClosedRange<Int>, _ unit: String) -> Self {
        ValueKind(
            expectation: "an integer, \(range.lowerBound) to \(range.upperBound) \(unit)",
            read: { if case .integer(let value) = $0, range.contains(value) { value } else { nil } },
            write: { .integer($0) })
    }
}

extension ValueKind where Value == Int64 {
    /// Microseconds, written in another unit.
    static func duration(_ range: ClosedRange<Double>, _ unit: String, microseconds: Int64) -> Self {
        let number = ValueKind<Double>.number(range, unit)
        let scale = Double(microseconds)
        return ValueKind(
            expectation: number.expectation,
            read: { number.read($0).map { Int64(($0 * scale).rounded()) } },
            write: { .number(Double($0) / scale) })
    }

    static func seconds(_ range: ClosedRange<Double>) -> Self {
        duration(range, "seconds", microseconds: 1_000_000)
    }
    static func milliseconds(_ range: ClosedRange<Double>) -> Self {
        duration(range, "milliseconds", microseconds: 1000)
    }
    static func days(_ range: ClosedRange<Double>) -> Self {
        duration(range, "days", microseconds: 86_400_000_000)
    }
}

extension ValueKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of a few words.
    static var word: Self {
        let words = Value.allCases.map(\.rawValue)
        return ValueKind(
            expectation: words.map { "\"\($0)\"" }.listed,
            read: { if case .text(let text) = $0 { Value(rawValue: text) } else { nil } },
            write: { .text($0.rawValue) },
            words: words)
    }
}

extension [String] {
    /// `a, b or c`.
    var listed: String { count < 2 ? joined() : dropLast().joined(separator: ", ") + " or " + self[count - 1] }
}

extension ValueKind {
    /// Several of a kind.
    static func list<Element>(_ kind: ValueKind<Element>, _ count: ClosedRange<Int>) -> Self where Value == [Element] {
        ValueKind(
            expectation: "an array of \(count.lowerBound) to \(count.upperBound), each \(kind.expectation)",
            read: { value in
                guard case .list(let values) = value, count.contains(values.count) else { return nil }
                let read = values.compactMap(kind.read)
                return read.count == values.count ? read : nil
            },
            write: { .list($0.map(kind.write)) },
            words: kind.words)
    }

    /// A value that a text stands for.
    static func text(
        _ expectation: String, read: @escaping (String) -> Value?, write: @escaping (Value) -> String
    ) -> Self {
        ValueKind(
            expectation: expectation,
            read: { if case .text(let text) = $0 { read(text) } else { nil } },
            write: { .text(write($0)) })
    }
}
