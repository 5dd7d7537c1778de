// SPDX-License-Identifier: Apache-2.0
import Linux

/// What a hotplug event has changed for a display.
public enum ConnectorChange: Equatable, Sendable {
    /// The same screen: set the mode again with ``Display/start(showing:)`` and repaint nothing.
    case unchanged
    /// Another screen, or one that wants another mode: close the display and open it anew.
    case modeChanged
    /// Nothing is connected. Flips would still "succeed" and show nothing; close the display and wait.
    case disconnected
}

extension KMSDisplay {
    /// Asks the connector what is on it now. Tens of milliseconds where a monitor must be asked, so once for each burst
    /// of hotplug events.
    public func probe() throws(ScreenError) -> ConnectorChange {
        try checkOpen()
        let connector: Connector
        do {
            connector = try device.connector(pipeline.connector.id)
        } catch {
            // ENOENT: connectors of a dock come and go with it.
            if error == .noSuchFile { return .disconnected }
            try note(error)
            throw .callFailed(
                card: device.path, connector: pipeline.connector.name, call: "MODE_GETCONNECTOR", error)
        }
        guard connector.status != .disconnected, let mode = DisplayMode.best(of: connector.modes) else {
            return .disconnected
        }
        return mode == pipeline.mode ? .unchanged : .modeChanged
    }
}
