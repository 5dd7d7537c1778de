// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI
import Pad
import Store
import Touch

/// A setting: its key in inkpanel.toml, its values, and what it does. Its default is that of ``Configuration``. Reading
/// and writing the file, `config show`, the sample file with the manual, and the options of commands are all made from
/// these declarations.
public struct Setting {
    /// Names of the table and the tables around it, outermost first.
    let table: [String]
    let name: String
    /// Describes the setting as the start of a sentence.
    private let summary: String
    /// Further sentences for the sample.
    private let details: String
    /// The values, without the one that stands for nil.
    public let values: String
    private let nilValue: (value: ConfigurationValue, meaning: String)?
    let words: [String]
    /// Sets the property; returns false and changes nothing if the value is invalid.
    let read: (ConfigurationValue, inout Configuration) -> Bool
    let write: (Configuration) -> ConfigurationValue
    /// ``ValueKind/fault``.
    let fault: (ConfigurationValue) -> String?
    let isSecret: Bool

    var path: [String] { table + [name] }

    /// - Parameter key: `table.name`.
    private init<Value>(
        _ key: String, _ kind: ValueKind<Value>, _ property: WritableKeyPath<Configuration, Value>, _ summary: String,
        _ details: String = ""
    ) {
        let path = key.split(separator: ".").map(String.init)
        table = path.dropLast()
        name = path[path.count - 1]
        self.summary = summary
        self.details = details
        values = kind.expectation
        nilValue = kind.nilValue
        words = kind.words
        read = { value, configuration in
            guard let read = kind.read(value) else { return false }
            configuration[keyPath: property] = read
            return true
        }
        write = { kind.write($0[keyPath: property]) }
        fault = kind.fault
        isSecret = kind.isSecret
    }

    /// A setting of a property that may be nil elsewhere and is not in the default configuration.
    private init<Value>(
        _ key: String, _ kind: ValueKind<Value>, always property: WritableKeyPath<Configuration, Value?>,
        _ summary: String, _ details: String = ""
    ) {
        guard let standard = Configuration()[keyPath: property] else {
            preconditionFailure("\(key) has no default")
        }
        self.init(key, kind.or(standard), property, summary, details)
    }

    /// - Parameters:
    ///   - nilValue: stands for nil in the file.
    ///   - meaning: of nil; fits after "for".
    private init<Value>(
        _ key: String, _ kind: ValueKind<Value>, orNil nilValue: ConfigurationValue, _ meaning: String,
        _ property: WritableKeyPath<Configuration, Value?>, _ summary: String, _ details: String = ""
    ) {
        self.init(key, kind.orNil(nilValue, meaning), property, summary, details)
    }

    /// All valid values; fits after "expected".
    var expectation: String {
        // "auto" explains itself.
        nilValue.map { values + ", or \($0.value)" + ($0.value == .automatic ? "" : " for \($0.meaning)") } ?? values
    }

    /// The text above the setting in the sample.
    var description: String {
        let automatic = nilValue.map { $0.value == .automatic ? " for \($0.meaning)" : "" } ?? ""
        return "\(summary): \(expectation)\(automatic)." + (details.isEmpty ? "" : " " + details)
    }

    /// The help of an option for the setting.
    /// - Parameter values: the values of the option if they differ from those of the setting; may be empty.
    public func help(_ values: String? = nil) -> String {
        let value = write(Configuration())
        var standard = "\(value)"
        if let nilValue, nilValue.value == value {
            standard = nilValue.meaning
        } else if case .text(let text) = value {
            standard = value == .automatic ? "automatic" : text
        } else if case .flag(let flag) = value {
            standard = flag ? "on" : "off"
        }
        let values = (values ?? self.values).replacing("\"", with: "")
        return summary + (values.isEmpty ? "" : ": " + values) + " (default: \(standard))."
    }

    /// The error for an invalid number of an option.
    /// - Returns: nil if the number is valid or missing.
    public func problem(with number: Double?, option: String) -> String? {
        var configuration = Configuration()
        return number.map { read(.number($0), &configuration) } == false ? "\(option) is \(values)" : nil
    }
}

extension Setting {
    /// All settings, in the order of the sample. They are constant, and their closures share no state.
    nonisolated(unsafe) static let all = devices + pages + captures + storage

