// SPDX-License-Identifier: Apache-2.0
import HostAPI
import JSON

/// The payloads of what a panel says without being asked, on retained topics.
enum FleetReport {
    /// - Parameters:
    ///   - state: of ``state(_:)``.
    ///   - since: when the connection to the broker began, in microseconds of the wall clock.
    static func status(_ state: String, since: Int64) -> [UInt8] {
        let message: JSONValue = ["online": true, "since": .integer(since), "state": .text(state)]
        return message.bytes
    }

    /// - Parameter status: nil while the panel's program does not answer.
    static func state(_ status: PanelStatus?) -> String {
        guard let status, status.screen.fault == nil, !status.touchDevices.isEmpty, status.store.fault == nil else {
            return "unavailable"
        }
        switch status.page {
        case .starting, .fault: return "unavailable"
        case .idle, .sketch, .ink, .thanks, .declined, .failed: return status.waiting == 0 ? "idle" : "busy"
        case .pairing, .identity, .reading, .question, .handOver, .declining, .signing, .refused, .saving: return "busy"
        }
    }

    /// No path, and no capture's name, which a fault may have.
    private struct Delivery: Encodable {
        var waiting: Int
        var oldest: Int64?
        var fault: Bool
    }

    /// - Parameter delivery: nil without delivery; an empty message removes a retained one from before.
    static func delivery(_ delivery: PanelStatus.Delivery?) -> [UInt8] {
        guard let delivery else { return [] }
        return Delivery(waiting: delivery.waiting, oldest: delivery.oldest, fault: delivery.fault != nil).bytes
    }

    private struct Info: Encodable {
        var program: String
        var name: String
        var key: String?
        var seal: SealHead?
        var screen: PanelStatus.Screen
        var configuration: String?
        var health: PanelHealth
    }

    static func info(of name: FleetName, _ status: PanelStatus, _ health: PanelHealth) -> [UInt8] {
        Info(
            program: status.program, name: "\(name)", key: status.store.seals?.key, seal: status.store.seals?.head,
            screen: status.screen, configuration: status.configuration, health: health
        ).bytes
    }

    /// The members of a status that ``info(of:_:_:)`` publishes, but for figures.
    static func facts(_ status: PanelStatus) -> [String] {
        let (store, seals) = (status.store, status.store.seals)
        // Swift 6.0 needs minutes for these in one expression.
        var facts: [String] = [status.program, "\(status.screen)"]
        for text in [status.configuration, store.fault, seals?.key, store.delivery?.fault] { facts.append(text ?? "") }
        facts += status.touchDevices
        facts += seals?.faults ?? []
        return facts
    }
}
