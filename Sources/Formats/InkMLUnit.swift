// SPDX-License-Identifier: Apache-2.0

/// The unit of an InkML channel's values. The Recommendation has few names; programs write many, in any case.
enum InkMLUnit: Equatable {
    case millimetres(Double)
    case milliseconds(Double)
    case pixels
    /// Units of the device, whose size the file does not tell.
    case device

    /// - Returns: nil for an unknown name.
    init?(_ name: String) {
        // The micro sign and the Greek letter look alike.
        let letters = name.lowercased().filter { !$0.isWhitespace }.map { "\u{B5}\u{3BC}".contains($0) ? "u" : $0 }
        switch String(letters) {
        case "m", "meter", "meters", "metre", "metres": self = .millimetres(1000)
        case "dm": self = .millimetres(100)
        case "cm", "centimeter", "centimeters", "centimetre", "centimetres": self = .millimetres(10)
        case "mm", "millimeter", "millimeters", "millimetre", "millimetres": self = .millimetres(1)
        case "um", "micron", "microns", "micrometer", "micrometers", "micrometre", "micrometres":
            self = .millimetres(1e-3)
        case "nm", "nanometer", "nanometers", "nanometre", "nanometres": self = .millimetres(1e-6)
        // OneNote and Microsoft Graph.
        case "himetric", "himetrics": self = .millimetres(0.01)
        case "in", "inch", "inches", "\"": self = .millimetres(25.4)
        // An inch has 72 points, 6 picas, 1000 mils and 1440 twips; Office's EMU is 1/914,400.
        case "pt", "point", "points": self = .millimetres(25.4 / 72)
        case "pc", "pica", "picas": self = .millimetres(25.4 / 6)
        case "mil", "mils", "thou": self = .millimetres(25.4 / 1000)
        case "twip", "twips": self = .millimetres(25.4 / 1440)
        case "emu", "emus": self = .millimetres(25.4 / 914_400)
        case "s", "sec", "secs", "second", "seconds": self = .milliseconds(1000)
        case "ms", "msec", "msecs", "millisecond", "milliseconds": self = .milliseconds(1)
        case "us", "usec", "usecs", "microsecond", "microseconds": self = .milliseconds(1e-3)
        case "ns", "nsec", "nsecs", "nanosecond", "nanoseconds": self = .milliseconds(1e-6)
        case "px", "pixel", "pixels": self = .pixels
        case "", "dev", "device", "none": self = .device
        default: return nil
        }
    }
}

/// The resolution of a channel as the file states it, such as 1000 with the units `1/cm`.
struct InkMLResolution {
    /// The resolution, above 0.
    var value: Double
    var units: String

    /// The unit below the stroke: values of the channel per this unit. nil for other texts.
    var unit: InkMLUnit? {
        let name = units.filter { !$0.isWhitespace }.lowercased()
        if name == "dpi" || name == "ppi" { return .millimetres(25.4) }
        // Programs that leave out the units mean those of the channel.
        if name.isEmpty { return .device }
        guard let stroke = name.firstIndex(of: "/"), ["", "1", "dev"].contains(name[..<stroke]) else { return nil }
        return InkMLUnit(String(name[name.index(after: stroke)...]))
    }
}

/// Factors from the values of a channel to millimetres, pixels or milliseconds.
enum InkMLScale {
    private static let lengths = "m cm mm um nm himetric in pt pc mil twip emu px dev"
    private static let times = "s ms us ns dev"
    /// The characters of an unknown unit that an error repeats.
    private static let longestName = 40

    /// - Throws: ``ImportError/malformedInkML(_:line:)`` for a unit that is not one of places.
    static func position(
        _ channel: InkMLChannel, _ source: InkMLSource?
    ) throws(ImportError) -> (ImportedInk.Unit, Double) {
        let sign = channel.isReversed ? -1.0 : 1
        let unit = try unit(channel, readable: lengths)
        // Microsoft Office writes device units as integers with a unit of length and a resolution.
        if channel.isInteger || unit == .device || unit == .pixels, let resolution = source?.resolutions[channel.name] {
            switch try self.unit(resolution, of: channel, readable: lengths) {
            case .millimetres(let length): return (.millimetres, sign * length / resolution.value)
            case .device where resolution.units.isEmpty:
                if case .millimetres(let length) = unit { return (.millimetres, sign * length / resolution.value) }
            case .device, .pixels: break
            case .milliseconds: throw refusal(resolution, of: channel, readable: lengths)
            }
        }
        switch unit {
        case .millimetres(let length): return (.millimetres, sign * length)
        case .pixels: return (.pixels, sign)
        case .device: return (.arbitrary, sign)
        case .milliseconds: throw refusal(channel, readable: lengths)
        }
    }

    /// - Throws: ``ImportError/malformedInkML(_:line:)`` for a unit that is not one of times.
    static func milliseconds(_ channel: InkMLChannel, _ source: InkMLSource?) throws(ImportError) -> Double {
        let unit = try unit(channel, readable: times)
        if channel.isInteger || unit == .device, let resolution = source?.resolutions[channel.name] {
            switch try self.unit(resolution, of: channel, readable: times) {
            case .milliseconds(let time): return time / resolution.value
            case .device where resolution.units.isEmpty:
                if case .milliseconds(let time) = unit { return time / resolution.value }
            case .device: break
            case .millimetres, .pixels: throw refusal(resolution, of: channel, readable: times)
            }
        }
        switch unit {
        case .milliseconds(let time): return time
        // The default for times in InkML.
        case .device: return 1
        case .millimetres, .pixels: throw refusal(channel, readable: times)
        }
    }

    private static func unit(_ channel: InkMLChannel, readable: String) throws(ImportError) -> InkMLUnit {
        guard let unit = InkMLUnit(channel.units) else { throw refusal(channel, readable: readable) }
        return unit
    }

    private static func unit(
        _ resolution: InkMLResolution, of channel: InkMLChannel, readable: String
    ) throws(ImportError) -> InkMLUnit {
        guard let unit = resolution.unit else { throw refusal(resolution, of: channel, readable: readable) }
        return unit
    }

    private static func refusal(_ channel: InkMLChannel, readable: String) -> ImportError {
        .malformedInkML(
            "channel \(channel.name) has units=\"\(channel.units.prefix(longestName))\"; expected one of \(readable)",
            line: nil)
    }

    private static func refusal(
        _ resolution: InkMLResolution, of channel: InkMLChannel, readable: String
    ) -> ImportError {
        .malformedInkML(
            "channel \(channel.name) has a resolution with units=\"\(resolution.units.prefix(longestName))\"; "
                + "expected 1/ and one of \(readable)", line: nil)
    }
}
