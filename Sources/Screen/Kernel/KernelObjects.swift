// SPDX-License-Identifier: Apache-2.0
// The kernel's mode-setting objects as values: what the GET ioctls answer, copied out of libdrm's memory at once.

/// What a card has (`DRM_IOCTL_MODE_GETRESOURCES`).
public struct CardResources: Equatable, Sendable {
    public var connectors: [UInt32]
    /// The position in this list is the CRTC's *index*, which the `possibleCRTCs` masks count in.
    public var crtcs: [UInt32]

    public init(connectors: [UInt32], crtcs: [UInt32]) {
        self.connectors = connectors
        self.crtcs = crtcs
    }
}

/// What stands between a CRTC and a connector.
public struct Encoder: Equatable, Sendable {
    public var id: UInt32
    /// The CRTC that feeds it now; 0 for none.
    public var currentCRTC: UInt32
    /// Bit n: the CRTC with index n can feed it.
    public var possibleCRTCs: UInt32

    public init(id: UInt32, currentCRTC: UInt32, possibleCRTCs: UInt32) {
        self.id = id
        self.currentCRTC = currentCRTC
        self.possibleCRTCs = possibleCRTCs
    }
}

/// A layer of a CRTC's picture.
public struct Plane: Equatable, Sendable {
    public var id: UInt32
    /// What it shows now; 0 for none.
    public var framebuffer: UInt32
    /// The CRTC it is part of now; 0 for none.
    public var currentCRTC: UInt32
    /// Bit n: the CRTC with index n can have it.
    public var possibleCRTCs: UInt32
    /// fourcc codes
    public var formats: [UInt32]

    public init(id: UInt32, framebuffer: UInt32, currentCRTC: UInt32, possibleCRTCs: UInt32, formats: [UInt32]) {
        self.id = id
        self.framebuffer = framebuffer
        self.currentCRTC = currentCRTC
        self.possibleCRTCs = possibleCRTCs
        self.formats = formats
    }

    /// A fourcc code as it is written, e.g. `XR24`.
    public static func name(ofFormat format: UInt32) -> String {
        String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: format >> ($0 * 8)) }, as: UTF8.self)
    }
}

/// What a CRTC scans out now (`DRM_IOCTL_MODE_GETCRTC`).
public struct CRTC: Equatable, Sendable {
    public var id: UInt32
    /// 0 for none.
    public var framebuffer: UInt32
    public var x, y: UInt32
    /// nil when it is off.
    public var mode: DisplayMode?

    public init(id: UInt32, framebuffer: UInt32, x: UInt32 = 0, y: UInt32 = 0, mode: DisplayMode?) {
        self.id = id
        self.framebuffer = framebuffer
        self.x = x
        self.y = y
        self.mode = mode
    }
}

/// The kinds of objects that have properties (`DRM_MODE_OBJECT_*`).
public enum ObjectType: UInt32, Sendable {
    case crtc = 0xcccc_cccc
    case connector = 0xc0c0_c0c0
    case plane = 0xeeee_eeee
}

/// One property of one object.
public struct Property: Equatable, Sendable {
    public var id: UInt32
    public var name: String
    public var value: UInt64
    /// What an enumerated value is called.
    public var valueName: String?

    public init(id: UInt32, name: String, value: UInt64, valueName: String? = nil) {
        self.id = id
        self.name = name
        self.value = value
        self.valueName = valueName
    }
}

extension [Property] {
    /// The first property called `name`.
    public func named(_ name: String) -> Property? { first { $0.name == name } }
}

/// Memory the display can scan out (`DRM_IOCTL_MODE_CREATE_DUMB`).
public struct DumbAllocation: Equatable, Sendable {
    public var handle: UInt32
    /// Bytes from one row to the next; the driver chooses.
    public var pitch: UInt32
    public var byteCount: UInt64

    public init(handle: UInt32, pitch: UInt32, byteCount: UInt64) {
        self.handle = handle
        self.pitch = pitch
        self.byteCount = byteCount
    }
}
