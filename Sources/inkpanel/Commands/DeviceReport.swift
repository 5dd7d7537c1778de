// SPDX-License-Identifier: Apache-2.0
import Screen
import Touch

/// What `inkpanel devices` prints.
struct DeviceReport {
    private(set) var lines: [String] = []

    mutating func addTouch(
        _ candidates: [DeviceFinder.Candidate], _ choice: DeviceFinder.Choice, _ listError: TouchError?
    ) {
        lines.append("touch devices:")
        if let listError { lines.append("  " + listError.message) }
        if candidates.isEmpty && listError == nil { lines.append("  none: /dev/input has no event device") }
        for (candidate, reason) in zip(candidates, choice.reasons) {
            lines.append("  " + reason)
            guard let device = candidate.device, device.kind.isUsable, let axes = device.positionAxes else { continue }
            addAxis("x", axes.x, unit: "units/mm")
            addAxis("y", axes.y, unit: "units/mm")
            if let pressure = device.pressureAxis {
                addAxis("pressure", pressure, unit: "units")
            } else {
                lines.append("    pressure: not measured")
            }
        }
    }

    private mutating func addAxis(_ name: String, _ axis: AxisInfo, unit: String) {
        let resolution = axis.resolution > 0 ? ", \(axis.resolution) \(unit)" : ", resolution not stated"
        lines.append("    \(name): \(axis.minimum)...\(axis.maximum)" + (name == "pressure" ? "" : resolution))
    }

    mutating func addScreens(_ inventory: DisplayInventory) {
        lines.append("screens:")
        if inventory.cards.isEmpty { lines.append("  none: /dev/dri has no card") }
        for card in inventory.cards {
            let driver = card.driver.isEmpty ? "" : " (\(card.driver))"
            if let passedOver = card.passedOver {
                lines.append("  \(card.path)\(driver): passed over: \(passedOver)")
                continue
            }
            lines.append("  \(card.path)\(driver): \(card.isAtomic ? "atomic" : "legacy") modesetting"
                + (card.isMaster ? "" : ", held by another program"))
            for connector in card.connectors { addConnector(connector) }
            let formats = card.planes.filter { $0.type == "Primary" }.flatMap(\.formats)
            if !formats.isEmpty {
                lines.append("    formats: " + Set(formats).sorted().joined(separator: " "))
            }
        }
    }

    private mutating func addConnector(_ connector: ConnectorReport) {
        switch connector.verdict {
        case .chosen: lines.append("    \(connector.name): taken: \(connector.status)")
        case .passedOver(let reason): lines.append("    \(connector.name): passed over: \(reason)")
        }
        if let size = connector.millimetres { lines.append("      size: \(size) mm") }
        if !connector.modes.isEmpty {
            let best = connector.bestMode.map { ", best \($0)" } ?? ""
            lines.append("      modes: \(connector.modes.count)\(best)")
        }
    }
}
