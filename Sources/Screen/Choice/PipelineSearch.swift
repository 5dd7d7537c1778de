// SPDX-License-Identifier: Apache-2.0
import CLibdrm

/// Finds a CRTC and a primary plane for a connector.
struct PipelineSearch {
    struct TypedPlane {
        let plane: Plane
        let type: String
        var isPrimary: Bool { type == "Primary" }
    }

    let resources: CardResources
    let connectors: [Connector]
    /// By id. One that could not be read is missing.
    let encoders: [UInt32: Encoder]
    /// nil where the kernel does not show primary planes.
    let planes: [TypedPlane]?

    enum Result {
        case found(crtc: UInt32, plane: UInt32?)
        case passedOver(PassedOver)
    }

    func search(for connector: Connector) -> Result {
        let candidates = crtcs(for: connector)
        if candidates.isEmpty { return .passedOver(.noCRTC) }
        guard let planes else { return .found(crtc: candidates[0], plane: nil) }
        var formats: [String] = []
        for crtc in candidates {
            guard let index = resources.crtcs.firstIndex(of: crtc) else { continue }
            let primary = planes.filter { $0.isPrimary && index < 32 && $0.plane.possibleCRTCs & (1 << index) != 0 }
            // A plane on another CRTC cannot be moved in one commit (drm_atomic_plane_check), so it comes last.
            let ordered = primary.sorted { remoteness($0, crtc) < remoteness($1, crtc) }
            if let fit = ordered.first(where: { $0.plane.formats.contains(CLIBDRM_FORMAT_XRGB8888) }) {
                return .found(crtc: crtc, plane: fit.plane.id)
            }
            for name in primary.flatMap({ $0.plane.formats.map(Plane.name(ofFormat:)) }) where !formats.contains(name) {
                formats.append(name)
            }
        }
        return .passedOver(.noPlane(formats: formats))
    }

    /// What `crtc` drives now.
    func connectors(on crtc: UInt32) -> [UInt32] {
        connectors.filter { self.crtc(of: $0) == crtc }.map(\.id)
    }

    /// The CRTCs that can drive `connector`, best first: the one that does (nothing flickers), then those that drive
    /// nothing else. An encoder without CRTC is usual: nobody has used the connector yet.
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

    private func remoteness(_ plane: TypedPlane, _ crtc: UInt32) -> Int {
        plane.plane.currentCRTC == crtc ? 0 : plane.plane.currentCRTC == 0 ? 1 : 2
    }
}
