// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Raster

/// What became of a frame handed to ``Display/present(_:damage:)``.
public enum Presentation: Equatable, Sendable {
    /// It is shown at the next vblank; a ``FlipCompletion`` follows.
    case queued
    /// Not now: a flip is outstanding, or the kernel answered EBUSY. The frame is still the caller's; try again after
    /// the next completion or at ``Display/retryDeadlineNanoseconds``.
    case busy
    /// It is on screen already and no completion follows: this device cannot flip and was given the frame by a modeset.
    case shown
}

/// A frame has reached the screen.
public struct FlipCompletion: Equatable, Sendable {
    /// The buffer that is on screen now.
    public let index: Int
    /// When its first pixel was scanned out, on ``MonotonicClock``.
    public let nanoseconds: Int64
    /// The kernel never told; the frame was put on screen by a modeset after waiting long enough. Worth a log line.
    public let wasLost: Bool

    public init(index: Int, nanoseconds: Int64, wasLost: Bool = false) {
        self.index = index
        self.nanoseconds = nanoseconds
        self.wasLost = wasLost
    }
}

/// A screen made of a few buffers that take turns: a KMS panel, or none at all.
///
/// For the main thread only, except that the memory behind ``surfaces`` may be written by another thread, one buffer at
/// a time, as ``Swapchain`` grants it. No call waits for the screen but ``start(showing:)``, ``close()``, and the
/// modeset that stands in for a flip that was lost or cannot be made.
public protocol Display: AnyObject {
    /// What this is, for logs: connector, card, driver, mode.
    var details: DisplayDetails { get }
    /// The panel as the mode scans it out, before any rotation.
    var size: PixelSize { get }
    /// From one vblank to the next; nil when frames are shown at once.
    var refreshIntervalNanoseconds: Int64? { get }
    /// The back buffers, two or three, black at first. They are mapped until ``close()``: stop drawing before it. The
    /// memory is slow to read on most boards; write each pixel once and read none.
    var surfaces: [Surface] { get }
    /// Readable when ``readEvents()`` has something; for ``EventPoll``. Valid until ``close()``.
    var eventDescriptor: CInt { get }
    /// When to call ``readEvents()`` and to present again even though the descriptor is silent, on ``MonotonicClock``;
    /// nil when there is nothing to wait for, which is always so on an idle panel.
    var retryDeadlineNanoseconds: Int64? { get }

    /// Shows a first frame: sets the mode. Also the way back after something else has used the screen. Waits for the
    /// hardware, tens of milliseconds. No completion follows; an outstanding flip is forgotten.
    func start(showing index: Int) throws(ScreenError)

    /// Shows buffer `index` at the next vblank.
    /// - Parameter damage: what changed since the frame presented before, in panel pixels; a hint that saves transfers
    ///   on USB, SPI and virtual screens. The whole buffer is valid in any case.
    /// - Throws: when no frame can be shown any more. Close the display; one opened later has buffers of its own and
    ///   needs a new ``Swapchain``.
    func present(_ index: Int, damage: Damage) throws(ScreenError) -> Presentation

    /// Completions since the last call; none when it was called for nothing. Never waits for events.
    func readEvents() throws(ScreenError) -> [FlipCompletion]

    /// Looks whether the screen is still there: something has happened to cards or connectors. Takes tens of
    /// milliseconds where a monitor must be asked.
    /// - Throws: ``ScreenError/disconnected(card:connector:)``, or that the card is gone. That frames are taken is no
    ///   proof: drivers complete flips on connectors that nothing is plugged to.
    func checkConnection() throws(ScreenError)

    /// Leaves the screen as it was found and frees everything. A second call does nothing; every other call throws
    /// ``ScreenError/closed`` afterwards.
    func close()
}
