// SPDX-License-Identifier: Apache-2.0
public import Pad
public import Geometry
public import Ink
public import Raster
public import Store
public import Touch

/// What an installation says of its panel: the file inkpanel.toml as values. Each property is a key of the file;
/// `config/inkpanel.toml` says what they mean to who runs a panel.
public struct Configuration: Equatable, Sendable {
    /// Where the file is when nobody names another one.
    public static let defaultPath = "/etc/inkpanel/inkpanel.toml"

    public var touch = Touch()
    public var display = Display()
    public var power = Power()
    public var ink = InkLook()
    public var pad = Pad()
    public var capture = CapturePolicy.standard
    public var record = Record()
    public var control = Control()
    public var sketch = Sketch()

    public init() {}

    public struct Touch: Equatable, Sendable {
        /// Paths of devices, or `replay:FILE`; none: the best that there are.
        public var devices: [String] = []
        /// A contact of this size in millimetres, or larger, is a palm; nil when none is.
        public var palmLimit: Double? = ContactGate.usualPalmLimit
        /// Of all devices.
        public var filters = NoiseSettings()
        /// From 0...1 of the digitizer to 0...1 of the panel, of all devices; nil is as udev says of each.
        public var calibration: Transform?

        public init() {}
    }

    public struct Display: Equatable, Sendable {
        public var output = DisplayChoice.kms(connector: nil)
        /// nil is as the kernel says the panel is built in.
        public var rotation: Rotation?
        /// Ink is drawn ahead of the pen.
        public var predicts = true
        /// Whether another virtual terminal may have the screen when somebody switches to it.
        public var allowsSwitching = true
        /// nil is as the screen states its size.
        public var density: PixelDensity?

        public init() {}
    }

    /// The screen's light while nobody touches it.
    public struct Power: Equatable, Sendable {
        /// In microseconds; nil is never.
        public var dimAfter: Int64?
        /// Of the brightest, in percent.
        public var dimmedPercent = 20
        /// In microseconds; nil is never.
        public var offAfter: Int64?
        public var blank = PowerBlanking.backlight

        public init() {}
    }

    public struct InkLook: Equatable, Sendable {
        public var pen = PenName.default
        public var switches: Set<PenSwitch> = []
        /// nil is the theme's.
        public var color: Color?
        /// In millimetres; nil is the pen's own.
        public var width: Double?
        public var pressure = PressureCurve.linear

        public init() {}
    }

    /// What the pad shows, and in which words.
    public struct Pad: Equatable, Sendable {
        public var page = PadPage.idle
        public var language = MessageTable.Language.english
        /// A file of messages of one's own; what it lacks is in ``language``.
        public var messages: String?
        public var theme = PadTheme.light
        /// Lines on the idle page; nil is the message for it.
        public var idleText: String?
        /// A PNG on the idle page instead of a text.
        public var idlePicture: String?
        public var dateFormat = DateFormat.iso8601

        public init() {}
    }

    public struct Record: Equatable, Sendable {
        /// Where captures are kept.
        public var directory = "/var/lib/inkpanel"
        public var retention = CaptureRetention()
        /// What records call this panel; nil is the host name.
        public var panelName: String?

        public init() {}
    }

    /// The host's way in.
    public struct Control: Equatable, Sendable {
        /// A path that fits an address of a Unix socket.
        public var socket = "/run/inkpanel/panel.sock"
        /// Whose members may ask for signatures; nil is nobody but root and the panel's own user.
        public var group: String? = "inkpanel"

        public init() {}
    }

    public struct Sketch: Equatable, Sendable {
        /// Those to choose from; nil is the page's own.
        public var colors: [Color]?
        /// Those to choose from in millimetres; nil is the page's own.
        public var widths: [Double]?
        public var clearsOnDoubleTap = false
        /// Where saved drawings go.
        public var directory = "/var/lib/inkpanel/drawings"

        public init() {}
    }
}

/// How a screen is made dark.
public enum PowerBlanking: String, Sendable, CaseIterable {
    /// By its light, and by black frames where that cannot be changed.
    case backlight
    /// By black frames.
    case black
}

/// What the pad shows while nobody is asked for a signature.
public enum PadPage: String, Sendable, CaseIterable {
    /// A text or a picture.
    case idle
    /// A drawing surface with tools.
    case sketch
    /// A bare sheet, all paper.
    case ink
}

/// The colours of the pad's pages by name.
public enum PadTheme: String, Sendable, CaseIterable {
    case light, dark
}
