// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Geometry
public import Linux

// What there is: the GET calls. libdrm's memory is copied and freed before they return.
extension Card {
    public func driverName() throws(Errno) -> String {
        let version = try fetch { drmGetVersion($0) }
        defer { drmFreeVersion(version) }
        guard let name = version.pointee.name else { return "" }
        let bytes = UnsafeRawBufferPointer(start: name, count: max(0, Int(version.pointee.name_len)))
        return String(decoding: bytes, as: UTF8.self)
    }

    public func capability(_ capability: CardCapability) throws(Errno) -> UInt64 {
        var value: UInt64 = 0
        try check { drmGetCap($0, capability.rawValue, &value) }
        return value
    }

    public func enable(_ capability: ClientCapability) throws(Errno) {
        try check { drmSetClientCap($0, capability.rawValue, 1) }
    }

    // libdrm asks by authenticating a client that does not exist: only the master gets as far as not finding it.
    public var isMaster: Bool { drmIsMaster(number) != 0 }

    public func resources() throws(Errno) -> CardResources {
        let answer = try fetch { drmModeGetResources($0) }
        defer { drmModeFreeResources(answer) }
        return CardResources(
            connectors: array(answer.pointee.connectors, answer.pointee.count_connectors),
            crtcs: array(answer.pointee.crtcs, answer.pointee.count_crtcs))
    }

    public func connector(_ id: UInt32) throws(Errno) -> Connector {
        let answer = try fetch { drmModeGetConnector($0, id) }
        defer { drmModeFreeConnector(answer) }
        let connector = answer.pointee
        let status: Connector.Status =
            switch connector.connection {
            case DRM_MODE_CONNECTED: .connected
            case DRM_MODE_DISCONNECTED: .disconnected
            default: .unknown
            }
        let isMeasured = connector.mmWidth > 0 && connector.mmHeight > 0
        return Connector(
            id: connector.connector_id, type: connector.connector_type, typeID: connector.connector_type_id,
            status: status,
            millimetres: isMeasured
                ? PixelSize(width: Int(connector.mmWidth), height: Int(connector.mmHeight)) : nil,
            modes: array(connector.modes, connector.count_modes).map(DisplayMode.init),
            encoders: array(connector.encoders, connector.count_encoders), currentEncoder: connector.encoder_id)
    }

    public func encoder(_ id: UInt32) throws(Errno) -> Encoder {
        let answer = try fetch { drmModeGetEncoder($0, id) }
        defer { drmModeFreeEncoder(answer) }
        return Encoder(
            id: answer.pointee.encoder_id, currentCRTC: answer.pointee.crtc_id,
            possibleCRTCs: answer.pointee.possible_crtcs)
    }

    public func planes() throws(Errno) -> [UInt32] {
        let answer = try fetch { drmModeGetPlaneResources($0) }
        defer { drmModeFreePlaneResources(answer) }
        return array(answer.pointee.planes, CInt(clamping: answer.pointee.count_planes))
    }

    public func plane(_ id: UInt32) throws(Errno) -> Plane {
        let answer = try fetch { drmModeGetPlane($0, id) }
        defer { drmModeFreePlane(answer) }
        return Plane(
            id: answer.pointee.plane_id, framebuffer: answer.pointee.fb_id, currentCRTC: answer.pointee.crtc_id,
            possibleCRTCs: answer.pointee.possible_crtcs,
            formats: array(answer.pointee.formats, CInt(clamping: answer.pointee.count_formats)))
    }

    public func crtc(_ id: UInt32) throws(Errno) -> CRTC {
        let answer = try fetch { drmModeGetCrtc($0, id) }
        defer { drmModeFreeCrtc(answer) }
        let crtc = answer.pointee
        return CRTC(
            id: crtc.crtc_id, framebuffer: crtc.buffer_id, x: crtc.x, y: crtc.y,
            mode: crtc.mode_valid != 0 ? DisplayMode(crtc.mode) : nil)
    }

    public func properties(of id: UInt32, _ type: ObjectType) throws(Errno) -> [Property] {
        let answer = try fetch { drmModeObjectGetProperties($0, id, type.rawValue) }
        defer { drmModeFreeObjectProperties(answer) }
        let count = CInt(clamping: answer.pointee.count_props)
        let values = array(answer.pointee.prop_values, count)
        var properties: [Property] = []
        for (id, value) in zip(array(answer.pointee.props, count), values) {
            properties.append(try property(id, value: value))
        }
        return properties
    }

    private func property(_ id: UInt32, value: UInt64) throws(Errno) -> Property {
        let answer = try fetch { drmModeGetProperty($0, id) }
        defer { drmModeFreeProperty(answer) }
        let name = String(field: answer.pointee.name)
        let named = array(answer.pointee.enums, answer.pointee.count_enums).first { $0.value == value }
        return Property(id: id, name: name, value: value, valueName: named.map { String(field: $0.name) })
    }
}

/// A counted C array, copied.
private func array<Element>(_ start: UnsafeMutablePointer<Element>?, _ count: CInt) -> [Element] {
    guard let start, count > 0 else { return [] }
    return Array(UnsafeBufferPointer(start: start, count: Int(count)))
}
