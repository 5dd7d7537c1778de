// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Ink
public import Raster
public import Record

/// How a pad behaves and looks. The closures inject the wall clock and randomness, which ``Pad`` does not read itself.
public struct PadSettings {
    public var messages: MessageTable
    /// The pen and the colours of signatures.
    public var pen: Pen
    public var color: Color
    public var paper: Color
    /// Hosts' calls override it.
    public var policy: CapturePolicy
    public var times = PadTimes()
    /// Shown while nobody signs, unless there is a sketch page.
    public var idle: Page
    public var sketch: SketchSettings?
    /// Name and version of the program, for records.
    public var program: String
    /// The name of the panel, for records.
    public var panel: String?
    /// Wall clock, microseconds since 1970-01-01 UTC.
    public var wallClock: () -> Int64
    /// The current date, as pages show it.
    public var date: () -> CaptureHeader.LocalDate
    /// 64 bits that cannot be guessed.
    public var random: () -> UInt64

    public init(
        messages: MessageTable, pen: Pen, color: Color, paper: Color, policy: CapturePolicy, idle: Page,
        program: String, wallClock: @escaping () -> Int64, date: @escaping () -> CaptureHeader.LocalDate,
        random: @escaping () -> UInt64
    ) {
        self.messages = messages
        self.pen = pen
        self.color = color
        self.paper = paper
        self.policy = policy
        self.idle = idle
        self.program = program
        self.wallClock = wallClock
        self.date = date
        self.random = random
    }
}

/// The sketch page, whatever the screen.
public struct SketchSettings: Equatable, Sendable {
    public var tools: SketchTools
    public var clearsOnDoubleTap: Bool

    public init(tools: SketchTools, clearsOnDoubleTap: Bool) {
        self.tools = tools
        self.clearsOnDoubleTap = clearsOnDoubleTap
    }
}

/// How long pages stay that go away by themselves, in microseconds.
public struct PadTimes: Equatable, Sendable {
    /// A refusal, and that a record could not be stored. Ten words are read in about four seconds.
    public var message: Int64 = 6_000_000
    public var thanks: Int64 = 3_000_000
    /// How long the record thread may take with an accepted record before it counts as lost. A busy memory card answers
    /// within ten seconds.
    public var saving: Int64 = 10_000_000

    public init() {}
}

/// The screen that pages are on.
public struct PadScreen: Equatable, Sendable {
    /// Connector and driver, for people.
    public var name: String
    /// Pixels of the panel, before rotation.
    public var panelSize: PixelSize
    /// From the picture to the panel.
    public var rotation: Rotation
    /// Of ink.
    public var density: PixelDensity
    /// Of pages; nil if the size of the screen is unknown.
    public var pageDensity: PixelDensity?

    public init(
        name: String, panelSize: PixelSize, rotation: Rotation, density: PixelDensity, pageDensity: PixelDensity?
    ) {
        self.name = name
        self.panelSize = panelSize
        self.rotation = rotation
        self.density = density
        self.pageDensity = pageDensity
    }

    /// Pixels as the person sees it.
    public var size: PixelSize { rotation.pictureSize(onPanel: panelSize) }

    /// Whether what was drawn for the other fits here. Only its rotation on the panel may differ.
    public func showsSame(as other: PadScreen) -> Bool {
        size == other.size && density == other.density && pageDensity == other.pageDensity
    }
}
