// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The panel's status: the reply to `Status` and `Watch`.
public struct PanelStatus: Codable, Equatable, Sendable {
    /// The name of a page.
    public enum Page: String, Codable, Equatable, Sendable, CaseIterable {
        /// `ink` is a bare sheet; no pad shows it. `fault`: there is no touch device, or captures cannot be recorded.
        case starting, fault, idle, sketch, ink, pairing, identity, reading, question, handOver, declining, signing,
            refused, saving, thanks, declined, failed
    }

    /// The capture that runs.
    public struct Running: Codable, Equatable, Sendable {
        private enum CodingKeys: CodingKey { case id, strokes }

        public var id: CaptureID
        /// The number of strokes on the page.
        public var strokes: Int
        /// The role of the host that asked for it. Hosts do not get it.
        package var askedBy = HostRole.operator

        package init(id: CaptureID, strokes: Int, askedBy: HostRole) {
            self.id = id
            self.strokes = strokes
            self.askedBy = askedBy
        }
    }

    /// A display.
    public struct Screen: Codable, Equatable, Sendable {
        public var name: String
        /// Pixels.
        public var size: PixelSize
        public var pixelsPerMillimetre: Double
        /// Why nothing is shown, for people; nil while there is a display.
        public var fault: String?

        public init(name: String, size: PixelSize, pixelsPerMillimetre: Double, fault: String? = nil) {
            self.name = name
            self.size = size
            self.pixelsPerMillimetre = pixelsPerMillimetre
            self.fault = fault
        }
    }

    /// The pad knows only whether records can be written, and what waits for its delivery; who reads the store adds the
    /// rest.
    public struct Store: Codable, Equatable, Sendable {
        public var path = ""
        public var captures = 0
        /// Space that the program may use.
        public var freeBytes = 0
        /// Why records cannot be written or read, for people.
        public var fault: String?
        /// nil if the panel seals no records.
        public var seals: Seals?
        /// Those who can read records; nil if records are stored readable.
        public var recipients: [String]?
        /// nil if records are not delivered elsewhere.
        public var delivery: Delivery?

        public init(fault: String?) { self.fault = fault }
    }

    /// The chain of seals.
    public struct Seals: Codable, Equatable, Sendable {
        /// The fingerprint of the panel's key; nil while the chain is closed.
        public var key: String?
        /// nil for an empty chain.
        public var head: SealHead?
        /// Why records are not sealed, and what is missing or damaged in the chain, for people.
        public var faults: [String]

        public init(key: String?, head: SealHead?, faults: [String]) {
            self.key = key
            self.head = head
            self.faults = faults
        }
    }

    /// The sealed records that wait for their delivery to another place.
    public struct Delivery: Codable, Equatable, Sendable {
        /// The number of files in the outbox.
        public var waiting: Int
        /// When the oldest of them was written, microseconds since 1970-01-01 UTC; nil for none.
        public var oldest: Int64?
        /// Why records cannot be put into the outbox, for people.
        public var fault: String?

        public init(waiting: Int, oldest: Int64?, fault: String?) {
            self.waiting = waiting
            self.oldest = oldest
            self.fault = fault
        }
    }

    /// Name and version of the program.
    public var program: String
    /// The SHA-256 digest, in hexadecimal, of what `inkpanel config show` prints for the settings of its files
    /// that the panel has taken.
    public var configuration: String?
    public var page: Page
    /// The capture that runs or is being prepared.
    public var running: Running?
    /// The number of calls that wait for another capture, a display or a touch device.
    public var waiting: Int
    /// The names of the touch devices in use.
    public var touchDevices: [String]
    /// The current display, or the last one.
    public var screen: Screen
    public var store: Store

    public init(
        program: String, configuration: String? = nil, page: Page, running: Running? = nil, waiting: Int = 0,
        touchDevices: [String], screen: Screen, store: Store
    ) {
        self.program = program
        self.configuration = configuration
        self.page = page
        self.running = running
        self.waiting = waiting
        self.touchDevices = touchDevices
        self.screen = screen
        self.store = store
    }

    /// The status for a host with this reach: without a running capture that it may not see. The page still says that
    /// one runs.
    package func seen(by reach: CaptureReach) -> PanelStatus {
        var status = self
        if let running, !reach.includes(running.askedBy) { status.running = nil }
        return status
    }
}
