// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The noise filters that are on, and their parameters. For resistive panels, whose positions scatter and whose contact
/// bounces, and for panels that see touches caused by a power supply. A good capacitive panel needs none.
///
/// Names and meanings are those of tslib 1.23 (github.com/libts/tslib, README, "module: ..."); `join` is our own. In
/// whatever order they are given, they work in the order of the properties: contacts are joined, and those that are not
/// touches are dropped, before positions are corrected.
public struct NoiseSettings: Equatable, Sendable {
    /// The time after a lift in which a contact that goes on from there is the same; nil is off.
    public var join: Duration?
    /// The time after a lift in which the device's next contact may be a bounce; nil is off.
    public var debounce: Duration?
    /// The number of reports that make a contact real; nil is off.
    public var evthres: Int?
    /// The reports at the ends of a contact whose positions are unreliable; nil is off.
    public var skip: Skip?
    /// The number of reports in the median of a position, odd; nil is off.
    public var median: Int?
    /// Millimetres within which positions are averaged; nil is off.
    public var dejitter: Double?

    public struct Skip: Equatable, Sendable {
        public var head: Int
        public var tail: Int

        public init(head: Int, tail: Int) {
            self.head = head
            self.tail = tail
        }
    }

    /// Milliseconds, up to the shortest time between two strokes of a hand.
    public static let joinRange = 1...100
    /// Milliseconds, up to the time between two taps of a finger.
    public static let debounceRange = 1...1000
    /// Reports, up to half a second of a panel of 60 Hz.
    public static let evthresRange = 2...30
    /// Reports at either end.
    public static let skipRange = 0...10
    /// Reports. More than 9 would round the corners of letters.
    public static let medianRange = 3...9
    /// Millimetres.
    public static let dejitterRange = 0.01...10.0

    /// The defaults of parameters: those of tslib's example or code, except that the example's evthres is 5, longer
    /// than a short tap on a panel of 60 Hz. dejitter is 10 of 4096 units on the 155 mm of seven inches. join is a lost
    /// report of a panel of 60 Hz.
    private static let usualJoin = Duration.milliseconds(30)
    private static let usualDebounce = Duration.milliseconds(40)
    private static let usualEvthres = 3
    private static let usualSkip = Skip(head: 1, tail: 1)
    private static let usualMedian = 3
    private static let usualDejitter = 0.4

    /// All filters off.
    public init() {}

    public var isEmpty: Bool { self == NoiseSettings() }

    // MARK: Text

    /// The syntax of ``init(_:)``, for error messages.
    public static let expectation =
        "join[:MILLISECONDS], debounce[:MILLISECONDS], evthres[:REPORTS], skip[:HEAD,TAIL], median[:DEPTH], "
        + "dejitter[:MILLIMETRES]"

    /// Reads filters as in the configuration and on the command line: `median`, `median:5`, `skip:2,1`.
    /// - Returns: nil for an unknown or repeated name, and for parameters out of range.
    public init?(_ words: [String]) {
        self.init()
        for word in words {
            let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, set(String(name), parts.count > 1 ? String(parts[1]) : nil) else {
                return nil
            }
        }
    }

    private mutating func set(_ name: String, _ value: String?) -> Bool {
        switch name {
        case "join" where join == nil:
            join = Self.milliseconds(value, in: Self.joinRange, or: Self.usualJoin)
            return join != nil
        case "debounce" where debounce == nil:
            debounce = Self.milliseconds(value, in: Self.debounceRange, or: Self.usualDebounce)
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

    private static func milliseconds(_ text: String?, in range: ClosedRange<Int>, or usual: Duration) -> Duration? {
        integer(text, in: range, or: Int(usual / .milliseconds(1))).map { .milliseconds($0) }
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

    /// The filters with their parameters, in the syntax of ``init(_:)``.
    public var words: [String] {
        var words: [String] = []
        if let join { words.append("join:\(join.microseconds / 1000)") }
        if let debounce { words.append("debounce:\(debounce.microseconds / 1000)") }
        if let evthres { words.append("evthres:\(evthres)") }
        if let skip { words.append("skip:\(skip.head),\(skip.tail)") }
        if let median { words.append("median:\(median)") }
        if let dejitter { words.append("dejitter:\(dejitter)") }
        return words
    }
}