    /// The setting with a key, such as `display.rotate`, which must be one of ``all``.
    public static subscript(key: String) -> Setting {
        guard let setting = all.first(where: { $0.path.joined(separator: ".") == key }) else {
            preconditionFailure("there is no setting \(key)")
        }
        return setting
    }

    private static var devices: [Setting] {
        [
            Setting(
                "touch.device", .touchDevices, \.touch.devices, "Device that people write on",
                "\"auto\" takes the best touchscreen and the best pen; `inkpanel devices` lists them with reasons. "
                    + "Paths in /dev/input/by-id do not change. \"replay:/path/to/FILE.events\" plays a recording in "
                    + "place of a device."),
            Setting(
                "touch.palm-mm", .number(1...500, "millimetres"), orNil: .integer(0), "no limit", \.touch.palmLimit,
                "Size from which a contact is a palm and does not draw", "Only for devices that report sizes."),
            Setting(
                "touch.filters", .noiseFilters, \.touch.filters, "Noise filters for touches",
                "For resistive panels and panels that report phantom touches: join and debounce in milliseconds, "
                    + "evthres in reports, skip in reports at both ends, median in reports, dejitter in millimetres. "
                    + "docs/touch.md describes each and the delay that it adds. Records keep both the reports and "
                    + "what was drawn. A good capacitive panel needs none."),
            Setting(
                "touch.calibration", .calibration, orNil: .automatic, "the calibration of udev", \.touch.calibration,
                "Calibration of a digitizer that is not aligned with its screen",
                "The numbers are the first two rows of the matrix, as in udev's property LIBINPUT_CALIBRATION_MATRIX. "
                    + "`inkpanel calibrate` determines it. It applies to all devices; if a panel has several, use udev "
                    + "rules."),
            Setting(
                "keyboard.use", .word, \.keyboard.use, "Keys that operate the pages, apart from drawing",
                "\"keys\" are those of keyboards and keypads: Tab and arrows, Enter. With \"two-switches\", Enter "
                    + "presses and each other key goes on. With \"one-switch\" the pad goes round, and each key "
                    + "presses. No scanner of bar codes may be connected with switches."),
            Setting(
                "keyboard.step-s", .seconds(0.3...30), \.keyboard.step,
                "With one switch, how long each control can be pressed"),
            Setting(
                "keyboard.pause-ms", .milliseconds(25...2000), \.keyboard.pause,
                "Least time between two keys that count", "Longer for hands that shake."),
            Setting(
                "speech.output", .speechOutput, \.speech.output, "Where pages are read aloud, if somebody asks for it",
                "\"headset\" is a USB headset, once it is plugged in. \"usb\" is any USB sound card, such as an "
                    + "adapter for a jack. These, and a device such as \"plughw:0\" (`aplay -L`), say everything on "
                    + "the page to all who are near, if a loudspeaker hangs on them. Needs espeak-ng and alsa-utils."),
            Setting(
                "speech.always", .flag, \.speech.always, "Read each capture aloud, without being asked"),
            Setting(
                "display.output", .display, \.display.output, "Display",
                "\"kms\" is the best connected screen, \"kms:DSI-1\" the one at that connector; `inkpanel devices` "
                    + "lists them. \"fb\" is the framebuffer device /dev/fb0, \"fb:/dev/fb1\" another one, for screens "
                    + "without KMS. \"headless:800x480\" is in memory, for tests."),
            Setting(
                "display.rotate", .rotation, orNil: .automatic, "the orientation that the kernel reports",
                \.display.rotation, "Clockwise rotation of the picture"),
            Setting(
                "display.prediction", .flag, \.display.predicts,
                "Draw ink ahead of the pen, to where it will be when the screen shows it", "KMS displays only."),
            Setting(
                "display.latency", .word, \.display.latency, "How new ink reaches the screen",
                "\"flip\" shows it with the next frame. \"front\" also writes it into the frame that is on screen, "
                    + "some milliseconds earlier: experimental, and only with drivers that show memory in place."),
            Setting(
                "display.switching", .flag, \.display.allowsSwitching,
                "Release the screen when someone switches to another virtual terminal (chvt)",
                "Switching back to the panel's terminal restores the panel. Keyboards cannot switch: they operate "
                    + "pages only while the panel is shown."),
            Setting(
                "display.dpi", .density, orNil: .automatic, "the density that the screen reports", \.display.density,
                "Density of the screen",
                "For screens that report no size or a wrong one. Sizes of buttons, letters and ink depend on it."),
            Setting(
                "power.dim-after-s", .seconds(1...86_400), orNil: .integer(0), "never", \.power.dimAfter,
                "Time without a touch until the screen dims", "A touch or a capture call lights it up again."),
            Setting(
                "power.dim-brightness", .integer(1...100, "percent"), \.power.dimmedPercent,
                "Brightness of a dimmed screen"),
            Setting(
                "power.off-after-s", .seconds(1...86_400), orNil: .integer(0), "never", \.power.offAfter,
                "Time without a touch until the screen is blanked", "The touch that wakes it has no other effect."),
            Setting(
                "power.blank", .word, \.power.blank, "How the screen is blanked",
                "\"backlight\" switches the backlight off, and shows black if there is none, as with HDMI. \"black\" "
                    + "leaves the backlight on."),
        ]
    }

