// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Record

/// How the panel is, as its main thread knows. What is in the store the server adds.
public struct PanelStatus: Equatable, Sendable {
    public enum Page: String, Equatable, Sendable, CaseIterable {
        case idle, sketch, ink, signing, refused, saving, thanks, failed
    }

    public struct Running: Equatable, Sendable {
        public var id: CaptureID
        /// Strokes that stand on the pad.
        public var strokes: Int

        public init(id: CaptureID, strokes: Int) {
            self.id = id
            self.strokes = strokes
        }
    }

    public struct Screen: Equatable, Sendable {
        /// For people: connector and driver.
        public var name: String
        /// Pixels, as the person sees it: turned by the rotation.
        public var size: PixelSize
        public var density: PixelDensity

        public init(name: String, size: PixelSize, density: PixelDensity) {
            self.name = name
            self.size = size
            self.density = density
        }
    }

    /// Name and version of the program.
    public var program: String
    public var page: Page
    public var running: Running?
    /// Calls for a capture that wait, for another to end or for a display and a touch device.
    public var waiting: Int
    /// Names of those that are read; empty when all are gone.
    public var touchDevices: [String]
    /// The last that there was.
    public var screen: Screen
    /// Why nothing is shown, for people; nil while a display is there.
    public var displayFault: String?
    /// Why records cannot be written, for people; nil when the last one could.
    public var storeFault: String?

    public init(
        program: String, page: Page, running: Running? = nil, waiting: Int = 0, touchDevices: [String], screen: Screen,
        displayFault: String? = nil, storeFault: String? = nil
    ) {
        self.program = program
        self.page = page
        self.running = running
        self.waiting = waiting
        self.touchDevices = touchDevices
        self.screen = screen
        self.displayFault = displayFault
        self.storeFault = storeFault
    }
}
