// SPDX-License-Identifier: Apache-2.0
import Pad
import Store

/// A key of the file: which table it is in, and which property it is.
struct ConfigurationKey {
    /// From the outermost in.
    let table: [String]
    let name: String
    /// Fits after "expected".
    let expectation: String
    let words: [String]
    /// Sets the property; false, and nothing changed, when the value does not fit.
    let read: (ConfigurationValue, inout Configuration) -> Bool
    let write: (Configuration) -> ConfigurationValue

    var path: [String] { table + [name] }

    init<Value>(
        _ table: String, _ name: String, _ kind: ValueKind<Value>, _ property: WritableKeyPath<Configuration, Value>
    ) {
        self.table = table.split(separator: ".").map(String.init)
        self.name = name
        expectation = kind.expectation
        words = kind.words
        read = { value, configuration in
            guard let read = kind.read(value) else { return false }
            configuration[keyPath: property] = read
            return true
        }
        write = { kind.write($0[keyPath: property]) }
    }

    /// - Parameters:
    ///   - nilValue: what stands for nil in the file.
    ///   - meaning: of nil, where that does not speak for itself; fits after "for".
    init<Value>(
        _ table: String, _ name: String, _ kind: ValueKind<Value>, orNil nilValue: ConfigurationValue,
        meaning: String? = nil, _ property: WritableKeyPath<Configuration, Value?>
    ) {
        self.init(table, name, kind.orNil(nilValue, meaning), property)
    }
}

extension ConfigurationKey {
    /// For a property that the default configuration has.
    fileprivate init<Value>(
        _ table: String, _ name: String, _ kind: ValueKind<Value>,
        always property: WritableKeyPath<Configuration, Value?>
    ) {
        guard let usual = Configuration()[keyPath: property] else {
            preconditionFailure("[\(table)] \(name) has no default")
        }
        self.init(table, name, kind.or(usual), property)
    }

    /// In the order of the sample.
    static var all: [ConfigurationKey] { panel + pad + capture + storage }

    private static var panel: [ConfigurationKey] {
        [
            ConfigurationKey("touch", "device", .touchDevices, \.touch.devices),
            // Wider than any screen that people sign on.
            ConfigurationKey(
                "touch", "palm-mm", .number(1...500, "millimetres"), orNil: .integer(0), meaning: "none",
                \.touch.palmLimit),
            ConfigurationKey("touch", "filters", .noiseFilters, \.touch.filters),
            ConfigurationKey("touch", "calibration", .calibration, orNil: .automatic, \.touch.calibration),
            ConfigurationKey("display", "output", .display, \.display.output),
            ConfigurationKey("display", "rotate", .rotation, orNil: .automatic, \.display.rotation),
            ConfigurationKey("display", "prediction", .flag, \.display.predicts),
            ConfigurationKey("display", "switching", .flag, \.display.allowsSwitching),
            ConfigurationKey("display", "dpi", .density, orNil: .automatic, \.display.density),
            // Up to a day.
            ConfigurationKey(
                "power", "dim-after-s", .seconds(1...86_400), orNil: .integer(0), meaning: "never", \.power.dimAfter),
            ConfigurationKey("power", "dim-brightness", .integer(1...100, "percent"), \.power.dimmedPercent),
            ConfigurationKey(
                "power", "off-after-s", .seconds(1...86_400), orNil: .integer(0), meaning: "never", \.power.offAfter),
            ConfigurationKey("power", "blank", .word, \.power.blank),
            ConfigurationKey("ink", "pen", .word, \.ink.pen),
            ConfigurationKey("ink", "pen-switches", .penSwitches, \.ink.switches),
            ConfigurationKey("ink", "color", .color, orNil: .automatic, \.ink.color),
            ConfigurationKey(
                "ink", "width-mm", .number(Configuration.inkWidthRange, "millimetres"), orNil: .automatic, \.ink.width),
            ConfigurationKey("ink", "pressure", .word, \.ink.pressure),
        ]
    }