    private static var pages: [Setting] {
        [
            Setting("ink.pen", .word, \.ink.pen, "Pen"),
            Setting(
                "ink.pen-switches", .penSwitches, orNil: .automatic, "those of the pen: [\"taper\"] for ink, else none",
                \.ink.switches, "Changes to the pens offset and ink",
                "\"taper\" thins out the ink where the pen leaves fast; the others are for offset."),
            Setting(
                "ink.color", .color, orNil: .automatic, "the colour of the theme", \.ink.color, "Colour of the ink"),
            Setting(
                "ink.width-mm", .number(Configuration.inkWidthRange, "millimetres"), orNil: .automatic,
                "the width of the pen", \.ink.width, "Width of the ink"),
            Setting(
                "ink.pressure", .word, \.ink.pressure, "Effect of pressure on the width of the pen ink",
                "With \"off\" the width depends on speed."),
            Setting(
                "pad.page", .word, \.pad.page, "Page shown while no capture runs",
                "\"idle\" is a text or a picture, \"sketch\" a drawing surface with tools, \"ink\" a bare sheet."),
            Setting(
                "pad.language", .language, \.pad.language, "Language of the pages",
                "Hosts may request another one for a capture."),
            Setting(
                "pad.messages", .path(), orNil: .text(""), "none", \.pad.messages,
                "File with your own messages, such as a translation",
                "Messages missing from it are in the language above. share/inkpanel/en.messages has all of them."),
            Setting(
                "pad.theme", .word, \.pad.theme, "Colours of the pages",
                "\"dark\" is for dark rooms, \"high-contrast\" for people who see little."),
            Setting(
                "pad.accent", .color, orNil: .automatic, "that of the theme", \.pad.accent,
                "Colour of your brand, for Accept",
                "It needs a contrast of 4.5 to 1 with its label and of 3 to 1 with the page (WCAG 2.2 AA)."),
            Setting(
                "pad.logo", .path(), orNil: .text(""), "none", \.pad.logo,
                "PNG file shown above the text of the idle page"),
            Setting(
                "pad.gloves", .flag, \.pad.gloves, "Larger buttons for people who wear gloves",
                "A page without room for them keeps the usual ones."),
            Setting(
                "pad.letters-mm", .number(CaptureCall.lettersRange, "millimetres"), orNil: .automatic,
                "the usual letters", \.pad.letters,
                "Least height of capital letters on pages, for people who see little",
                "4.9 is 0.7 degrees at 40 cm (EN 301 549, 5.1.4). On a page without room they are as high as fits."),
            Setting(
                "pad.idle-text", .words(longest: 1000), orNil: .text(""), "the built-in text", \.pad.idleText,
                "Text of the idle page", "\\n ends the headline; smaller text follows."),
            Setting(
                "pad.idle-picture", .pictures, \.pad.idlePictures,
                "PNG file shown on the idle page instead of a text",
                "The pictures of an array are shown in turn. Each takes 4 bytes of memory a pixel."),
            Setting(
                "pad.slide-seconds", .seconds(2...3600), \.pad.slideTime,
                "Time of each idle picture, if there are several"),
            Setting(
                "pad.clock", .flag, \.pad.clock, "Show the time of day on the idle page", "Not over pictures."),
            Setting(
                "pad.date", .dateFormat, orNil: .automatic, "the form of the language, in English ISO 8601",
                \.pad.dateFormat, "Format of the date beside the signature, as in strftime(3)"),
        ]
    }

