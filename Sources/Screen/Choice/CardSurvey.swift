// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Geometry
import Linux

/// Looks at one open card: what it has, and which pipelines could show a picture.
///
/// Only the first calls decide about the card. What cannot be read further on (a connector that went away between two
/// calls, a plane the driver will not talk about) is left out.
struct CardSurvey {
    private(set) var report: CardReport
    private(set) var pipelines: [DisplayPipeline] = []

    init(of device: any ModesettingDevice) {
        report = CardReport(path: device.path)
        report.driver = (try? device.driverName()) ?? "unknown"
        report.isMaster = device.isMaster
        do {
            try look(at: device)
        } catch {
            report.passedOver = error.reason
        }
    }

    private struct Unusable: Error { let reason: PassedOver }

    private mutating func look(at device: any ModesettingDevice) throws(Unusable) {
        let resources = try resources(of: device)
        // Atomic implies universal planes, but a kernel may know only the second.
        let seesPrimaryPlanes = (try? device.enable(.universalPlanes)) != nil
        report.isAtomic = seesPrimaryPlanes && (try? device.enable(.atomic)) != nil

        var connectors: [Connector] = []
        for id in resources.connectors {
            do {
                connectors.append(try device.connector(id))
            } catch {
                report.connectors.append(
                    ConnectorReport(
                        name: "connector \(id)", status: .unknown, modes: [], bestMode: nil, millimetres: nil,
                        orientation: nil, verdict: .passedOver(.unreadable(call: "MODE_GETCONNECTOR", error))))
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

    private func resources(of device: any ModesettingDevice) throws(Unusable) -> CardResources {
        let resources: CardResources
        do {
            resources = try device.resources()
        } catch {
            // EOPNOTSUPP since Linux 4.20, EINVAL before.
            let onlyRenders = error == .notSupported || error == .invalidArgument
            throw Unusable(reason: onlyRenders ? .onlyRenders : .unreadable(call: "MODE_GETRESOURCES", error))
        }
        if resources.connectors.isEmpty || resources.crtcs.isEmpty { throw Unusable(reason: .noOutputs) }
        let canAllocate: UInt64
        do {
            canAllocate = try device.capability(.dumbBuffer)
        } catch {
            throw Unusable(reason: .unreadable(call: "GET_CAP DUMB_BUFFER", error))
        }
        if canAllocate == 0 { throw Unusable(reason: .noDumbBuffers) }
        return resources
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
            verdict = .passedOver(.writeback)
        } else if connector.status == .disconnected || (connector.status == .unknown && mode == nil) {
            verdict = .passedOver(.disconnected)
        } else if (properties.named("non-desktop")?.value ?? 0) != 0 {
            verdict = .passedOver(.notDesktop)
        } else if let mode {
            switch search.search(for: connector) {
            case .passedOver(let reason): verdict = .passedOver(reason)
            case .found(let crtc, let plane):
                pipelines.append(
                    DisplayPipeline(
                        connector: connector, crtc: crtc, primaryPlane: plane, mode: mode,
                        connectorsOnCRTC: search.connectors(on: crtc), orientation: orientation,
                        driver: report.driver, isAtomic: report.isAtomic))
            }
        } else {
            verdict = .passedOver(.noModes)
        }
        report.connectors.append(
            ConnectorReport(
                name: connector.name, status: connector.status, modes: connector.modes, bestMode: mode,
                millimetres: connector.millimetres, orientation: orientation, verdict: verdict))
    }

    /// How to turn the picture for what the kernel says about how the panel is built in: with the panel's left side up,
    /// the picture's top goes to the panel's left (the enumeration in drm_connector.c; plymouth turns it the same way).
    static func orientation(_ name: String?) -> Rotation? {
        switch name {
        case "Normal": Rotation.none
        case "Upside Down": .half
        case "Left Side Up": .clockwise270
        case "Right Side Up": .clockwise90
        default: nil
        }
    }
}
