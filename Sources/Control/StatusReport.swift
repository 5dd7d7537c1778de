// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Pad
public import Record

/// The status of the pad and the store, for `Status` and `Watch`.
public struct StatusReport: Codable, Equatable, Sendable {
    public struct Running: Codable, Equatable, Sendable {
        public var id: String
        public var strokes: Int
    }

    public struct Screen: Codable, Equatable, Sendable {
        public var name: String
        /// Pixels.
        public var size: PixelSize
        public var pixelsPerMillimetre: Double
        /// Why nothing is shown, for people; nil while there is a display.
        public var fault: String?
    }

    public struct Store: Codable, Equatable, Sendable {
        public var path: String
        public var captures: Int
        /// Space that the program may use.
        public var freeBytes: Int
        /// Why records cannot be written or read, for people.
        public var fault: String?
        /// nil if the panel seals no records.
        public var seals: Seals?
        /// Those who can read records; nil if records are stored readable.
        public var recipients: [String]?
    }

    public struct Seals: Codable, Equatable, Sendable {
        /// The fingerprint of the panel's key; nil while the chain is closed.
        public var key: String?
        /// nil for an empty chain.
        public var head: SealHead?
        /// Why records are not sealed, and what is missing or damaged in the chain, for people.
        public var faults: [String]
    }

    public var program: String
    /// A ``PadStatus/Page``, as text, so that a client understands newer panels.
    public var page: String
    public var running: Running?
    public var waiting: Int
    public var touchDevices: [String]
    public var screen: Screen
    public var store: Store

    init(_ status: PadStatus, store: Store) {
        program = status.program
        page = status.page.rawValue
        running = status.running.map { Running(id: $0.id.description, strokes: $0.strokes) }
        waiting = status.waiting
        touchDevices = status.touchDevices
        screen = Screen(
            name: status.screen.name, size: status.screen.size,
            pixelsPerMillimetre: status.screen.density.pixelsPerMillimetre, fault: status.displayFault)
        self.store = store
    }
}

struct StatusReply: Codable {
    var status: StatusReport
}
