// SPDX-License-Identifier: Apache-2.0
// Panels of a fleet, with the sessions and the connections of inkpanel-fleet, on which somebody signs at once:
//
//   fleet-peer HOST PORT FOLDER SECONDS
//
// Each folder in FOLDER is the state of a panel, with its credentials. A capture ends SECONDS after its page was shown.
// Prints `page PANEL KEY` for each page, and `connected N` when the number of connected panels changes.

import FoundationEssentials
import Geometry
import Glibc
import HostAPI
import JSON
import Linux

@testable import Fleet

/// A panel whose person signs.
final class SimulatedPanel {
    let link: BrokerLink
    var session: FleetSession
    /// Calls whose captures end, and when.
    var signing: [(call: Int, key: String, id: CaptureID, at: Timestamp)] = []

    private let log: Log

    init(_ link: BrokerLink, state: String, log: Log) {
        self.link = link
        self.log = log
        session = FleetSession(
            name: link.name, orders: FleetOrders(directory: state, now: WallClock.read(), log: log))
    }

    func perform(_ actions: [FleetSession.Action], _ poll: borrowing EventPoll, _ seconds: Double) {
        var actions = actions[...]
        while let action = actions.popFirst() {
            switch action {
            case .publish(let publication): link.publish(publication, poll)
            case .end(let call): signing.removeAll { $0.call == call }
            case .call(let call, .capture, let parameters):
                let random = String(UInt64.random(in: (1 << 60)...UInt64.max), radix: 16)
                guard let id = CaptureID("20261126-080627-" + random) else { continue }
                let key = parameters["data"]?["key"]?.text ?? ""
                print("page \(link.name) \(key)")
                fflush(nil)
                signing.append((call, key, id, MonotonicClock.now + .milliseconds(Int64(seconds * 1000))))
                actions += answer(call, CaptureReply(id: id, state: .signing, strokes: 0))
            case .call(let call, .cancel, _):
                actions += session.answered(call, .lost, WallClock.read())
                if let last = signing.popLast() {
                    actions += answer(last.call, CaptureReply(id: last.id, state: .ended(.cancelled(by: .host))))
                }
            case .call(let call, .watch, _), .call(let call, .status, _):
                let status = PanelStatus(
                    program: "fleet-peer", page: .idle, touchDevices: ["simulated"],
                    screen: .init(
                        name: "none", size: PixelSize(width: 800, height: 480), pixelsPerMillimetre: 6),
                    store: .init(fault: nil))
                let message = ReplyEncoder.message(StatusReply(status: status), continues: true).dropLast()
                if let reply = try? VarlinkReply(message) {
                    actions += session.answered(call, .reply(reply), WallClock.read())
                }
            case .call(let call, .get, let parameters):
                // What it was doing when it was killed has no record.
                let error = PanelError.noSuchCapture(parameters["id"]?.text ?? "")
                actions += session.answered(call, .refused(error), WallClock.read())
            case .call(let call, _, _): actions += session.answered(call, .refused(.permissionDenied), WallClock.read())
            }
        }
    }

    private func answer(_ call: Int, _ reply: CaptureReply) -> [FleetSession.Action] {
        guard let reply = try? VarlinkReply(ReplyEncoder.message(reply, continues: true).dropLast()) else { return [] }
        return session.answered(call, .reply(reply), WallClock.read())
    }

    func handle(_ changes: [BrokerLink.Change], _ poll: borrowing EventPoll, _ seconds: Double) {
        for change in changes {
            switch change {
            case .connected: perform(session.connected(WallClock.read()), poll, seconds)
            case .message(let message): perform(session.received(message, WallClock.read()), poll, seconds)
            case .acknowledged(let number): session.acknowledged(number)
            case .refused(let reason): log.error("\(link.name) is refused: \(reason)")
            case .disconnected: session.disconnected()
            }
        }
    }

    func passTime(_ poll: borrowing EventPoll, _ seconds: Double) {
        let now = MonotonicClock.now
        if let time = link.dialAt, time <= now { link.dial() }
        handle(link.passTime(poll), poll, seconds)
        while let first = signing.first, first.at <= now {
            signing.removeFirst()
            perform(
                answer(first.call, CaptureReply(id: first.id, state: .ended(.accepted))), poll, seconds)
        }
        perform(session.timePassed(WallClock.read()), poll, seconds)
    }

    var deadline: Timestamp? { [link.deadline, signing.first?.at].compactMap(\.self).min() }
}

let words = CommandLine.arguments
let log = Log(identifier: "fleet-peer")
guard words.count == 5, let port = Int(words[2]), let seconds = Double(words[4]) else {
    log.error("usage: fleet-peer HOST PORT FOLDER SECONDS")
    exit(EX_USAGE)
}
signal(SIGPIPE, SIG_IGN)
var limit = rlimit()
getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
limit.rlim_cur = limit.rlim_max
setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
BrokerConnection.initializeLibrary()
let poll = try EventPoll()
let dialer = try BrokerDialer()
try poll.add(dialer.descriptor, token: 0)
var panels: [FleetName: SimulatedPanel] = [:]
var byToken: [SimulatedPanel] = []
for name in try Directory.names(of: words[3]).sorted() {
    guard let name = FleetName(name) else { continue }
    let folder = words[3] + "/\(name)"
    let address = BrokerAddress(host: words[1], port: port, keepAlive: 60, credentials: folder)
    let link = BrokerLink(address, as: name, dialer: dialer, token: UInt64(byToken.count + 1))
    let panel = SimulatedPanel(link, state: folder, log: log)
    panel.perform(panel.session.begin(), poll, seconds)
    panels[name] = panel
    byToken.append(panel)
}
var connected = -1
var nextLook = Timestamp.zero
while true {
    let events = try poll.wait(until: max(MonotonicClock.now + .milliseconds(1), nextLook))
    for event in events {
        if event.token == 0 {
            for call in dialer.take() {
                if let panel = panels[call.name] { panel.handle(panel.link.dialed(call.result, poll), poll, seconds) }
            }
        } else {
            let panel = byToken[Int(event.token) - 1]
            panel.handle(panel.link.serve(event, poll), poll, seconds)
        }
    }
    // A look at a thousand panels takes longer than an event.
    if MonotonicClock.now >= nextLook {
        for panel in byToken where (panel.deadline ?? .zero) <= MonotonicClock.now || panel.deadline == nil {
            panel.passTime(poll, seconds)
        }
        nextLook = MonotonicClock.now + .milliseconds(20)
        let count = byToken.count { $0.link.isConnected }
        if count != connected {
            connected = count
            print("connected \(count)")
            fflush(nil)
        }
    }
}
