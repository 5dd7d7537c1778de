// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import HostAPI
public import Ink
import Raster
public import Record
public import Touch

/// The settings of a pad. The closures supply the wall clock and random numbers, which ``Pad`` does not read itself.
public struct PadSettings {
    /// The texts of all pages, unless a host requests another language for a capture.
    public var messages: MessageTable
    /// The pen of signatures.
    public var pen: Pen
    public var color: Color
    public var paper: Color
    /// The default policy, which calls may override.
    public var policy: CapturePolicy
    public var times = PadTimes()
    /// The pages shown in turn while no capture runs, unless there is a sketch page. At least one.
    public var idle: [Page]
    /// Whether the idle page shows the time of day. Pictures of the size of the page do not.
    public var showsClock = false
    public var sketch: SketchSettings?
    /// Whether programs may ask to be paired.
    public var allowsPairing = true
    /// The highest level of mirrors; nil allows none.
    public var mirror: MirrorLevel?
    /// Whether somebody reads ``Pad/description``.
    public var describesPages = false
    /// Whether each capture is read aloud, if that can be heard.
    public var alwaysSpeaks = false
    public var keys = KeySettings()
    /// Whether a finger that rests in a corner asks for a report.
    public var offersReports = false
    /// Whether a simulated person signs.
    public var isSimulated = false
    /// The program's name and version, for records.
    public var program: String
    /// ``PanelStatus/configuration``.
    public var configuration: String?
    /// The panel's name, for records.
    public var panel: String?
    /// The machine, for records.
    public var machine: CaptureMachine?
    /// Wall clock, microseconds since 1970-01-01 UTC.
    public var wallClock: () -> Int64
    /// Overrides the format of dates of the language of the page.
    public var dateFormat: DateFormat?
    /// The current date in a format.
    public var date: (DateFormat) -> LocalDate
    /// 64 unpredictable bits.
    public var random: () -> UInt64

    public init(
        messages: MessageTable, pen: Pen, color: Color, paper: Color, policy: CapturePolicy, idle: [Page],
        program: String, wallClock: @escaping () -> Int64, date: @escaping (DateFormat) -> LocalDate,
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

/// Settings that change while the pad runs.
public struct PadRevision: Equatable, Sendable {
    public var policy: CapturePolicy
    /// ``PadTimes/flow`` and ``PadTimes/slide``.
    public var flow, slide: Duration
    public var showsClock, allowsPairing: Bool
    /// ``PanelStatus/configuration``.
    public var configuration: String?
    /// ``PadSettings/idle``; nil for those that the pad has.
    public var idle: [Page]?

    public init(
        policy: CapturePolicy, flow: Duration, slide: Duration, showsClock: Bool, allowsPairing: Bool,
        configuration: String?, idle: [Page]? = nil
    ) {
        self.policy = policy
        self.flow = flow
        self.slide = slide
        self.showsClock = showsClock
        self.allowsPairing = allowsPairing
        self.configuration = configuration
        self.idle = idle
    }
}

extension PadSettings {
    fileprivate mutating func apply(_ revision: PadRevision) {
        policy = revision.policy
        (times.flow, times.slide) = (revision.flow, revision.slide)
        (showsClock, allowsPairing) = (revision.showsClock, revision.allowsPairing)
        if let pages = revision.idle { idle = pages }
    }
}

extension Pad {
    /// Applies settings that were read again. A page that is shown, or laid out, keeps those with which it was made.
    mutating func applyRevision(_ actions: inout [PadAction]) {
        guard let next = revision, case .idle = state, preparing == nil else { return }
        revision = nil
        settings.apply(next)
        if next.idle != nil { slide = 0 }
        if page == .idle, hasDisplay { showWelcome(&actions) }
    }
}

extension PadSettings {
    /// The texts for a request: in its language, or else the pad's own. Texts of the pad's messages file count for
    /// requests in the pad's language, too.
    func messages(for request: CaptureRequest) -> MessageTable {
        guard let tag = request.language, let language = MessageTable.Language(tag: tag), language != messages.language
        else { return messages }
        return MessageTable(language)
    }
}

/// The settings of the sketch page, independent of the screen.
public struct SketchSettings: Equatable, Sendable {
    public var tools: SketchTools
    public var clearsOnDoubleTap: Bool

    public init(tools: SketchTools, clearsOnDoubleTap: Bool) {
        self.tools = tools
        self.clearsOnDoubleTap = clearsOnDoubleTap
    }
}

/// Timeouts of pages.
public struct PadTimes: Equatable, Sendable {
    /// The time that a refusal or a storage failure is shown. Ten words take about four seconds to read.
    public var message = Duration.seconds(6)
    public var thanks = Duration.seconds(3)
    /// The time that a last page stays after a touch: 20 seconds are what WCAG 2.2 gives people to react (2.2.1).
    public var reading = Duration.seconds(20)
    /// The time of an idle page, if there are several.
    public var slide = Duration.seconds(10)
    /// The most time of a capture with several pages, unless the limit of one with one page is longer.
    public var flow = standardFlow

    /// The usual ``flow``.
    public static let standardFlow = Duration.seconds(3600)
    /// The longest time that the pad says that it starts.
    public var starting = Duration.seconds(3)
    /// The time after which an accepted record that is not stored counts as lost. A busy memory card answers within ten
    /// seconds.
    public var saving = Duration.seconds(10)
    /// The same for a record with a document, which is signed first: one signature takes a tenth of a second, and a
    /// process that hangs is ended after 13 seconds.
    public var signing = Duration.seconds(60)

    public init() {}
}

/// The screen that shows the pages.
public struct PadScreen: Equatable, Sendable {
    /// Connector and driver, for people.
    public var name: String
    /// The panel's size in pixels, before rotation.
    public var panelSize: PixelSize
    /// The rotation from the picture to the panel.
    public var rotation: Rotation
    /// The density of ink.
    public var density: PixelDensity
    /// The density of pages; nil if the size of the screen is unknown.
    public var pageDensity: PixelDensity?
    /// Whether people wear gloves, so that pages have larger touch targets.
    public var gloves: Bool
    /// The least height of capitals in millimetres, for people who see little; nil for the usual letters.
    public var letters: Double?

    public init(
        name: String, panelSize: PixelSize, rotation: Rotation, density: PixelDensity, pageDensity: PixelDensity?,
        gloves: Bool = false, letters: Double? = nil
    ) {
        self.name = name
        self.panelSize = panelSize
        self.rotation = rotation
        self.density = density
        self.pageDensity = pageDensity
        self.gloves = gloves
        self.letters = letters
    }

    /// The picture's size in pixels, after rotation.
    public var size: PixelSize { rotation.pictureSize(onPanel: panelSize) }

    /// Whether a picture drawn for the other screen fits this one. Only the panel size and the rotation may differ.
    public func showsSame(as other: PadScreen) -> Bool {
        size == other.size && density == other.density && pageDensity == other.pageDensity && gloves == other.gloves
            && letters == other.letters
    }
}
