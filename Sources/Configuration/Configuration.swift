// SPDX-License-Identifier: Apache-2.0
public import Document
public import Evidence
public import Geometry
public import HostAPI
public import Ink
public import Pad
public import Store
public import Touch

/// The settings of a panel, as inkpanel.toml has them. ``Setting`` declares the key, range and description of each.
public struct Configuration: Equatable, Sendable {
    /// Path of the file unless another one is named.
    public static let defaultPath = "/etc/inkpanel/inkpanel.toml"

    public var touch = Touch()
    public var keyboard = KeySettings()
    public var speech = Speech()
    public var display = Display()
    public var power = Power()
    public var ink = InkLook()
    public var pad = Pad()
    public var capture = CapturePolicy.standard
    /// The most time of a capture with several pages.
    public var flowLimit = PadTimes.standardFlow
    public var record = Record()
    public var evidence = Evidence()
    public var delivery = Delivery()
    public var document = Document()
    public var control = Control()
    public var gateway = Gateway()
    public var fleet = Fleet()
    public var sketch = Sketch()

    public init() {}

    public struct Touch: Equatable, Sendable {
        /// Paths of devices, or `replay:FILE`; empty for the best devices.
        public var devices: [String] = []
        /// Contacts of this size in millimetres or more are palms; nil disables the check.
        public var palmLimit: Double? = ContactGate.usualPalmLimit
        public var filters = NoiseSettings()
        /// Maps 0...1 of the digitizer to 0...1 of the panel, for all devices; nil for the calibration of udev.
        public var calibration: Transform?

        public init() {}
    }

    public struct Display: Equatable, Sendable {
        public var output = DisplayChoice.kms(connector: nil)
        /// nil for the orientation that the kernel reports.
        public var rotation: Rotation?
        /// Draw ink ahead of the pen.
        public var predicts = true
        public var latency = InkLatency.flip
        /// Give the screen to another virtual terminal on request.
        public var allowsSwitching = true
        /// nil for the density that the screen reports.
        public var density: PixelDensity?
    }

    /// Dimming and blanking of the idle screen.
    public struct Power: Equatable, Sendable {
        /// nil for never.
        public var dimAfter: Duration?
        /// Percentage of full brightness.
        public var dimmedPercent = 20
        /// nil for never.
        public var offAfter: Duration?
        public var blank = PowerBlanking.backlight
    }

    public struct InkLook: Equatable, Sendable {
        public var pen = PenName.default
        /// nil for those that the pen has by default.
        public var switches: Set<PenSwitch>?
        /// nil for the colour of the theme.
        public var color: Color?
        /// Millimetres; nil for the width of the pen.
        public var width: Double?
        public var pressure = PressureCurve.linear
    }

    public struct Pad: Equatable, Sendable {
        public var page = PadPage.idle
        public var language = MessageTable.Language.english
        /// A file of messages; those it lacks are in ``language``.
        public var messages: String?
        public var theme = PadTheme.light
        /// Colour of Accept and of the tick; nil for the theme's.
        public var accent: Color?
        /// Larger touch targets.
        public var gloves = false
        /// The least height of capitals in millimetres; nil for the usual letters.
        public var letters: Double?
        /// PNG above the text of the idle page.
        public var logo: String?
        /// Headline of the idle page and the line below it; nil for the messages.
        public var idleText: String?
        /// PNGs shown in turn on the idle page instead of a text.
        public var idlePictures: [String] = []
        /// The time for each of ``idlePictures``.
        public var slideTime = PadTimes().slide
        /// Whether the idle page shows the time of day.
        public var clock = false
        /// nil for the form of the language of the page.
        public var dateFormat: DateFormat?
    }

    /// Reading pages aloud.
    public struct Speech: Equatable, Sendable {
        public var output = SpeechOutput.headset
        /// Whether each capture is read aloud.
        public var always = false
    }

    public struct Record: Equatable, Sendable {
        public var directory = "/var/lib/inkpanel"
        public var retention = CaptureRetention()
        /// Name of this panel in records; nil for the host name.
        public var panelName: String?
    }

    /// Seals and encryption of records.
    public struct Evidence: Equatable, Sendable {
        public var seals = true
        /// Whether captures are refused while records cannot be sealed.
        public var required = false
        /// File of the panel's key; nil for the service manager's credential, or `key.pem` beside the captures.
        public var key: String?
        /// Those who can read records; empty for records that are stored readable.
        public var recipients: [AgeRecipient] = []
        /// The time for which an encrypted record stays readable in memory after it was accepted.
        public var readableFor = Duration.seconds(600)
    }

    /// Handing sealed records on to inkpanel-deliver.
    public struct Delivery: Equatable, Sendable {
        public var enabled = false
        /// Whether records stay until they are delivered.
        public var required = false
    }

