// SPDX-License-Identifier: Apache-2.0
import Evidence
import Geometry
import HostAPI
import Ink
import Pad
import Raster
import Record
import Touch

/// The values of a setting: how they are read, written and described.
struct ValueKind<Value> {
    /// Describes the values; fits after "expected".
    let expectation: String
    /// Returns nil for a value of another type or out of range.
    let read: (ConfigurationValue) -> Value?
    let write: (Value) -> ConfigurationValue
    /// Words that the setting takes, for suggestions.
    var words: [String] = []
    /// The exact fault of a value that is not read; nil if the expectation says it.
    var fault: (ConfigurationValue) -> String? = { _ in nil }

    /// Whether a wrong value may be a secret, which no message repeats.
    var isSecret = false

    /// The value that stands for nil, and its meaning.
    var nilValue: (value: ConfigurationValue, meaning: String)?

    /// The same kind with a word or a number that stands for nil.
    /// - Parameter meaning: fits after "for".
    func orNil(_ nilValue: ConfigurationValue, _ meaning: String) -> ValueKind<Value?> {
        ValueKind<Value?>(
            expectation: expectation,
            read: { value in value.means(nilValue) ? .some(nil) : read(value).map { .some($0) } },
            write: { $0.map(write) ?? nilValue },
            words: words + nilValue.words, fault: fault, isSecret: isSecret, nilValue: (nilValue, meaning))
    }
}

extension ValueKind {
    /// The same for an optional property, whose nil means `usual`.
    func or(_ usual: Value) -> ValueKind<Value?> {
        ValueKind<Value?>(
            expectation: expectation, read: { value in read(value).map { .some($0) } }, write: { write($0 ?? usual) },
            words: words, fault: fault, isSecret: isSecret)
    }
}

extension ConfigurationValue {
    /// Stands for a value that the program determines.
    static let automatic = ConfigurationValue.text("auto")

    /// Whether both are equal, as 0 and 0.0 are.
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

extension ValueKind where Value == Duration {
    /// - Parameter microseconds: of the unit.
    private static func duration(_ range: ClosedRange<Double>, _ unit: String, microseconds: Int64) -> Self {
        let number = ValueKind<Double>.number(range, unit)
        let scale = Double(microseconds)
        return ValueKind(
            expectation: number.expectation,
            read: { number.read($0).map { Duration.microseconds(Int64(($0 * scale).rounded())) } },
            write: { .number(Double($0.microseconds) / scale) })
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
    /// An array.
    static func list<Element>(_ kind: ValueKind<Element>, _ count: ClosedRange<Int>) -> Self where Value == [Element] {
        ValueKind(
            expectation: "an array of \(count.lowerBound) to \(count.upperBound), each \(kind.expectation)",
            read: { value in
                guard case .list(let values) = value, count.contains(values.count) else { return nil }
                let read = values.compactMap(kind.read)
                return read.count == values.count ? read : nil
            },
            write: { .list($0.map(kind.write)) },
            words: kind.words,
            fault: { value in
                guard case .list(let values) = value else { return nil }
                return count.contains(values.count) ? kind.fault(among: values) : "it has \(values.count)"
            },
            isSecret: kind.isSecret)
    }

    /// An array of different values.
    static func set<Element: Hashable>(_ kind: ValueKind<Element>, upTo limit: Int) -> Self where Value == [Element] {
        let list = Self.list(kind, 0...limit)
        return ValueKind(
            expectation: "an array of different values, at most \(limit), each \(kind.expectation)",
            read: { list.read($0).flatMap { Set($0).count == $0.count ? $0 : nil } }, write: list.write,
            words: kind.words,
            fault: { list.read($0) == nil ? list.fault($0) : "it has one of them twice" })
    }

    /// The fault of the first element that is not read.
    func fault(among values: [ConfigurationValue]) -> String? {
        values.enumerated().first { read($1) == nil }.map { index, value in
            let shown = isSecret ? value.kindName : value.shown
            return "element \(index + 1) is \(shown)" + (fault(value).map { ": \($0)" } ?? "")
        }
    }

    /// A value written as a string.
    static func text(
        _ expectation: String, read: @escaping (String) -> Value?, write: @escaping (Value) -> String,
        fault: @escaping (String) -> String? = { _ in nil }
    ) -> Self {
        ValueKind(
            expectation: expectation,
            read: { if case .text(let text) = $0 { read(text) } else { nil } },
            write: { .text(write($0)) },
            fault: { if case .text(let text) = $0 { fault(text) } else { nil } })
    }
}

extension ValueKind where Value == String {
    static func words(longest: Int) -> Self {
        .text(
            "a text of 1 to \(longest) characters, without invisible ones and those that change its direction",
            read: { text in
                let isReadable = HiddenCharacter(in: text, acceptingLineFeeds: true) == nil
                return 1...longest ~= text.unicodeScalars.count && isReadable ? text : nil
            },
            write: { $0 }, fault: { HiddenCharacter(in: $0, acceptingLineFeeds: true)?.description })
    }

    /// A name in the certificate of a host behind the broker.
    static var fleetName: Self {
        .text(
            "a name of 1 to 64 lower-case letters, digits and -",
            read: { text in
                let isName = text.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2D }
                return 1...64 ~= text.utf8.count && isName ? text : nil
            },
            write: { $0 })
    }

    static var panelName: Self {
        .text(
            "a name of 1 to 64 visible characters", read: { Configuration.panelName($0) }, write: { $0 },
            fault: { HiddenCharacter(in: $0)?.description })
    }

