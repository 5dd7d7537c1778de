// SPDX-License-Identifier: Apache-2.0

/// One channel of an InkML `traceFormat`.
struct InkMLChannel {
    var name: String
    /// As written; empty when nothing is.
    var units: String
    var isInteger: Bool
    /// Values grow to the left, or up.
    var isReversed: Bool
    var minimum, maximum: Double?

    init?(_ attributes: [String: String]) {
        guard let name = attributes["name"] else { return nil }
        self.name = name
        units = attributes["units"] ?? ""
        isInteger = attributes["type"] == "integer"
        isReversed = attributes["orientation"] == "-ve"
        minimum = attributes["min"].flatMap(Double.init)
        maximum = attributes["max"].flatMap(Double.init)
    }
}

/// The channels of traces, in the order of their values.
struct InkMLFormat {
    var channels: [InkMLChannel] = []
    /// Every point has values for the first so many; for those after, it may end early.
    var regularCount = 0

    /// What the standard has where a file states nothing: X and Y.
    static var standard: InkMLFormat {
        InkMLFormat(
            channels: ["X", "Y"].compactMap { InkMLChannel(["name": $0]) }, regularCount: 2)
    }
}

/// What an InkML `inkSource` says about its device.
struct InkMLSource {
    var format: InkMLFormat?
    /// Samples per second.
    var sampleRate: Double?
    /// Values of a channel on a millimetre, by the channel's name.
    var resolutions: [String: Double] = [:]
}

/// InkML's units.
enum InkMLUnit {
    /// Millimetres in a unit of length; nil for what is none.
    static func millimetres(_ unit: String) -> Double? {
        switch unit {
        case "m": 1000
        case "cm": 10
        case "mm": 1
        // An inch is 25.4 mm by definition, 72 points and 6 picas.
        case "in": 25.4
        case "pt": 25.4 / 72
        case "pc": 25.4 / 6
        default: nil
        }
    }

    /// Values on a millimetre, of a number of `1/mm` or another length; nil for what is none.
    static func perMillimetre(_ value: Double, _ unit: String) -> Double? {
        guard unit.hasPrefix("1/"), let length = millimetres(String(unit.dropFirst(2))), value > 0, value.isFinite
        else { return nil }
        return value / length
    }

    /// Milliseconds in a unit of time. They are what a channel without units has: InkML's other times are in them.
    static func milliseconds(_ unit: String) -> Double { unit == "s" ? 1000 : 1 }
}
