// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import JSON
import Linux
import TestSupport

@testable import Fleet

/// A session with a panel that the test plays, and a directory that outlives it.
final class SessionFixture {
    static let panel = FleetName("panel-1")!
    static let capture = CaptureID("20261126-080627-2fc94d3fe209ca2e")!
    static let start: Int64 = 1_800_000_000_000_000

    let directory: TemporaryDirectory
    var session: FleetSession
    var now = WallClock.Reading(microseconds: start, sinceBoot: 1_000_000_000, isSynchronized: true)

    init() throws {
        directory = try TemporaryDirectory()
        session = Self.session(directory, now)
    }

    private static func session(
        _ directory: TemporaryDirectory, _ now: WallClock.Reading, hosts: Set<FleetName> = [],
        limit: Int = RequestFile.limit
    ) -> FleetSession {
        FleetSession(
            name: panel,
            orders: FleetOrders(directory: directory.path, now: now, log: Log(identifier: "test"), limit: limit),
            hosts: hosts)
    }

    /// Ends the program without a word, and starts it again.
    func restart(hosts: Set<FleetName> = [], limit: Int = RequestFile.limit) {
        session = Self.session(directory, now, hosts: hosts, limit: limit)
    }

    func pass(_ seconds: Int64) {
        now.microseconds += seconds * 1_000_000
        now.sinceBoot += seconds * 1_000_000
    }

    func receive(
        _ method: String, _ payload: JSONValue, host: String = "host-erp", correlation: [UInt8]? = [1, 2]
    ) -> [FleetSession.Action] {
        session.received(
            BrokerMessage(
                topic: "inkpanel/v1/panel-1/request/" + method, payload: payload.bytes,
                responseTopic: "inkpanel/v1/panel-1/response/" + host, correlation: correlation), now)
    }

    /// Asks for a capture, within a minute.
    func ask(
        _ key: String = "order-4711", _ parameters: JSONValue = ["prompt": ["x"]], host: String = "host-erp"
    ) -> [FleetSession.Action] {
        receive(
            "capture",
            ["key": .text(key), "until": .integer(now.microseconds + 60_000_000), "parameters": parameters], host: host)
    }

    func answer(_ call: Int, _ reply: CaptureReply) throws -> [FleetSession.Action] {
        try answer(call, parameters: reply)
    }

    func answer(_ call: Int, parameters: some Encodable) throws -> [FleetSession.Action] {
        let message = ReplyEncoder.message(parameters, continues: true).dropLast()
        return session.answered(call, .reply(try VarlinkReply(message)), now)
    }

    func refuse(_ call: Int, _ error: PanelError) -> [FleetSession.Action] {
        session.answered(call, .refused(error), now)
    }

    func lose(_ call: Int) -> [FleetSession.Action] { session.answered(call, .lost, now) }

    /// A status of a panel that works.
    static func status(
        running: Bool = false, page: PanelStatus.Page = .idle, waiting: Int = 0, delivery: PanelStatus.Delivery? = nil
    ) -> StatusReply {
        var status = PanelStatus(
            program: "inkpanel test", page: page, waiting: waiting, touchDevices: ["touch"],
            screen: .init(name: "screen", size: .init(width: 800, height: 480), pixelsPerMillimetre: 6),
            store: .init(fault: nil))
        status.store.delivery = delivery
        if running { status.running = .init(id: capture, strokes: 1, askedBy: .fleet) }
        return StatusReply(status: status)
    }
}

extension [FleetSession.Action] {
    /// The only call among them, or -1.
    var call: Int { calls.count == 1 ? calls[0].number : -1 }

    var calls: [(number: Int, method: PanelMethod)] {
        compactMap { if case .call(let number, let method, _) = $0 { (number, method) } else { nil } }
    }

    var ends: [Int] { compactMap { if case .end(let number) = $0 { number } else { nil } } }

    var publications: [FleetSession.Publication] {
        compactMap { if case .publish(let publication) = $0 { publication } else { nil } }
    }

    /// The payloads on response topics.
    var answers: [JSONValue] {
        publications.compactMap { publication in
            if case .response = publication.topic { try? JSONValue(publication.payload) } else { nil }
        }
    }

    /// The short name of the error of the only answer.
    var error: String? {
        answers.count == 1 ? answers[0]["error"]?.text?.split(separator: ".").last.map(String.init) : nil
    }
}