    /// An absolute path of at most PATH_MAX bytes, since services start in any directory.
    static func path(longest: Int = 4095) -> Self {
        .text(
            "a path of at most \(longest) bytes that begins with /",
            read: { $0.hasPrefix("/") && $0.utf8.count <= longest ? $0 : nil }, write: { $0 })
    }

    fileprivate static var touchDevice: Self {
        .text(
            "the path of a device, or replay:PATH for a recording",
            read: { $0.hasPrefix("/") || $0.hasPrefix("replay:/") ? $0 : nil }, write: { $0 })
    }

    /// The limit is that of shadow-utils.
    static var group: Self {
        .text(
            "a group's name of 1 to 32 characters", read: { 1...32 ~= $0.utf8.count ? $0 : nil }, write: { $0 })
    }

    static var hostName: Self {
        .text(
            "a host name in lower case or an address, without a port", read: { HostName($0)?.text }, write: { $0 },
            fault: { HostName.fault($0) })
    }

    /// Root has full access in any case.
    static var user: Self {
        .text(
            "a user's name of 1 to 32 characters, not root",
            read: { 1...32 ~= $0.utf8.count && $0 != "root" && UInt32($0) != 0 ? $0 : nil }, write: { $0 })
    }
}

extension ValueKind where Value == SpeechOutput {
    /// The names of ALSA's devices have no spaces.
    static var speechOutput: Self {
        ValueKind(
            expectation: "\"headset\", \"usb\", \"off\" or a device of ALSA of 1 to 200 letters, digits and signs",
            read: { value in
                guard case .text(let text) = value else { return nil }
                let isName = 1...200 ~= text.utf8.count && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
                return switch text {
                case "headset": .headset
                case "usb": .usb
                case "off": .off
                default: isName && !text.hasPrefix("-") ? .device(text) : nil
                }
            },
            write: { output in
                switch output {
                case .headset: .text("headset")
                case .usb: .text("usb")
                case .off: .text("off")
                case .device(let name): .text(name)
                }
            }, words: ["headset", "usb", "off"])
    }
}

extension ValueKind where Value == NetworkAddress {
    static var networkAddress: Self {
        .text(
            NetworkAddress.expectation, read: { NetworkAddress($0) }, write: \.text, fault: { NetworkAddress.fault($0) }
        )
    }
}

extension ValueKind where Value == WebOrigin {
    static var origin: Self {
        .text(
            "an origin as browsers send it, such as https://till.example or http://192.0.2.7:8080: in lower case, "
                + "without a path, a / at the end, or the scheme's usual port",
            read: { try? WebOrigin($0) }, write: \.text,
            fault: { text in
                do throws(WebOriginError) { _ = try WebOrigin(text) } catch { return error.description }
                return nil
            })
    }
}

extension ValueKind where Value == [String] {
    /// One device or several; an empty array is written as `auto`.
    static var touchDevices: Self {
        some(.touchDevice, upTo: 8, none: .automatic, "\"auto\"")
    }

    /// Pictures, each 33 MB in memory for a 4K screen.
    static var pictures: Self { some(.path(), upTo: 16, none: .text(""), "\"\" for none") }

    /// A value, an array of them, or a value for none.
    private static func some(
        _ one: ValueKind<String>, upTo limit: Int, none: ConfigurationValue, _ meaning: String
    ) -> Self {
        let several = ValueKind.list(one, 1...limit)
        return ValueKind(
            expectation: "\(one.expectation), an array of these, or \(meaning)",
            read: { $0 == none ? [] : one.read($0).map { [$0] } ?? several.read($0) },
            write: { $0.isEmpty ? none : $0.count == 1 ? one.write($0[0]) : several.write($0) },
            words: none == .automatic ? ["auto"] : [], fault: several.fault)
    }
}

extension ValueKind where Value == Color {
    /// An opaque colour.
    static var color: Self {
        .text(
            "a colour as \"rrggbb\" in hexadecimal",
            read: { Color(hex: $0).flatMap { $0.alpha == 255 ? $0 : nil } }, write: { String($0.rgbHex.dropFirst()) })
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
            // The order is fixed.
            write: { switches in list.write(PenSwitch.allCases.filter(switches.contains)) },
            words: list.words, fault: list.fault)
    }
}

extension ValueKind where Value == AgeRecipient {
    static var ageRecipient: Self {
        // People paste the other half of the key, or a file with both.
        ValueKind(
            expectation: "a public key of age, age1...",
            read: { if case .text(let text) = $0 { try? AgeRecipient(text) } else { nil } },
            write: { .text($0.description) },
            fault: { value in
                guard case .text(let text) = value else { return nil }
                do throws(EvidenceError) { _ = try AgeRecipient(text) } catch { return "\(error)" }
                return nil
            },
            isSecret: true)
    }
}

extension ValueKind where Value == DateFormat {
    static var dateFormat: Self {
        .text(DateFormat.expectation, read: { DateFormat($0) }, write: { $0.pattern })
    }
}

extension ValueKind where Value == MessageTable.Language {
    static var language: Self {
        .text(
            "a BCP 47 tag of one of the languages " + MessageTable.Language.allTags,
            read: { MessageTable.Language(tag: $0) }, write: { $0.rawValue })
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
            "six numbers of an invertible matrix, such as \"1 0 0 0 1 0\"",
            read: { try? Calibration.matrix($0) }, write: { Calibration.text($0) },
            fault: { text in
                do throws(CalibrationError) { _ = try Calibration.matrix(text) } catch { return error.description }
                return nil
            })
    }
}