    private static var captures: [Setting] {
        [
            Setting(
                "capture.undo", .flag, always: \.capture.undo, "Let people undo single strokes",
                "Forensic use requires an uninterrupted signature."),
            Setting(
                "capture.inactivity-seconds", .seconds(5...86_400), always: \.capture.inactivityLimit,
                "Time without a touch after which a capture ends"),
            Setting(
                "capture.total-seconds", .seconds(5...86_400), always: \.capture.totalLimit,
                "Time after which a capture ends",
                "Each page of a document, question and further person adds a minute. 20 seconds before the end the "
                    + "page asks whether anybody is there; an answer adds a minute, ten times. A host's own limit is "
                    + "final."),
            Setting(
                "capture.flow-seconds", .seconds(5...86_400), \.flowLimit,
                "Maximum time with these minutes, unless total-seconds is longer",
                "The time that a host demands with a document comes on top, for each person."),
            Setting(
                "capture.missing-glyphs", .word, always: \.capture.missingGlyphs,
                "What happens if no font has a character of the page",
                "\"refuse\" takes no signature, \"values\" none if the character is in the signer's name or in the "
                    + "rows, \"tell\" takes it. The host hears of the character in any case, and the record has it."),
            Setting(
                "capture.alternatives", .set(.word, upTo: Alternative.allCases.count), always: \.capture.alternatives,
                "What people who cannot write a signature may do in its place",
                "Such as [\"confirmed\", \"mark\", \"representative\", \"typed\"]: press a button; make a mark, which "
                    + "two witnesses sign; have somebody else sign; accept a name that the host sends. Hosts may allow "
                    + "others."),
            Setting(
                "capture.minima.strokes", .integer(1...100, "strokes"), always: \.capture.minima.strokes,
                "Minimum number of strokes of a signature", "Hosts may set other minima."),
            Setting(
                "capture.minima.reports", .integer(1...10_000, "reports"), always: \.capture.minima.samples,
                "Minimum number of reports of the device"),
            Setting(
                "capture.minima.length-mm", .number(0...1000, "millimetres"), always: \.capture.minima.length,
                "Minimum length of all lines"),
            Setting(
                "capture.minima.extent-mm", .number(0...500, "millimetres"), always: \.capture.minima.extent,
                "Minimum diagonal of the box around the ink"),
            Setting(
                "capture.minima.breadth-mm", .number(0...100, "millimetres"), always: \.capture.minima.breadth,
                "Minimum breadth of the ink across its main direction", "A straight line has none."),
            Setting(
                "capture.minima.duration-ms", .milliseconds(0...10_000), always: \.capture.minima.duration,
                "Minimum time from the first report to the last"),
        ]
    }

