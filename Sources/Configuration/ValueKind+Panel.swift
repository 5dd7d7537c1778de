// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster
import Touch

extension ValueKind where Value == String {
    /// Text for people.
    static func words(longest: Int) -> Self {
        .text(
            "a text of 1 to \(longest) characters", read: { 1...longest ~= $0.unicodeScalars.count ? $0 : nil },
            write: { $0 })
    }

    static var panelName: Self {
        .text(
            "a name of 1 to 64 characters", read: { Configuration.panelName($0) }, write: { $0 })
    }

    /// From the root: a service is started in any directory. As long as the kernel takes paths (PATH_MAX), or shorter.
    static func path(longest: Int = 4095) -> Self {
        .text(
            "a path of at most \(longest) bytes that begins with /",
            read: { $0.hasPrefix("/") && $0.utf8.count <= longest ? $0 : nil }, write: { $0 })
    }

    /// The path of a device node, or of a recording that is played in its place.
    fileprivate static var touchDevice: Self {
        .text(
            "the path of a device, or replay: and that of a recording",
            read: { text in
                let path = text.hasPrefix("replay:") ? text.dropFirst("replay:".count) : text[...]
                return path.hasPrefix("/") ? text : nil
            }, write: { $0 })
    }

    /// The longest name that shadow-utils and the kernel's accounting take.
    static var group: Self {
        .text(
            "a group's name of 1 to 32 characters", read: { 1...32 ~= $0.utf8.count ? $0 : nil }, write: { $0 })
    }
}

extension ValueKind where Value == [String] {
    /// One device or several; none is `auto`.
    static var touchDevices: Self {
        let one = ValueKind<String>.touchDevice
        // More are on no board.
        let several = ValueKind.list(one, 1...8)
        return ValueKind(
            expectation: "\(one.expectation), an array of such, or \"auto\"",
            read: { $0 == .automatic ? [] : one.read($0).map { [$0] } ?? several.read($0) },
            write: { $0.isEmpty ? .automatic : $0.count == 1 ? one.write($0[0]) : several.write($0) },
            words: ["auto"])
    }
}

extension ValueKind where Value == Color {
    /// An opaque colour.
    static var color: Self {
        .text(
            "a colour as \"rrggbb\" in hexadecimal",
            read: { Color(hex: $0).flatMap { $0.alpha == 255 ? $0 : nil } }, write: { $0.hex })
    }
}

extension Color {
    /// Six digits.
    fileprivate var hex: String {
        let digits = String(xrgb8888 & 0xFF_FFFF, radix: 16)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}

extension ValueKind where Value == DisplayChoice {
    static var display: Self {
        .text(
            "\"kms\", \"kms:CONNECTOR\", \"fb\", \"fb:PATH\" or \"headless:WxH\"", read: { DisplayChoice($0) },
            write: { "\($0)" })
    }
}

extension ValueKind where Value == Rotation {
    static var rotation: Self {
        ValueKind(
            expectation: Rotation.allCases.map { "\($0.rawValue)" }.listed + " degrees",
            read: { if case .integer(let degrees) = $0 { Rotation(rawValue: degrees) } else { nil } },
            write: { .integer($0.rawValue) })
    }
}

extension ValueKind where Value == PixelDensity {
    static var density: Self {
        let number = ValueKind<Double>.number(PixelDensity.dotsPerInchRange, "pixels per inch")
        return ValueKind(
            expectation: number.expectation,
            read: { number.read($0).map { PixelDensity(dotsPerInch: $0) } },
            write: { number.write($0.dotsPerInch) })
    }
}

extension ValueKind where Value == Set<PenSwitch> {
    static var penSwitches: Self {
        let list = ValueKind<[PenSwitch]>.list(.word, 0...PenSwitch.allCases.count)
        return ValueKind(
            expectation: list.expectation,
            read: { list.read($0).map { Set($0) } },
            // In one order, whatever the set's.
            write: { switches in list.write(PenSwitch.allCases.filter(switches.contains)) },
            words: list.words)
    }
}

extension ValueKind where Value == DateFormat {
    static var dateFormat: Self {
        .text(
            "a pattern of \(DateFormat.fields.joined(separator: ", ")) and other text, "
                + "\(DateFormat.longestPattern) characters at most",
            read: { DateFormat($0) }, write: { $0.pattern })
    }
}

extension ValueKind where Value == NoiseSettings {
    static var noiseFilters: Self {
        ValueKind(
            expectation: "an array of filters, each once: \(NoiseSettings.expectation)",
            read: { value in
                guard case .list(let values) = value else { return nil }
                let words = values.compactMap { if case .text(let word) = $0 { word } else { nil } }
                return words.count == values.count ? NoiseSettings(words) : nil
            },
            write: { .list($0.words.map { .text($0) }) })
    }
}

extension ValueKind where Value == Transform {
    static var calibration: Self {
        .text(
            "six numbers of a matrix that can be undone, such as \"1 0 0 0 1 0\"",
            read: { Calibration.matrix($0) }, write: { Calibration.text($0) })
    }
}
