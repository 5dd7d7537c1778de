// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Geometry
import Linux

/// Examines one open card: what it has, and which pipelines could show a picture.
///
/// Only the first calls decide about the card. Later failures (a connector that went away between two calls, a plane
/// the driver does not describe) only leave out that object.
struct CardSurvey {
    private(set) var report: CardReport
    private(set) var pipelines: [DisplayPipeline] = []

    init(of device: any ModesettingDevice) {
        report = CardReport(path: device.path)
        report.driver = (try? device.driverName()) ?? "unknown"
        report.isMaster = device.isMaster
        do {
            try examine(device)
        } catch {
            report.rejection = error
        }
    }

    private mutating func examine(_ device: any ModesettingDevice) throws(Rejection) {
        let resources = try resources(of: device)
        // Atomic implies universal planes, but a kernel may know only the latter.
        let seesPrimaryPlanes = (try? device.enable(.universalPlanes)) != nil
        report.isAtomic = seesPrimaryPlanes && (try? device.enable(.atomic)) != nil

        var connectors: [Connector] = []
        for id in resources.connectors {
            do {
                connectors.append(try device.connector(id))
            } catch {
                report.connectors.append(
                    ConnectorReport(
                        name: "connector \(id)",
                        verdict: .rejected(.unreadable(call: "MODE_GETCONNECTOR", error))))
            }
        }
        var encoders: [UInt32: Encoder] = [:]
        for id in Set(connectors.flatMap { $0.encoders + [$0.currentEncoder] }).sorted() where id != 0 {
            encoders[id] = try? device.encoder(id)
        }
        let planes = planes(of: device)
        report.planes = planes.map {
            PlaneReport(id: $0.plane.id, type: $0.type, formats: $0.plane.formats.map(Plane.name(ofFormat:)))
        }
        let search = PipelineSearch(
            resources: resources, connectors: connectors, encoders: encoders,
            planes: seesPrimaryPlanes ? planes : nil)
        for connector in connectors { judge(connector, on: device, search) }
    }

    private func resources(of device: any ModesettingDevice) throws(Rejection) -> CardResources {
        let resources: CardResources
        do {
            resources = try device.resources()
        } catch {
            // EOPNOTSUPP since Linux 4.20, EINVAL before.
            let onlyRenders = error == .notSupported || error == .invalidArgument
            throw onlyRenders ? .onlyRenders : .unreadable(call: "MODE_GETRESOURCES", error)
        }
        if resources.connectors.isEmpty || resources.crtcs.isEmpty { throw .noOutputs }
        do {
            if try device.supportsDumbBuffers() { return resources }
        } catch {
            throw .unreadable(call: "GET_CAP DUMB_BUFFER", error)
        }
        throw .noDumbBuffers
    }

    private func planes(of device: any ModesettingDevice) -> [PipelineSearch.TypedPlane] {
        ((try? device.planes()) ?? []).compactMap { id in
            guard let plane = try? device.plane(id) else { return nil }
            let type = (try? device.properties(of: id, .plane))?.named("type")?.valueName
            return PipelineSearch.TypedPlane(plane: plane, type: type ?? "Overlay")
        }
    }

    private mutating func judge(_ connector: Connector, on device: any ModesettingDevice, _ search: PipelineSearch) {
        let properties = (try? device.properties(of: connector.id, .connector)) ?? []
        let orientation = Self.orientation(properties.named("panel orientation")?.valueName)
        let mode = DisplayMode.best(of: connector.modes)
        var verdict = ConnectorReport.Verdict.chosen
        if connector.type == UInt32(DRM_MODE_CONNECTOR_WRITEBACK) {
            verdict = .rejected(.writeback)
        } else if connector.status == .disconnected || (connector.status == .unknown && mode == nil) {
            verdict = .rejected(.disconnected)
        } else if (properties.named("non-desktop")?.value ?? 0) != 0 {
            verdict = .rejected(.notDesktop)
        } else if let mode {
            do {
                let (crtc, plane) = try search.route(to: connector)
                pipelines.append(
                    DisplayPipeline(
                        connector: connector, crtc: crtc, primaryPlane: plane, mode: mode,
                        connectorsOnCRTC: search.connectors(on: crtc), orientation: orientation,
                        driver: report.driver, isAtomic: report.isAtomic))
            } catch {
                verdict = .rejected(error)
            }
        } else {
            verdict = .rejected(.noModes)
        }
        report.connectors.append(
            ConnectorReport(
                name: connector.name, modes: connector.modes, bestMode: mode, millimetres: connector.millimetres,
                orientation: orientation, isBuiltIn: connector.isBuiltIn ? true : connector.isExternal ? false : nil,
                verdict: verdict))
    }

