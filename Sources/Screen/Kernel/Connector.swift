// SPDX-License-Identifier: Apache-2.0
import CLibdrm
public import Geometry

/// A socket, or a panel soldered to the board.
public struct Connector: Equatable, Sendable {
    public enum Status: Equatable, Sendable {
        case connected, disconnected
        /// The hardware cannot tell; usable when it has modes (drmModeConnection in xf86drmMode.h).
        case unknown
    }

    /// `DRM_MODE_LINK_STATUS_GOOD`, of the property "link-status".
    static let goodLink: UInt64 = 0

    public var id: UInt32
    /// `DRM_MODE_CONNECTOR_*`
    public var type: UInt32
    /// Counts the connectors of one type, from 1.
    public var typeID: UInt32
    public var status: Status
    /// Width and height of what is connected; nil where the kernel says 0.
    public var millimetres: PixelSize?
    public var modes: [DisplayMode]
    /// All encoders that could drive it.
    public var encoders: [UInt32]
    /// The encoder that drives it now; 0 for none.
    public var currentEncoder: UInt32

    public init(
        id: UInt32, type: UInt32, typeID: UInt32, status: Status, millimetres: PixelSize? = nil,
        modes: [DisplayMode], encoders: [UInt32], currentEncoder: UInt32
    ) {
        self.id = id
        self.type = type
        self.typeID = typeID
        self.status = status
        self.millimetres = millimetres
        self.modes = modes
        self.encoders = encoders
        self.currentEncoder = currentEncoder
    }

    /// As in sysfs and on the kernel command line, e.g. `HDMI-A-1`, `DSI-1`.
    public var name: String {
        let type = drmModeGetConnectorTypeName(self.type).map { String(cString: $0) } ?? "Unknown"
        return "\(type)-\(typeID)"
    }

    /// Wired to a panel: such a device was built to show something there.
    public var isBuiltIn: Bool {
        [
            DRM_MODE_CONNECTOR_LVDS, DRM_MODE_CONNECTOR_eDP, DRM_MODE_CONNECTOR_DSI, DRM_MODE_CONNECTOR_DPI,
            DRM_MODE_CONNECTOR_SPI,
        ]
        .contains { UInt32($0) == type }
    }
}
