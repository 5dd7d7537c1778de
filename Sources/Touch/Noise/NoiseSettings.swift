// SPDX-License-Identifier: Apache-2.0

/// Which of tslib's noise filters are on, and their parameters. For resistive panels, whose positions scatter and whose
/// contact bounces, and for panels that a power supply makes see touches; a good capacitive panel needs none.
///
/// Names and meanings are those of tslib 1.23 (github.com/libts/tslib, README, "module: ..."). Whatever the order they
/// are asked for in, they work in that of the properties: first what is no touch goes, then positions are mended.
public struct NoiseSettings: Equatable, Sendable {
    /// Microseconds after a contact has lifted in which the next one of that device may be its bouncing; nil is off.
    public var debounce: Int64?
    /// So many reports make a contact real; nil is off.
    public var evthres: Int?
    /// Reports at the ends of a contact whose position is not believed; nil is off.
    public var skip: Skip?
    /// How many reports a position is the median of, an odd number; nil is off.
    public var median: Int?
    /// Positions less than so many millimetres apart are averaged; nil is off.
    public var dejitter: Double?

    public struct Skip: Equatable, Sendable {
        public var head: Int
        public var tail: Int

        public init(head: Int, tail: Int) {
            self.head = head
            self.tail = tail
        }
    }

    /// Milliseconds. Longer than a finger can stay away between two taps is of no use.
    public static let debounceRange = 1...1000
    /// Reports; the largest is half a second of a panel of 60 Hz.
    public static let evthresRange = 2...30
    /// Reports at either end.
    public static let skipRange = 0...10
    /// Reports. Deeper than 9 corners of letters go.
    public static let medianRange = 3...9
    /// Millimetres.
    public static let dejitterRange = 0.01...10.0

    /// That of tslib's example.
    static let usualDebounce: Int64 = 40_000
    /// tslib's example has 5, which a short tap on a panel of 60 Hz hardly lasts.
    static let usualEvthres = 3
    /// tslib's own.
    static let usualSkip = Skip(head: 1, tail: 1)
    /// tslib's own.
    static let usualMedian = 3
    /// tslib's own, 10 units of its usual panels: 4096 on the 155 mm of seven inches.
    static let usualDejitter = 0.4

    /// All are off.
    public init() {}

    public var isEmpty: Bool { self == NoiseSettings() }
}

extension NoiseSettings {
    /// What ``init(_:)`` takes, for who has mistyped it.
    public static let expectation =
        "debounce[:MILLISECONDS], evthres[:REPORTS], skip[:HEAD,TAIL], median[:DEPTH], dejitter[:MILLIMETRES]"

    /// Reads filters as they are named in a configuration and on the command line: `median`, `median:5`, `skip:2,1`.
    /// - Returns: nil for a name that is no filter's or is there twice, and for parameters out of their ranges.
    public init?(_ words: [String]) {
        self.init()
        for word in words {
            let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, take(String(name), parts.count > 1 ? String(parts[1]) : nil) else {
                return nil
            }
        }
    }

    private mutating func take(_ name: String, _ value: String?) -> Bool {
        switch name {
        case "debounce" where debounce == nil:
            debounce = Self.integer(value, in: Self.debounceRange, or: Int(Self.usualDebounce / 1000)).map {
                Int64($0) * 1000
            }
            return debounce != nil
        case "evthres" where evthres == nil:
            evthres = Self.integer(value, in: Self.evthresRange, or: Self.usualEvthres)
            return evthres != nil
        case "skip" where skip == nil:
            skip = Self.skip(value)
            return skip != nil
        case "median" where median == nil:
            median = Self.integer(value, in: Self.medianRange, or: Self.usualMedian)
            return median.map { $0 % 2 == 1 } ?? false
        case "dejitter" where dejitter == nil:
            dejitter = value.map { Double($0) } ?? Self.usualDejitter
            return dejitter.map { Self.dejitterRange.contains($0) } ?? false
        default: return false
        }
    }

    private static func integer(_ text: String?, in range: ClosedRange<Int>, or usual: Int) -> Int? {
        guard let text else { return usual }
        guard let value = Int(text), range.contains(value) else { return nil }
        return value
    }

    private static func skip(_ text: String?) -> Skip? {
        guard let text else { return usualSkip }
        let ends = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard ends.count == 2, let head = ends[0], let tail = ends[1], skipRange.contains(head),
            skipRange.contains(tail), head + tail > 0
        else { return nil }
        return Skip(head: head, tail: tail)
    }

    /// As ``init(_:)`` takes them, with their parameters.
    public var words: [String] {
        var words: [String] = []
        if let debounce { words.append("debounce:\(debounce / 1000)") }
        if let evthres { words.append("evthres:\(evthres)") }
        if let skip { words.append("skip:\(skip.head),\(skip.tail)") }
        if let median { words.append("median:\(median)") }
        if let dejitter { words.append("dejitter:\(dejitter)") }
        return words
    }
}
