// SPDX-License-Identifier: Apache-2.0

/// What is needed to interpret a capture years later: the first line of its record.
public struct CaptureHeader: Codable, Equatable, Sendable {
    public static let format = "inkpanel-capture"
    public static let version = 1

    public var format: String
    public var version: Int
    /// Names the record: letters, digits and hyphens only, since it is part of a file name.
    public var id: String
    /// Wall clock at the start, microseconds since 1970-01-01 UTC.
    public var startedAt: Int64
    /// The device's clock at that moment, in microseconds: what sample times count from.
    public var startedAtDeviceTime: Int64
    /// Name and version of the program that wrote it.
    public var program: String
    /// Those that could draw, one at least; a stroke names its own by its place in here.
    public var devices: [CaptureDevice]
    public var screen: CaptureScreen
    public var request: CaptureRequest
    /// What of the request was on the page while the person signed; nil in records that do not say.
    public var shows: ShownFields?

    public init(
        id: String, startedAt: Int64, startedAtDeviceTime: Int64, program: String, devices: [CaptureDevice],
        screen: CaptureScreen, request: CaptureRequest, shows: ShownFields? = nil
    ) {
        format = Self.format
        version = Self.version
        self.id = id
        self.startedAt = startedAt
        self.startedAtDeviceTime = startedAtDeviceTime
        self.program = program
        self.devices = devices
        self.screen = screen
        self.request = request
        self.shows = shows
    }
}
