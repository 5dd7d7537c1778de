// SPDX-License-Identifier: Apache-2.0

/// What is needed to interpret a capture years later: the first line of its record.
public struct CaptureHeader: Codable, Equatable, Sendable {
    public static let format = "inkpanel-capture"
    public static let version = 1
    /// What every reader of JSON takes for the same number (RFC 8259, 6).
    static let largestSequence: Int64 = (1 << 53) - 1

    /// The ``sequence`` of the next capture. One that is as large as can be is no reason to record nothing more.
    public static func sequence(after last: Int64) -> Int64 { min(last, largestSequence - 1) + 1 }

    /// The date at the start, where the panel stands.
    public struct LocalDate: Codable, Equatable, Sendable {
        /// As the page writes it; ``ShownFields/date`` says whether it was there.
        public var text: String
        /// Seconds by which local time was ahead of UTC.
        public var offsetSeconds: Int
        /// The time zone's name in IANA's database; nil where the machine does not know it.
        public var zone: String?

        public init(text: String, offsetSeconds: Int, zone: String? = nil) {
            self.text = text
            self.offsetSeconds = offsetSeconds
            self.zone = zone
        }
    }

    public var format: String
    public var version: Int
    /// Names the record: letters, digits and hyphens only, since it is part of a file name.
    public var id: String
    /// Wall clock at the start, microseconds since 1970-01-01 UTC.
    public var startedAt: Int64
    /// Its place among the records of its store in the order in which they were begun, from 1; nil in records that do
    /// not say, which are older. Clocks can be set back, this goes on.
    public var sequence: Int64?
    /// Whether a time service held the wall clock right at the start; nil in records that do not say.
    public var clockSynchronized: Bool?
    /// The device's clock at that moment, in microseconds: what sample times count from.
    public var startedAtDeviceTime: Int64
    /// Nil in records that do not say.
    public var date: LocalDate?
    /// Name and version of the program that wrote it.
    public var program: String
    /// What the panel is called; nil in records that do not say.
    public var panel: String?
    /// Those that could draw, one at least; a stroke names its own by its place in here.
    public var devices: [CaptureDevice]
    public var screen: CaptureScreen
    public var request: CaptureRequest
    /// What of the request was on the page while the person signed; nil in records that do not say.
    public var shows: ShownFields?

    public init(
        id: String, startedAt: Int64, startedAtDeviceTime: Int64, date: LocalDate? = nil, program: String,
        panel: String? = nil, devices: [CaptureDevice], screen: CaptureScreen, request: CaptureRequest,
        shows: ShownFields? = nil
    ) {
        format = Self.format
        version = Self.version
        self.id = id
        self.startedAt = startedAt
        self.startedAtDeviceTime = startedAtDeviceTime
        self.date = date
        self.program = program
        self.panel = panel
        self.devices = devices
        self.screen = screen
        self.request = request
        self.shows = shows
    }
}
