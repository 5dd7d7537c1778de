// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Geometry
import Linux

@testable import Screen

let xrgb8888 = CLIBDRM_FORMAT_XRGB8888
/// RG16
let rgb565: UInt32 = 0x3631_4752

extension FakeCard {
    /// One connected connector, one CRTC, a primary plane (40) and a cursor plane (41) on it, all unused.
    static func panel(
        path: String = "/dev/dri/card0", type: CInt = DRM_MODE_CONNECTOR_DSI, width: UInt16 = 64, height: UInt16 = 48,
        isAtomic: Bool = true
    ) throws -> FakeCard {
        let card = try FakeCard(path: path)
        card.supported = isAtomic ? [.universalPlanes, .atomic] : [.universalPlanes]
        card.addConnector(type: type, width: width, height: height)
        card.encoders = [Encoder(id: 20, currentCRTC: 0, possibleCRTCs: 1)]
        card.crtcs = [CRTC(id: 30, framebuffer: 0, mode: nil)]
        card.properties[30] = ["MODE_ID": 0, "ACTIVE": 0]
        card.addPlane(40, type: "Primary")
        card.addPlane(41, type: "Cursor")
        return card
    }

    func addConnector(
        id: UInt32 = 10, type: CInt, width: UInt16 = 64, height: UInt16 = 48, status: Connector.Status = .connected,
        encoders: [UInt32] = [20], currentEncoder: UInt32 = 0
    ) {
        connectors.append(
            Connector(
                id: id, type: UInt32(type), typeID: UInt32(connectors.count { $0.type == UInt32(type) } + 1),
                status: status, modes: [DisplayMode(width: width, height: height, hertz: 60, type: 1 << 3)],
                encoders: encoders, currentEncoder: currentEncoder))
        properties[id] = ["CRTC_ID": 0]
    }

    func addPlane(_ id: UInt32, type: String, formats: [UInt32] = [xrgb8888], possibleCRTCs: UInt32 = 1) {
        planeList.append(
            Plane(id: id, framebuffer: 0, currentCRTC: 0, possibleCRTCs: possibleCRTCs, formats: formats))
        valueNames[id] = ["type": type]
        properties[id] = [
            "type": 0, "FB_ID": 0, "CRTC_ID": 0, "SRC_X": 0, "SRC_Y": 0, "SRC_W": 0, "SRC_H": 0, "CRTC_X": 0,
            "CRTC_Y": 0, "CRTC_W": 0, "CRTC_H": 0,
        ]
    }

    /// A GPU without outputs, as v3d is on a Raspberry Pi.
    static func renderOnly(path: String = "/dev/dri/card0", error: Errno = .notSupported) throws -> FakeCard {
        let card = try FakeCard(path: path)
        card.driver = "v3d"
        card.resourcesError = error
        return card
    }

    /// As a desktop leaves a card: its picture, pointer, overlay and rotation on it.
    func addLeftovers() {
        addPlane(42, type: "Overlay")
        for (plane, framebuffer) in [(0, 900), (1, 901), (2, 902)] as [(Int, UInt32)] {
            planeList[plane].currentCRTC = 30
            planeList[plane].framebuffer = framebuffer
        }
        properties[40]?["rotation"] = 4
        properties[40]?["alpha"] = 0x7FFF
        properties[30]?["GAMMA_LUT"] = 77
        crtcs[0].framebuffer = 900
        crtcs[0].mode = connectors[0].modes[0]
        encoders[0].currentCRTC = 30
        connectors[0].currentEncoder = 20
    }
}

/// Finds displays among fake cards.
func finder(_ cards: FakeCard...) -> DisplayFinder {
    let byPath = Dictionary(uniqueKeysWithValues: cards.map { ($0.path, $0) })
    return DisplayFinder(paths: cards.map(\.path)) { path throws(Errno) in
        guard let card = byPath[path] else { throw .noSuchFile }
        return card
    }
}