    private static var pad: [ConfigurationKey] {
        [
            ConfigurationKey("pad", "page", .word, \.pad.page),
            ConfigurationKey("pad", "language", .word, \.pad.language),
            ConfigurationKey("pad", "messages", .path(), orNil: .text(""), meaning: "none", \.pad.messages),
            ConfigurationKey("pad", "theme", .word, \.pad.theme),
            ConfigurationKey(
                "pad", "idle-text", .words(longest: 1000), orNil: .text(""), meaning: "the language's", \.pad.idleText),
            ConfigurationKey("pad", "idle-picture", .path(), orNil: .text(""), meaning: "none", \.pad.idlePicture),
            ConfigurationKey("pad", "date", .dateFormat, \.pad.dateFormat),
        ]
    }

    private static var capture: [ConfigurationKey] {
        [
            ConfigurationKey("capture", "undo", .flag, always: \.capture.undo),
            // Up to a day: a pad is not left waiting for ever.
            ConfigurationKey("capture", "inactivity-seconds", .seconds(5...86_400), always: \.capture.inactivityLimit),
            ConfigurationKey("capture", "total-seconds", .seconds(5...86_400), always: \.capture.totalLimit),
            ConfigurationKey("capture.minima", "strokes", .integer(1...100, "strokes"), always: \.capture.minima.strokes),
            ConfigurationKey("capture.minima", "reports", .integer(1...10_000, "reports"), always: \.capture.minima.samples),
            ConfigurationKey("capture.minima", "length-mm", .number(0...1000, "millimetres"), always: \.capture.minima.length),
            ConfigurationKey("capture.minima", "extent-mm", .number(0...500, "millimetres"), always: \.capture.minima.extent),
            ConfigurationKey(
                "capture.minima", "breadth-mm", .number(0...100, "millimetres"), always: \.capture.minima.breadth),
            ConfigurationKey(
                "capture.minima", "duration-ms", .milliseconds(0...10_000), always: \.capture.minima.duration),
        ]
    }

    private static var storage: [ConfigurationKey] {
        [
            ConfigurationKey("record", "directory", .path(), \.record.directory),
            // A century.
            ConfigurationKey(
                "record", "maximum-age-days", .days(1...36_525), orNil: .integer(0), meaning: "ever",
                \.record.retention.maximumAge),
            ConfigurationKey(
                "record", "maximum-count", .integer(1...1_000_000, "captures"), orNil: .integer(0), meaning: "any",
                \.record.retention.maximumCount),
            ConfigurationKey(
                "record", "panel-name", .panelName, orNil: .automatic, \.record.panelName),
            ConfigurationKey(
                "control", "socket", .path(longest: Configuration.longestSocketPath), \.control.socket),
            ConfigurationKey("control", "group", .group, orNil: .text(""), meaning: "none", \.control.group),
            ConfigurationKey("sketch", "colors", .list(.color, SketchTools.colorCountRange), orNil: .automatic, \.sketch.colors),
            ConfigurationKey(
                "sketch", "widths-mm",
                .list(.number(Configuration.inkWidthRange, "millimetres"), SketchTools.widthCountRange),
                orNil: .automatic, \.sketch.widths),
            ConfigurationKey("sketch", "double-tap-clears", .flag, \.sketch.clearsOnDoubleTap),
            ConfigurationKey("sketch", "directory", .path(), \.sketch.directory),
        ]
    }
}

extension Configuration {
    /// Widths that ink can have, in millimetres: from a hair to a brush.
    public static let inkWidthRange = 0.01...100.0
    /// What a panel may be called: 1 to 64 characters, as a host name has, none of them a control character.
    /// - Returns: nil for any other text.
    public static func panelName(_ text: String) -> String? {
        let hasControls = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return 1...64 ~= text.unicodeScalars.count && !hasControls ? text : nil
    }
    /// In bytes: sockaddr_un has 108 for a path and its NUL, unix(7).
    public static let longestSocketPath = 107
}
