// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Raster

/// A screen with a few buffers that take turns: a KMS display, a framebuffer device, or memory only.
///
/// Use it on the main thread. Another thread may write to the memory behind ``surfaces``, one buffer at a time, as
/// ``Swapchain`` grants it. Only ``start(showing:)``, ``close()`` and the modeset that replaces a lost or impossible
/// flip wait for the screen.
public protocol Display: AnyObject {
    /// Connector, card, driver and mode, for logs.
    var details: DisplayDetails { get }
    /// The size of the panel as the mode scans it out, before any rotation.
    var size: PixelSize { get }
    /// The time from one vblank to the next; nil if it is unknown or frames are shown at once.
    var refreshInterval: Duration? { get }
    /// How long before the time of a flip (``FlipCompletion/time``) the display takes the frame.
    var latchLead: Duration { get }
    /// Whether the screen shows the buffers themselves, so that what is written into one on screen is seen at the next
    /// scan. False where a driver shows a copy, and before ``start(showing:)``.
    var scansOutInPlace: Bool { get }
    /// Two or three back buffers, black at first. They are mapped until ``close()``: stop drawing before it. Reading
    /// this memory is slow on most boards, so write each pixel once and read none.
    var surfaces: [Surface] { get }
    /// Readable when ``readEvents()`` has something; for ``EventPoll``. Valid until ``close()``.
    var eventDescriptor: CInt { get }
    /// When to call ``readEvents()`` and to present again although the descriptor is silent, on ``MonotonicClock``;
    /// nil if there is nothing to wait for, as on an idle panel.
    var retryDeadline: Timestamp? { get }

    /// Sets the mode and shows the first frame. Call it again after another program has used the screen. Waits for the
    /// hardware, tens of milliseconds. No completion follows; an outstanding flip is forgotten.
    func start(showing index: Int) throws(ScreenError)

    /// Shows buffer `index` at the next vblank.
    /// - Parameter damage: what changed since the frame presented before, in panel pixels. A hint that saves transfers
    ///   on USB, SPI and virtual screens; the whole buffer must be valid anyway.
    /// - Throws: if no frame can be shown any more. Close the display; the next one has buffers of its own and needs a
    ///   new ``Swapchain``.
    func present(_ index: Int, damage: Damage) throws(ScreenError) -> Presentation

    /// Returns the completions since the last call, perhaps none. Does not wait for events.
    func readEvents() throws(ScreenError) -> [FlipCompletion]

    /// Checks whether the screen is still there, after an event about cards or connectors. Takes tens of milliseconds
    /// if a monitor must be probed.
    /// - Throws: ``ScreenError/disconnected(card:connector:)`` or ``ScreenError/cardGone(card:)`` among others. This
    ///   must be checked: drivers complete flips even if nothing is plugged in.
    func checkConnection() throws(ScreenError)

    /// Leaves the screen as it was found and frees everything. A second call does nothing; every other call throws
    /// ``ScreenError/closed(name:)`` afterwards.
    func close()
}

/// The result of ``Display/present(_:damage:)``.
public enum Presentation: Equatable, Sendable {
    /// The frame is shown at the next vblank; a ``FlipCompletion`` follows.
    case queued
    /// A flip is outstanding, or the kernel answered EBUSY. The caller keeps the frame and presents it again after the
    /// next completion or at ``Display/retryDeadline``.
    case busy
    /// The frame is on screen already and no completion follows: a modeset has shown it because the device cannot flip.
    case shown
}

/// A frame has reached the screen.
public struct FlipCompletion: Equatable, Sendable {
    /// The buffer that is on screen now.
    public let index: Int
    /// When its first pixel was scanned out, on ``MonotonicClock``.
    public let time: Timestamp
    /// The kernel did not report the flip in time and a modeset has shown the frame. Worth a log line.
    public var wasLost = false
}

/// A description of a display for logs and for the layout of pages.
public struct DisplayDetails: Equatable, Sendable {
    /// The kernel's name of the connector, e.g. `DSI-1`; `headless` without one.
    public let name: String
    /// The path of the card; empty without one.
    public let card: String
    /// The kernel driver's name, e.g. `vc4`.
    public let driver: String
    /// The mode, e.g. `800x480 at 60.00 Hz`.
    public let mode: String
    /// How frames are shown: `atomic`, `legacy`, `framebuffer`, `framebuffer, panning` or `none`.
    public let commitStyle: String
    /// Width and height of the panel in millimetres; nil if unknown, which is common (0x0 in many device trees).
    public let millimetres: PixelSize?
    /// How to rotate the picture if the panel is mounted rotated (drm_connector.c, "panel orientation"); nil if the
    /// kernel does not say. Touch reports are in the panel's own coordinates, so they are rotated alike.
    public let orientation: Rotation?
    /// Whether the panel is wired to the board, rather than plugged in; nil if unknown.
    public var isBuiltIn: Bool?
}

extension DisplayDetails {
    /// A display that is memory only.
    public init(memory name: String, mode: String) {
        self.init(
            name: name, card: "", driver: "", mode: mode, commitStyle: "none", millimetres: nil, orientation: nil)
    }
}

extension DisplayDetails: CustomStringConvertible {
    public var description: String {
        card.isEmpty ? "\(name), \(mode)" : "\(name) on \(card) (\(driver)), \(mode), \(commitStyle)"
    }
}

extension Display {
    public var latchLead: Duration { .zero }
    public var scansOutInPlace: Bool { false }

    /// The pixel density from the size that the connector states; nil if it states none or an implausible one.
    public var statedDensity: PixelDensity? {
        PixelDensity(panel: size, stated: details.millimetres, isBuiltIn: details.isBuiltIn == true)
    }

    /// The stated size, if it is not believed; continues a sentence about the display.
    public var densityFault: String? {
        guard let stated = details.millimetres, stated.width > 0, stated.height > 0, statedDensity == nil else {
            return nil
        }
        return "states a size of \(stated) mm for \(size) pixels, which cannot be"
    }
}

extension PixelDensity {
    /// Aspect ratios that EDIDs contain in place of a size. The list is from GNOME's mutter
    /// (meta_monitor_has_aspect_as_size).
    private static let aspectRatios: Set<PixelSize> = [
        PixelSize(width: 1600, height: 900), PixelSize(width: 1600, height: 1000),
        PixelSize(width: 160, height: 90), PixelSize(width: 160, height: 100),
        PixelSize(width: 16, height: 9), PixelSize(width: 16, height: 10),
    ]
    /// Those that panels of 7 inches have: the size of an upright panel or of one that is built in, which has no EDID
    /// or one of its own, is true.
    private static let ratiosOfPanels: Set<PixelSize> = [
        PixelSize(width: 160, height: 90), PixelSize(width: 160, height: 100),
    ]

    /// - Parameters:
    ///   - millimetres: width and height as the connector states them, in the panel's own orientation.
    ///   - isBuiltIn: as ``DisplayDetails/isBuiltIn``.
    init?(panel size: PixelSize, stated millimetres: PixelSize?, isBuiltIn: Bool = false) {
        guard let millimetres else { return nil }
        let isUpright = millimetres.width < millimetres.height
        let ratio = isUpright ? millimetres.transposed : millimetres
        let mayBeTrue = Self.ratiosOfPanels.contains(ratio) && (isBuiltIn || isUpright)
        if Self.aspectRatios.contains(ratio), !mayBeTrue { return nil }
        self.init(
            of: size, widthInMillimetres: Double(millimetres.width), heightInMillimetres: Double(millimetres.height))
        if !isOfScreen { return nil }
    }
}