    private static var storage: [Setting] {
        [
            Setting(
                "record.directory", .path(), \.record.directory, "Directory of the captures",
                "It is created if its parent exists. Captures are biometric data and readable by their owner only."),
            Setting(
                "record.maximum-age-days", .days(1...36_525), orNil: .integer(0), "no limit",
                \.record.retention.maximumAge,
                "Age after which captures are removed", "Only while a time service (NTP) controls the clock."),
            Setting(
                "record.maximum-count", .integer(1...1_000_000, "captures"), orNil: .integer(0), "no limit",
                \.record.retention.maximumCount, "Maximum number of captures; older ones are removed"),
            Setting(
                "record.panel-name", .panelName, orNil: .automatic, "the host name", \.record.panelName,
                "Name of this panel in records and exports"),
            Setting(
                "evidence.seals", .flag, \.evidence.seals, "Seal each record with the panel's key",
                "docs/evidence.md describes what a seal proves."),
            Setting(
                "evidence.required", .flag, \.evidence.required,
                "Take no signatures while records cannot be sealed, because the key or the last seal is damaged"),
            Setting(
                "evidence.key", .path(), orNil: .automatic,
                "the credential inkpanel.key of the service, or key.pem beside the captures", \.evidence.key,
                "File with the panel's key"),
            Setting(
                "evidence.recipients", .list(.ageRecipient, 0...16), \.evidence.recipients,
                "Keys of those who can read records; the panel then stores none that others can read",
                "Such as the organisation's and a notary's; each of them alone can. `age-keygen` makes one. Needs "
                    + "seals."
            ),
            Setting(
                "evidence.readable-seconds", .seconds(0...86_400), \.evidence.readableFor,
                "Time for which hosts can get an encrypted record in all formats after it was accepted",
                "It stays in memory until then."),
            Setting(
                "delivery.enabled", .flag, \.delivery.enabled,
                "Put sealed records into outbox/ of the directory, from where inkpanel-deliver sends them",
                "docs/delivery.md describes where to. Needs seals."),
            Setting(
                "delivery.required", .flag, \.delivery.required,
                "Remove only records that were delivered, whatever maximum-age-days, maximum-count and hosts say"),
            Setting(
                "document.refuse", .list(.word, 0...DocumentFacts.Warning.allCases.count), \.document.refused,
                "Refuse documents with these warnings",
                "They may look or act differently elsewhere, or later; docs/documents.md has more. Hosts may "
                    + "refuse more."),
            Setting(
                "document.maximum-pages", .integer(1...HelperLimits.pages, "pages"), \.document.maximumPages,
                "Maximum number of pages of a document"),
            Setting(
                "document.maximum-size-mib", .integer(1...(HelperLimits.document >> 20), "MiB"),
                \.document.maximumSize, "Maximum size of a document"),
            Setting(
                "document.socket", .path(longest: Configuration.longestSocketPath), orNil: .automatic,
                "the socket of the service inkpanel-document, or a sandbox of bubblewrap without it",
                \.document.socket, "Socket of inkpanel-document, which reads documents"),
            Setting(
                "control.socket", .path(longest: Configuration.longestSocketPath), \.control.socket,
                "Socket of the host API"),
            Setting(
                "control.group", .group, orNil: .text(""), "none", \.control.group,
                "Group whose members may use the host API, besides root and the panel's user"),
            Setting(
                "control.gateway", .user, orNil: .text(""), "none", \.control.gateway,
                "User of the gateway, which reaches only captures and records that it asked for",
                "It must be a member of the group to reach the socket, and still has no other rights."),
            Setting(
                "control.fleet", .user, orNil: .text(""), "none", \.control.fleet,
                "User of inkpanel-fleet, which reaches only captures and records that it asked for",
                "It must be a member of the group to reach the socket, as the gateway's."),
            Setting(
                "control.webhooks", .user, orNil: .text(""), "none", \.control.webhooks,
                "User of the webhooks, which hear how captures end, and read the list of records",
                "It must be a member of the group to reach the socket, as the gateway's."),
            Setting(
                "control.pairing", .flag, \.control.pairing, "Let programs ask at the pad to be known to the gateway",
                "A person compares six digits and presses Allow."),
            Setting(
                "control.mirror", .word, orNil: .text("off"), "no mirror", \.control.mirror,
                "What programs may show of a capture while the person signs",
                "state: how many strokes there are; presence: where ink is, in squares of 4 mm; ink: the ink. The pad "
                    + "shows that somebody watches, except with \"state\"."),
            Setting(
                "gateway.names", .list(.hostName, 0...16), \.gateway.names,
                "Further names by which hosts reach the gateway", "It knows the machine's own names and addresses."),
            Setting(
                "gateway.origins", .list(.origin, 0...32), \.gateway.origins,
                "Web pages that may call the gateway from browsers", "docs/web.md describes what browsers allow."),
            Setting(
                "fleet.broker", .networkAddress, orNil: .text(""), "none", \.fleet.broker,
                "MQTT broker through which hosts elsewhere ask for signatures", "docs/fleet.md describes it."),
            Setting(
                "fleet.hosts", .list(.fleetName, 0...64), \.fleet.hosts,
                "Hosts that may ask through the broker, all for none",
                "The panel knows a host by its response topic only, so that any host of the broker can invent others."),
            Setting(
                "fleet.keep-alive-seconds", .seconds(10...1200), \.fleet.keepAlive,
                "Time without messages after which inkpanel-fleet tests the connection",
                "Routers forget connections that are silent for long."),
            Setting(
                "sketch.colors", .list(.color, SketchTools.colorCountRange), orNil: .automatic,
                "the colours of the theme", \.sketch.colors, "Colours to choose from"),
            Setting(
                "sketch.widths-mm",
                .list(.number(Configuration.inkWidthRange, "millimetres"), SketchTools.widthCountRange),
                orNil: .automatic, "the default widths", \.sketch.widths, "Widths to choose from"),
            Setting(
                "sketch.double-tap-clears", .flag, \.sketch.clearsOnDoubleTap, "Clear the page on two quick taps",
                "Undo restores it."),
            Setting(
                "sketch.directory", .path(), \.sketch.directory, "Directory for saved drawings (PNG and SVG)"),
        ]
    }
}
