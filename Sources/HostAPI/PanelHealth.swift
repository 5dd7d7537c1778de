// SPDX-License-Identifier: Apache-2.0

/// The figures of a panel for those who watch many. No text, name, capture or place of a touch is among them.
public struct PanelHealth: Codable, Equatable, Sendable {
    public struct Display: Codable, Equatable, Sendable {
        public var connected: Bool
        /// The time since the last page flip; nil before the first.
        public var secondsSinceFlip: Double?
        /// Whether the memory that the screen shows has the picture that belongs there; nil while the picture changes
        /// or somebody signs, without a display, and while the screen is dark.
        public var pictureFits: Bool?

        package init(connected: Bool) { self.connected = connected }
    }

    public struct Touch: Codable, Equatable, Sendable {
        /// The number of devices in use.
        public var devices: Int
        /// The time since the last report; nil before the first.
        public var secondsSinceReport: Double?
        /// How often the kernel has dropped reports.
        public var drops = 0
        /// When a device was last tested, microseconds since 1970-01-01 UTC; nil for never.
        public var testedAt: Int64?

        package init(devices: Int) { self.devices = devices }
    }

    /// Captures that have ended since the program started.
    public struct Ended: Codable, Equatable, Sendable {
        public var accepted = 0
        public var declined = 0
        public var cancelled = 0
        public var timedOut = 0
        public var failed = 0

        package init() {}
    }

    public struct Store: Codable, Equatable, Sendable {
        /// Whether records cannot be written or read.
        public var fault: Bool
        public var captures = 0
        public var freeBytes = 0
        /// The number of the last seal; nil before the first.
        public var seal: Int64?
        /// The number of faults of the chain of seals.
        public var sealFaults = 0

        package init(fault: Bool) { self.fault = fault }
    }

    /// Records that wait for their delivery to another place.
    public struct Delivery: Codable, Equatable, Sendable {
        /// The number of files that wait.
        public var waiting: Int
        /// The time since the oldest of them was written; nil for none.
        public var oldestSeconds: Double?
        /// Whether records cannot be put into the outbox.
        public var fault: Bool

        package init(waiting: Int, oldestSeconds: Double?, fault: Bool) {
            self.waiting = waiting
            self.oldestSeconds = oldestSeconds
            self.fault = fault
        }
    }

    public struct Clock: Codable, Equatable, Sendable {
        /// Whether a time service controls the clock.
        public var synchronized: Bool
        /// The kernel's bound for the error of a synchronized clock, in microseconds.
        public var maximumError: Int64

        package init(synchronized: Bool, maximumError: Int64) {
            self.synchronized = synchronized
            self.maximumError = maximumError
        }
    }

    /// Whether somebody could sign now: there are a display, a touch device and a store.
    public var ready: Bool
    /// Name and version of the program.
    public var program: String
    /// The digest of the settings: ``PanelStatus/configuration``.
    public var configuration: String?
    /// The time since the program started, by a clock that nobody sets.
    public var uptimeSeconds = 0.0
    public var display: Display
    public var touch: Touch
    public var ended = Ended()
    public var store: Store
    /// nil if records are not delivered elsewhere.
    public var delivery: Delivery?
    public var clock = Clock(synchronized: false, maximumError: 0)
    /// The processor's temperature in degrees Celsius; nil if the kernel does not measure it.
    public var temperature: Double?

    /// The part of a panel's status. The rest comes from who knows it.
    package init(_ status: PanelStatus) {
        program = status.program
        configuration = status.configuration
        display = Display(connected: status.screen.fault == nil)
        touch = Touch(devices: status.touchDevices.count)
        store = Store(fault: status.store.fault != nil)
        ready = display.connected && touch.devices > 0 && !store.fault && status.page != .starting
    }
}

extension PanelHealth {
    /// Adds the figures of a store whose status is complete.
    /// - Parameter now: wall clock, microseconds since 1970-01-01 UTC.
    package mutating func addStore(_ status: PanelStatus.Store, now: Int64) {
        if status.fault != nil { (store.fault, ready) = (true, false) }
        store.captures = status.captures
        store.freeBytes = status.freeBytes
        store.seal = status.seals?.head?.n
        store.sealFaults = status.seals?.faults.count ?? 0
        delivery = status.delivery.map { delivery in
            Delivery(
                waiting: delivery.waiting, oldestSeconds: delivery.oldest.map { max(0, Double(now - $0) / 1e6) },
                fault: delivery.fault != nil)
        }
    }