    /// Documents that people read on the pad.
    public struct Document: Equatable, Sendable {
        /// Documents with these warnings are refused.
        public var refused: [DocumentFacts.Warning] = []
        public var maximumPages = HelperLimits.pages
        /// MiB.
        public var maximumSize = HelperLimits.document >> 20
        /// The socket of inkpanel-document; nil for its usual one, or a sandbox.
        public var socket: String?
    }

    /// The socket of the host API.
    public struct Control: Equatable, Sendable {
        public var socket = "/run/inkpanel/panel.sock"
        /// Group whose members have access; nil for root and the panel's user only.
        public var group: String? = "inkpanel"
        /// User of the gateway, which reaches only captures that it asked for; nil for none.
        public var gateway: String? = "inkpanel-gateway"
        /// User of inkpanel-fleet, which reaches only captures that it asked for; nil for none.
        public var fleet: String? = "inkpanel-fleet"
        /// User of the webhooks, which hear how captures end, and read the list of records; nil for none.
        public var webhooks: String? = "inkpanel-webhooks"
        /// Whether programs may ask at the pad to be paired.
        public var pairing = true
        /// The highest level of mirrors; nil allows none.
        public var mirror: MirrorLevel? = .presence
    }

    /// Access over the network, for inkpanel-gateway.
    public struct Gateway: Equatable, Sendable {
        /// Hosts in addresses of the gateway, besides the names of this machine; texts of ``HostName``.
        public var names: [String] = []
        /// Origins of web pages that may call the gateway.
        public var origins: [WebOrigin] = []
    }

    /// The broker through which hosts elsewhere ask, for inkpanel-fleet.
    public struct Fleet: Equatable, Sendable {
        /// nil for none.
        public var broker: NetworkAddress?
        /// Names of the hosts that are served; empty for all.
        public var hosts: [String] = []
        /// Time without messages after which the connection is tested.
        public var keepAlive = Duration.seconds(60)
    }

    public struct Sketch: Equatable, Sendable {
        /// nil for the colours of the theme.
        public var colors: [Color]?
        /// Millimetres; nil for the default widths.
        public var widths: [Double]?
        public var clearsOnDoubleTap = false
        /// Directory of saved drawings.
        public var directory = "/var/lib/inkpanel/drawings"
    }
}

extension Configuration {
    /// Range of ink widths, in millimetres.
    public static let inkWidthRange = 0.01...100.0
    /// Length in bytes: sockaddr_un has 108 for a path and its NUL, unix(7).
    public static let longestSocketPath = 107

    /// The text, if a panel may have it as its name: 1 to 64 characters as in host names, all of which people can see.
    public static func panelName(_ text: String) -> String? {
        1...64 ~= text.unicodeScalars.count && !text.isBlank && HiddenCharacter(in: text) == nil ? text : nil
    }

    /// All settings as TOML, which reads as the same configuration.
    public var text: String {
        text { setting, _ in "\(setting.name) = \(setting.write(self))\n" }
    }

    /// The settings that the panel itself reads, as ``text``; those of other programs have their defaults.
    public var panelText: String {
        var own = self
        for setting in Setting.all where setting.isOfAnotherProgram {
            // A default is never refused.
            _ = setting.read(setting.write(Configuration()), &own)
        }
        return own.text
    }

    /// The file deploy/inkpanel.toml: all settings as comments, with description and default.
    static var sample: String {
        let heading = """
            Configuration of inkpanel, /etc/inkpanel/inkpanel.toml. Lines in which # is directly followed by a key \
            are settings with their defaults: remove the # and change the value. Files inkpanel.toml.d/*.toml beside \
            this one override it, and options of `inkpanel run` override both. After a change:
            """
        let rules = """
            Unknown keys and invalid values are errors. Lengths are in millimetres on the screen. Paths begin with /.
            """
        let settings = Configuration().text { setting, isFirst in
            (isFirst ? "" : "\n") + comment(setting.description)
                + "#\(setting.name) = \(setting.write(Configuration()))\n"
        }
        return "# SPDX-License-Identifier: Apache-2.0\n" + comment(heading)
            + "#\n#     inkpanel config check && systemctl restart inkpanel\n#\n" + comment(rules) + "\n"
            + settings
    }

    /// Words as comment lines of at most 120 characters.
    private static func comment(_ text: String) -> String {
        var lines = ["#"]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].count + word.count >= 120 { lines.append("#") }
            lines[lines.count - 1] += " " + word
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func text(_ entry: (Setting, _ isFirstInTable: Bool) -> String) -> String {
        var text = ""
        var table: [String] = []
        for setting in Setting.all {
            let isFirst = setting.table != table
            if isFirst {
                table = setting.table
                text += (text.isEmpty ? "" : "\n") + "[\(table.joined(separator: "."))]\n"
            }
            text += entry(setting, isFirst)
        }
        return text
    }
}
