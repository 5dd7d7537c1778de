// SPDX-License-Identifier: Apache-2.0
import HostAPI
import JSON
import Linux
import TestSupport
import Testing

@testable import Fleet

@Suite("A panel in a fleet")
struct FleetSessionTests {
    private let fixture: SessionFixture

    init() throws {
        fixture = try SessionFixture()
        _ = fixture.session.connected(fixture.now)
    }

    private func reply(_ state: CaptureState, strokes: Int? = 0, seal: SealHead? = nil) -> CaptureReply {
        CaptureReply(id: SessionFixture.capture, state: state, strokes: strokes, seal: seal)
    }

    @Test("a capture is asked for once, reported and answered with the host's correlation data and key")
    func capture() throws {
        let asked = fixture.ask()
        #expect(asked.calls.map(\.method) == [.capture] && asked.publications.isEmpty)
        let signing = try fixture.answer(asked.call, reply(.signing))
        #expect(
            signing.answers == [
                ["id": .text("\(SessionFixture.capture)"), "key": "order-4711", "state": "signing", "strokes": 0]
            ])
        #expect(signing.publications[0].correlation == [1, 2])
        let seal = SealHead(n: 7, digest: String(repeating: "a", count: 64))
        let ended = try fixture.answer(asked.call, reply(.ended(.accepted), strokes: nil, seal: seal))
        #expect(ended.ends == [asked.call])
        #expect(ended.publications.map(\.topic) == [.response(FleetName("host-erp")!), .captureEvent])
        #expect(ended.answers[0]["outcome"] == ["result": "accepted"] && ended.answers[0]["seal"]?["n"] == 7)
        // Until the broker has acknowledged them, each new connection sends them again.
        let numbers = ended.publications.compactMap(\.number)
        #expect(numbers.count == 2)
        fixture.session.disconnected()
        #expect(fixture.session.connected(fixture.now).publications.compactMap(\.number) == numbers)
        for number in numbers { fixture.session.acknowledged(number) }
        #expect(fixture.session.connected(fixture.now).publications.compactMap(\.number).isEmpty)
    }

    @Test("the points of strokes are not published")
    func strokes() throws {
        let call = fixture.ask().call
        var stroke = reply(.signing, strokes: 1)
        stroke.stroke = HostStroke(samples: [.init(microseconds: 1, x: 2, y: 3)])
        let answers = try fixture.answer(call, stroke).answers
        #expect(answers.count == 1 && answers[0]["strokes"] == 1 && answers[0]["stroke"] == nil)
    }

    @Test("the same request again gets the state; another with its key is refused, and one of another host is its own")
    func repeated() throws {
        let call = fixture.ask().call
        #expect(fixture.ask().isEmpty)
        _ = try fixture.answer(call, reply(.signing, strokes: 2))
        let again = fixture.ask()
        #expect(again.calls.isEmpty && again.answers.count == 1 && again.answers[0]["strokes"] == 2)
        #expect(fixture.ask("order-4711", ["prompt": ["y"]]).error == "KeyReused")
        #expect(fixture.ask(host: "host-crm").calls.map(\.method) == [.capture])
        _ = try fixture.answer(call, reply(.ended(.cancelled(by: .person))))
        let last = fixture.ask()
        #expect(last.calls.isEmpty && last.answers.count == 1 && last.answers[0]["outcome"]?["by"] == "person")
    }

    @Test("after a restart the same request gets the answer, or hears that it was interrupted; no page is shown again")
    func restart() throws {
        let ended = fixture.ask("order-ended").call
        _ = try fixture.answer(ended, reply(.ended(.accepted)))
        _ = fixture.ask("order-asked")
        fixture.restart()
        _ = fixture.session.connected(fixture.now)
        let first = fixture.ask("order-ended")
        #expect(first.calls.isEmpty && first.answers.count == 1 && first.answers[0]["outcome"]?["result"] == "accepted")
        let second = fixture.ask("order-asked")
        #expect(second.calls.isEmpty && second.error == "Interrupted")
    }

    @Test(
        "a capture whose connection was lost ends as the panel's records say",
        arguments: [true, false], ["restart", "connection"])
    func lost(hasRecord: Bool, by cause: String) throws {
        let call = fixture.ask().call
        _ = try fixture.answer(call, reply(.signing))
        if cause == "restart" { fixture.restart() } else { #expect(fixture.lose(call).ends == [call]) }
        _ = fixture.session.connected(fixture.now)
        fixture.pass(2)
        var actions = cause == "restart" ? fixture.session.begin() : fixture.session.timePassed(fixture.now)
        func look() throws -> Int {
            try #require(actions.calls.last { $0.method == .status }?.number)
        }
        // It is being stored.
        #expect(try fixture.answer(try look(), parameters: SessionFixture.status(running: true)).isEmpty)
        #expect(fixture.session.deadline(fixture.now) == fixture.now.sinceBoot + 1_000_000)
        fixture.pass(1)
        actions = fixture.session.timePassed(fixture.now)
        let get = try fixture.answer(try look(), parameters: SessionFixture.status())
        #expect(get.calls.map(\.method) == [.get])
        let answer =
            hasRecord
            ? fixture.refuse(get.call, .encrypted(SessionFixture.capture))
            : fixture.refuse(get.call, .noSuchCapture("\(SessionFixture.capture)"))
        #expect(answer.answers.count == 1)
        #expect(answer.answers[0]["outcome"]?["result"] == .text(hasRecord ? "accepted" : "failed"))
        #expect(fixture.ask().answers == answer.answers)
    }

    @Test("a panel that refuses or does not answer frees the key")
    func refused() throws {
        let first = fixture.ask()
        let busy = fixture.refuse(first.call, .busy(with: nil))
        #expect(busy.error == "Busy" && busy.answers[0]["key"] == "order-4711" && busy.ends == [first.call])
        let second = fixture.ask()
        #expect(fixture.lose(second.call).error == "Unavailable")
        #expect(fixture.ask().calls.map(\.method) == [.capture])
        fixture.restart()
        _ = fixture.session.connected(fixture.now)
        #expect(fixture.ask().error == "Interrupted")
    }

    @Test("nobody is asked after until, and a capture that still waits then is given up")
    func expiry() throws {
        func ask(_ key: String, _ seconds: Int64) -> [FleetSession.Action] {
            fixture.receive(
                "capture", ["key": .text(key), "until": .integer(fixture.now.microseconds + seconds * 1_000_000)])
        }
        #expect(ask("order-late", -1).error == "Expired")
        #expect(ask("order-far", 86_401).error == "InvalidParameter")
        let waiting = ask("order-waiting", 60).call
        let signing = ask("order-signing", 60).call
        _ = try fixture.answer(waiting, reply(.waiting))
        _ = try fixture.answer(signing, reply(.signing))
        #expect(fixture.session.deadline(fixture.now) == fixture.now.sinceBoot + 60_000_000)
        fixture.pass(59)
        #expect(fixture.session.timePassed(fixture.now).isEmpty)
        fixture.pass(1)
        let expired = fixture.session.timePassed(fixture.now)
        #expect(expired.ends == [waiting] && expired.error == "Expired")
        #expect(expired.answers[0]["key"] == "order-waiting")
        // A page that is there stays: the person may be signing.
        #expect(fixture.session.deadline(fixture.now) == nil)
        // Without a clock, nobody knows.
        fixture.now.isSynchronized = false
        #expect(ask("order-unknown", -1).calls.map(\.method) == [.capture])
    }

    @Test("a host cancels its own capture, also before its id is known, and nobody else's")
    func cancel() throws {
        let call = fixture.ask().call
        #expect(fixture.receive("cancel", ["key": "order-4711"], host: "host-crm").error == "NoSuchCapture")
        #expect(fixture.receive("cancel", ["key": "order-4711"]).isEmpty)
        let first = try fixture.answer(call, reply(.signing))
        #expect(first.calls.map(\.method) == [.cancel])
        #expect(fixture.receive("cancel", ["key": "order-4711"]).calls.map(\.method) == [.cancel])
        let last = try fixture.answer(call, reply(.ended(.cancelled(by: .host))))
        // The capture and its cancellation are both answered.
        #expect(last.answers.count == 2 && last.answers[0] == last.answers[1])
        #expect(fixture.receive("cancel", ["key": "order-4711"]).answers == [last.answers[0]])
    }

    @Test("eight captures at a time, of which a host has half of those that others leave")
    func many() {
        for number in 0..<4 { #expect(fixture.ask("order-000\(number)").calls.count == 1) }
        #expect(fixture.ask("order-0008").error == "Busy")
        for number in 0..<2 { #expect(fixture.ask("order-000\(number)", host: "host-crm").calls.count == 1) }
        #expect(fixture.ask("order-0008", host: "host-crm").error == "Busy")
    }

    @Test("a capture that nobody answers, or whose turn comes after until, is not shown")
    func late() throws {
        let silent = fixture.ask("order-silent").call
        let waiting = fixture.ask("order-waiting").call
        _ = try fixture.answer(waiting, reply(.waiting))
        // The clock is set forward, and nothing wakes the session.
        fixture.now.microseconds += 61_000_000
        let late = try fixture.answer(waiting, reply(.signing))
        #expect(late.ends == [waiting] && late.error == "Expired")
        let given = fixture.session.timePassed(fixture.now)
        #expect(given.ends == [silent] && given.error == "Expired")
        #expect(
            fixture.receive(
                "capture", ["key": "order-far", "until": .integer(fixture.now.microseconds + 90_000_000_000)]
            ).error == "InvalidParameter")
    }

    @Test("hosts that ask for the status meanwhile share a call")
    func statuses() throws {
        let first = fixture.receive("status", [:])
        #expect(fixture.receive("status", [:], host: "host-crm").isEmpty)
        #expect(try fixture.answer(first.call, parameters: SessionFixture.status()).answers.count == 2)
        #expect(fixture.receive("status", [:]).calls.count == 1)
    }

    @Test("a clock that was not kept makes no key old")
    func unkept() throws {
        fixture.now.isSynchronized = false
        let call = fixture.ask().call
        _ = try fixture.answer(call, reply(.ended(.accepted)))
        fixture.now.isSynchronized = true
        fixture.now.microseconds += 200_000_000_000
        fixture.restart()
        _ = fixture.session.connected(fixture.now)
        #expect(fixture.ask().answers.first?["outcome"]?["result"] == "accepted")
    }

    @Test("messages without a response topic of this panel are ignored, whatever they ask")
    func ignored() {
        for (topic, response) in [
            ("inkpanel/v1/panel-1/request/capture", nil),
            ("inkpanel/v1/panel-1/request/capture", "inkpanel/v1/panel-2/response/x"),
            ("inkpanel/v1/panel-1/request/capture", "inkpanel/v1/panel-1/status"),
            ("inkpanel/v1/panel-1/request/delete", "inkpanel/v1/panel-1/response/x"), ("x", nil),
        ] as [(String, String?)] {
            let message = BrokerMessage(topic: topic, payload: Array("{}".utf8), responseTopic: response)
            #expect(fixture.session.received(message, fixture.now).isEmpty)
        }
        #expect(fixture.session.counts.ignored == 5)
    }

    @Test("the retained status follows the panel, and its figures are asked for every 15 minutes")
    func status() throws {
        let watch = fixture.session.begin().call
        func state(_ actions: [FleetSession.Action]) throws -> String? {
            try actions.publications.first { $0.topic == .status }
                .flatMap { try JSONValue($0.payload)["state"]?.text }
        }
        let idle = try fixture.answer(watch, parameters: SessionFixture.status())
        #expect(try state(idle) == "idle" && idle.calls.map(\.method) == [.status])
        let health = try fixture.answer(idle.call, parameters: SessionFixture.status())
        #expect(health.calls.map(\.method) == [.health])
        let busy = try fixture.answer(watch, parameters: SessionFixture.status(page: .signing))
        #expect(try state(busy) == "busy" && busy.calls.isEmpty)
        #expect(try fixture.answer(watch, parameters: SessionFixture.status(page: .signing)).isEmpty)
        #expect(fixture.session.deadline(fixture.now) == fixture.now.sinceBoot + 900_000_000)
        #expect(try state(fixture.lose(watch)) == "unavailable")
        // It is called again, ever more seldom.
        var pauses: [Int64] = []
        for _ in 0..<8 {
            let deadline = try #require(fixture.session.deadline(fixture.now))
            pauses.append((deadline - fixture.now.sinceBoot) / 1_000_000)
            fixture.now.sinceBoot = deadline
            let again = fixture.session.timePassed(fixture.now)
            #expect(again.calls.map(\.method) == [.watch])
            _ = fixture.lose(again.call)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30])
    }

    @Test("what waits for its delivery is published at each change, without the words of a fault")
    func delivery() throws {
        func waiting(_ actions: [FleetSession.Action]) throws -> [JSONValue] {
            try actions.publications.filter { $0.topic == .delivery }.map { try JSONValue($0.payload) }
        }
        func status(_ waiting: Int, _ oldest: Int64?, _ fault: String? = nil) -> StatusReply {
            SessionFixture.status(delivery: .init(waiting: waiting, oldest: oldest, fault: fault))
        }
        let watch = fixture.session.begin().call
        #expect(try waiting(try fixture.answer(watch, parameters: status(0, nil))) == [["waiting": 0, "fault": false]])
        let two = try fixture.answer(watch, parameters: status(2, 5))
        #expect(try waiting(two) == [["waiting": 2, "oldest": 5, "fault": false]])
        #expect(try fixture.answer(watch, parameters: status(2, 5)).isEmpty)
        let faulty = try fixture.answer(watch, parameters: status(2, 5, "cannot link \(SessionFixture.capture)"))
        #expect(try waiting(faulty) == [["waiting": 2, "oldest": 5, "fault": true]])
        // The broker may have lost it; while the panel's program is away, nobody knows better.
        #expect(try waiting(fixture.session.connected(fixture.now)) == [["waiting": 2, "oldest": 5, "fault": true]])
        #expect(try waiting(fixture.lose(watch)).isEmpty)
        #expect(try waiting(fixture.session.connected(fixture.now)).isEmpty)
    }

    @Test("a panel that delivers nothing removes what the broker has kept")
    func noDelivery() throws {
        let watch = fixture.session.begin().call
        let first = try fixture.answer(watch, parameters: SessionFixture.status())
        #expect(first.publications.filter { $0.topic == .delivery }.map(\.payload) == [[]])
        let next = try fixture.answer(watch, parameters: SessionFixture.status(page: .signing))
        #expect(!next.publications.contains { $0.topic == .delivery })
    }

    @Test(
        "whatever hosts, the panel and time do in any order, no key is asked for twice",
        arguments: Breadth.seeds(13, long: 40))
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var open: [Int: String] = [:]
        var begun: [String: Int] = [:]
        func note(_ actions: [FleetSession.Action], key: String? = nil) {
            for (number, method) in actions.calls where method == .capture { open[number] = key }
            for number in actions.ends { open[number] = nil }
        }
        for _ in 0..<200 {
            switch Int.random(in: 0..<9, using: &random) {
            case 0...3:
                let key = "order-00\(Int.random(in: 0..<6, using: &random))"
                note(fixture.ask(key), key: key)
            case 4...5:
                guard let (call, key) = open.randomElement(using: &random) else { continue }
                if begun[key] == nil || begun[key] == call {
                    begun[key] = call
                } else {
                    Issue.record("\(key) was asked for twice")
                }
                let ends = Bool.random(using: &random)
                note(try fixture.answer(call, reply(ends ? .ended(.cancelled(by: .person)) : .signing)))
            case 6:
                fixture.restart()
                open = [:]
                _ = fixture.session.connected(fixture.now)
            case 7:
                if let call = open.keys.randomElement(using: &random), begun[open[call]!] != nil {
                    note(fixture.lose(call))
                    open[call] = nil
                }
            default:
                fixture.pass(Int64.random(in: 0..<30, using: &random))
                note(fixture.session.timePassed(fixture.now))
            }
        }
    }

    @Test(
        "spoiled requests are answered once or ignored, and ask for nothing that they do not say",
        arguments: Breadth.seeds(13, long: 40))
    func spoiled(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for method in FleetMethod.allCases {
            let until = fixture.now.microseconds + 60_000_000
            let whole = Array(#"{"key":"order-4711","until":\#(until),"parameters":{"prompt":["x"]}}"#.utf8)
            for _ in 0..<50 {
                var payload = whole
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let place = Int.random(in: 0..<payload.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: payload[place] = UInt8.random(in: 0...255, using: &random)
                    case 1: payload.remove(at: place)
                    default: payload.insert(UInt8.random(in: 0...255, using: &random), at: place)
                    }
                }
                let message = BrokerMessage(
                    topic: "inkpanel/v1/panel-1/request/\(method)", payload: payload,
                    responseTopic: "inkpanel/v1/panel-1/response/host-erp")
                #expect(fixture.session.received(message, fixture.now).count <= 1)
            }
        }
    }
}