    /// The rotation of the picture for a value of "panel orientation". With the panel's left side up, the top of the
    /// picture goes to the panel's left (the enumeration in drm_connector.c; plymouth rotates alike).
    private static func orientation(_ name: String?) -> Rotation? {
        switch name {
        case "Normal": Rotation.none
        case "Upside Down": .half
        case "Left Side Up": .clockwise270
        case "Right Side Up": .clockwise90
        default: nil
        }
    }
}

/// The path of a picture through a card (plane -> CRTC -> connector) and the mode it is shown in.
struct DisplayPipeline: Equatable, Sendable {
    var connector: Connector
    var crtc: UInt32
    /// nil if the kernel does not expose primary planes (before 3.15); SETCRTC then uses it implicitly.
    var primaryPlane: UInt32?
    var mode: DisplayMode
    /// The connectors that the CRTC drives at the moment: needed to detach and to restore them.
    var connectorsOnCRTC: [UInt32]
    var orientation: Rotation?
    var driver: String
    var isAtomic: Bool

    /// Lower is better. A built-in panel is what the device was built for; a connector of unknown status, which may
    /// have nothing connected, comes last.
    var rank: Int {
        if connector.status == .unknown { return 2 }
        return connector.isBuiltIn ? 0 : 1
    }
}

/// Finds a CRTC and a primary plane for a connector.
private struct PipelineSearch {
    struct TypedPlane {
        let plane: Plane
        let type: String
        var isPrimary: Bool { type == "Primary" }
    }

    let resources: CardResources
    let connectors: [Connector]
    /// Keyed by id; without those that could not be read.
    let encoders: [UInt32: Encoder]
    /// nil if the kernel does not expose primary planes.
    let planes: [TypedPlane]?

    func route(to connector: Connector) throws(Rejection) -> (crtc: UInt32, plane: UInt32?) {
        let candidates = crtcs(for: connector)
        if candidates.isEmpty { throw .noCRTC }
        guard let planes else { return (candidates[0], nil) }
        var formats: [String] = []
        for crtc in candidates {
            guard let index = resources.crtcs.firstIndex(of: crtc) else { continue }
            let primary = planes.filter { $0.isPrimary && index < 32 && $0.plane.possibleCRTCs & (1 << index) != 0 }
            // A plane on another CRTC cannot be moved in one commit (drm_atomic_plane_check), so it comes last.
            let ordered = primary.sorted { distance($0, crtc) < distance($1, crtc) }
            if let fit = ordered.first(where: { $0.plane.formats.contains(CLIBDRM_FORMAT_XRGB8888) }) {
                return (crtc, fit.plane.id)
            }
            for name in primary.flatMap({ $0.plane.formats.map(Plane.name(ofFormat:)) }) where !formats.contains(name) {
                formats.append(name)
            }
        }
        throw .noPlane(formats: formats)
    }

    func connectors(on crtc: UInt32) -> [UInt32] {
        connectors.filter { self.crtc(of: $0) == crtc }.map(\.id)
    }

    /// The CRTCs that can drive `connector`, best first: the current one (no flicker), then idle ones. An encoder
    /// without CRTC is normal for a connector that has not been used yet.
    private func crtcs(for connector: Connector) -> [UInt32] {
        var found: [UInt32] = []
        if let current = crtc(of: connector) { found.append(current) }
        let possible = connector.encoders.compactMap { encoders[$0] }.reduce(0) { $0 | $1.possibleCRTCs }
        let reachable = resources.crtcs.enumerated().filter { $0.offset < 32 && possible & (1 << $0.offset) != 0 }
            .map(\.element)
        let taken = Set(connectors.filter { $0.id != connector.id }.compactMap { crtc(of: $0) })
        found += reachable.filter { !taken.contains($0) && !found.contains($0) }
        found += reachable.filter { !found.contains($0) }
        return found
    }

    private func crtc(of connector: Connector) -> UInt32? {
        guard let crtc = encoders[connector.currentEncoder]?.currentCRTC, resources.crtcs.contains(crtc) else {
            return nil
        }
        return crtc
    }

    /// 0 for a plane on `crtc`, 1 for an unused one, 2 for one on another CRTC.
    private func distance(_ plane: TypedPlane, _ crtc: UInt32) -> Int {
        plane.plane.currentCRTC == crtc ? 0 : plane.plane.currentCRTC == 0 ? 1 : 2
    }
}