    /// The figures in the text format of Prometheus, for a panel that answers (nil: for one that does not).
    /// https://prometheus.io/docs/instrumenting/exposition_formats
    public static func metrics(_ health: PanelHealth?) -> String {
        var text = ""
        func add(_ name: String, _ help: String, _ type: String = "gauge", _ samples: [(labels: String, Double?)]) {
            let known = samples.compactMap { sample in sample.1.map { (sample.labels, $0) } }
            if known.isEmpty { return }
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
            for (labels, value) in known {
                let number = value == value.rounded() && value.magnitude < 1e15 ? "\(Int64(value))" : "\(value)"
                text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(number)\n"
            }
        }
        func add(_ name: String, _ help: String, _ value: Double?) { add(name, help, "gauge", [("", value)]) }
        func add(_ name: String, _ help: String, _ value: Bool?) { add(name, help, value.map { $0 ? 1 : 0 }) }

        add("inkpanel_up", "Whether the panel answers.", health != nil)
        guard let health else { return text }
        add("inkpanel_ready", "Whether people can sign: display, touch device and store work.", health.ready)
        add("inkpanel_info", "The program.", "gauge", [("program=\"\(escaped(health.program))\"", 1)])
        add(
            "inkpanel_configuration_info", "SHA-256 of the settings.", "gauge",
            [("digest=\"\(health.configuration ?? "")\"", health.configuration == nil ? nil : 1)])
        add("inkpanel_uptime_seconds", "Time since the program started.", health.uptimeSeconds)
        add("inkpanel_display_connected", "Whether there is a display.", health.display.connected)
        add("inkpanel_last_flip_seconds", "Time since the last page flip.", health.display.secondsSinceFlip)
        add("inkpanel_picture_fits", "Whether the screen's memory has the right picture.", health.display.pictureFits)
        add("inkpanel_touch_devices", "Touch devices in use.", Double(health.touch.devices))
        add("inkpanel_last_touch_seconds", "Time since the last report.", health.touch.secondsSinceReport)
        add(
            "inkpanel_drops_total", "How often the kernel dropped reports.", "counter",
            [("", Double(health.touch.drops))])
        add(
            "inkpanel_self_test_time_seconds", "When a device was last tested.",
            health.touch.testedAt.map { Double($0) / 1e6 })
        let ended = health.ended
        add(
            "inkpanel_captures_total", "Captures that have ended.", "counter",
            [
                ("outcome=\"accepted\"", Double(ended.accepted)), ("outcome=\"declined\"", Double(ended.declined)),
                ("outcome=\"cancelled\"", Double(ended.cancelled)),
                ("outcome=\"timedOut\"", Double(ended.timedOut)), ("outcome=\"failed\"", Double(ended.failed)),
            ])
        add("inkpanel_store_fault", "Whether records cannot be written or read.", health.store.fault)
        add("inkpanel_records", "Records in the store.", Double(health.store.captures))
        add("inkpanel_store_free_bytes", "Free space for records.", Double(health.store.freeBytes))
        add("inkpanel_seal_number", "Number of the last seal.", health.store.seal.map(Double.init))
        add("inkpanel_seal_faults", "Faults of the chain of seals.", Double(health.store.sealFaults))
        add("inkpanel_undelivered", "Files that wait for delivery.", health.delivery.map { Double($0.waiting) })
        add(
            "inkpanel_undelivered_seconds", "Time since the oldest of them was written.",
            health.delivery.map { $0.oldestSeconds ?? 0 })
        add("inkpanel_delivery_fault", "Whether records cannot be put into the outbox.", health.delivery?.fault)
        add("inkpanel_clock_synchronized", "Whether a time service controls the clock.", health.clock.synchronized)
        add(
            "inkpanel_clock_error_seconds", "Bound for the error of the clock.",
            health.clock.synchronized ? Double(health.clock.maximumError) / 1e6 : nil)
        add("inkpanel_temperature_celsius", "Temperature of the processor.", health.temperature)
        return text
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
