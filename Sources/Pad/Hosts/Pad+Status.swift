// SPDX-License-Identifier: Apache-2.0
import Geometry
public import HostAPI

/// The status for hosts, and for those who watch it.
extension Pad {
    public var status: PanelStatus {
        let requested = running?.requested ?? preparing?.requested
        var store = PanelStatus.Store(fault: recordFault ?? storeFault ?? sketchFault)
        store.delivery = delivery
        return PanelStatus(
            program: settings.program, configuration: settings.configuration, page: page,
            running: requested.map {
                PanelStatus.Running(id: $0.id, strokes: running?.sentStrokeCount ?? 0, askedBy: $0.capture.askedBy)
            },
            waiting: waiting.count, touchDevices: devices,
            screen: PanelStatus.Screen(
                name: screen.name, size: screen.size, pixelsPerMillimetre: screen.density.pixelsPerMillimetre,
                fault: displayFault),
            store: store)
    }

    /// Whether a touch has changed the status that watchers know. Every such change changes the page or the number of
    /// strokes; comparing only these costs little for each report.
    var touchChangedStatus: Bool {
        page != watchedStatus?.page || running?.sentStrokeCount != watchedStatus?.running?.strokes
    }

    mutating func replyToWatchers(_ actions: inout [PadAction]) {
        if watchers.isEmpty { return }
        let status = status
        guard let last = watchedStatus, status != last else { return }
        watchedStatus = status
        for (call, reach) in watchers {
            let seen = status.seen(by: reach)
            if seen != last.seen(by: reach) { actions.append(.reply(call, .changed(seen))) }
        }
    }
}
