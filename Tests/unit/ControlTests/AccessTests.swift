// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Formats
import FoundationEssentials
import Glibc
import HostAPI
import Linux
import Pad
import Record
import Store
import TestSupport
import Testing

@testable import Control

@Suite("Who may do what")
struct AccessTests {
    /// What each role may call. Operators and webhooks reach all captures, the others those that they asked for.
    private static let expected: [String: [HostRole]] = [
        "Capture": [.operator, .gateway, .fleet], "Cancel": [.operator, .gateway, .fleet],
        "Clear": [.operator, .gateway], "Accept": [.operator, .gateway], "List": [.operator, .gateway, .webhooks],
        "Get": [.operator, .gateway, .fleet], "Delete": [.operator], "Status": [.operator, .gateway, .fleet],
        "Watch": [.operator, .gateway, .fleet], "Mirror": [.operator, .gateway], "Pair": [.operator, .gateway],
        "Identify": [.operator], "Screenshot": [.operator], "Simulate": [.operator, .gateway],
        "Health": [.operator, .gateway, .fleet], "OpenDocument": [.operator, .gateway, .fleet],
        "Append": [.operator, .gateway, .fleet], "CloseDocument": [.operator, .gateway, .fleet],
        "GetDocument": [.operator, .gateway, .fleet], "Abilities": [.operator, .gateway, .fleet],
        "Events": [.operator, .webhooks], "Reload": [.operator], "TypeName": [.operator, .gateway],
    ]

    private func reach(_ call: HostCall) -> CaptureReach? {
        switch call {
        case .pad(_, let reach), .archive(_, let reach): reach
        case .info, .description, .document: nil
        }
    }

    private func hostCall(
        _ method: String, _ parameters: String, by role: HostRole
    ) throws -> HostCall {
        let text = "{\"method\":\"org.inkpanel.Panel.\(method)\",\"more\":true,\"parameters\":\(parameters)}"
        return try HostCall(try VarlinkCall(Array(text.utf8)[...]), by: role)
    }

    @Test("every method of the interface has the rights of the table, for each role", arguments: HostRole.allCases)
    func table(role: HostRole) throws {
        let text = InterfaceText.description(of: InterfaceText.panel) ?? ""
        let methods = text.split(separator: "\n").filter { $0.hasPrefix("method ") }.map { line in
            String(line.dropFirst(7).prefix { $0.isLetter })
        }
        #expect(methods.sorted() == Self.expected.keys.sorted())
        #expect(methods.sorted() == PanelMethod.allCases.map(\.rawValue).sorted())
        for method in methods {
            let rights = try #require(Self.expected[method])
            let expected: CaptureReach? =
                !rights.contains(role) ? nil : [.operator, .webhooks].contains(role) ? .all : .askedBy(role)
            let parameters =
                [
                    "Get": #"{"id":"a-1","format":"png"}"#, "Delete": #"{"id":"a-1"}"#, "Simulate": #"{"act":"leave"}"#,
                    "Pair": #"{"name":"till","digits":"123456"}"#, "Capture": #"{"prompt":["x"]}"#,
                    "OpenDocument": #"{"size":1,"sha256":"\#(String(repeating: "0", count: 64))"}"#,
                    "Append": #"{"id":"d1","base64":"YQ=="}"#, "CloseDocument": #"{"id":"d1"}"#,
                    "GetDocument": #"{"id":"a-1","offset":0}"#, "TypeName": #"{"name":"Ada","by":"person"}"#,
                ][method] ?? "{}"
            let called = Result { try hostCall(method, parameters, by: role) }
            switch called {
            // These concern only the host's own connection.
            case .success(.document): #expect(expected != nil, "\(method)")
            case .success(let call):
                #expect(reach(call) == expected, "\(method)")
                if case .pad(.capture(let capture), _) = call { #expect(capture.askedBy == role) }
            case .failure(let error):
                #expect(error as? PanelError == .permissionDenied && expected == nil, "\(method)")
            }
            // A denied caller does not learn whether its parameters were right.
            if expected == nil {
                let error = thrownError { try hostCall(method, #"{"x":1}"#, by: role) } as? PanelError
                #expect(error == .permissionDenied, "\(method)")
            }
        }
        // No host can say who it is.
        let error = thrownError { try hostCall("Capture", #"{"askedBy":"operator"}"#, by: role) } as? PanelError
        if role == .webhooks { return #expect(error == .permissionDenied) }
        guard case .invalidParameter("askedBy", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("groups and users by name and by number")
    func names() throws {
        #expect(try ControlGroup(named: "root").number == 0)
        #expect(try ControlGroup(named: "54321").number == 54321)
        #expect(try ControlUser(named: "root").number == 0)
        #expect(try ControlUser(named: "54321").number == 54321)
        let group = thrownError { try ControlGroup(named: "nobody-has-this") }
        #expect(group as? ControlSocketError == .noSuchGroup("nobody-has-this"))
        let user = thrownError { try ControlUser(named: "nobody-is-this") }
        #expect(user as? ControlSocketError == .noSuchUser("nobody-is-this"))
    }

    @Test("root, the panel's own user and members of the group are operators; others may not use the panel")
    func operators() {
        let (own, other) = (geteuid(), geteuid() + 4711)
        let rule = AccessRule(group: ControlGroup(number: 77))
        func role(_ rule: AccessRule, _ user: uid_t, _ groups: Set<gid_t>) -> HostRole? {
            rule.role(of: LocalSocket.Peer(process: 1, user: user, groups: groups))
        }
        #expect(role(rule, 0, []) == .operator && role(rule, own, []) == .operator)
        #expect(role(rule, other, [1, 77]) == .operator)
        #expect(role(rule, other, [1, 78]) == nil && role(rule, other, []) == nil)
        let closed = AccessRule(group: nil)
        #expect(role(closed, 0, []) == .operator && role(closed, own, []) == .operator)
        #expect(role(closed, other, [0, 77]) == nil)
    }

    @Test("the user of inkpanel-fleet has its role in any group, and no gateway's")
    func fleet() {
        let other = geteuid() + 4711
        let rule = AccessRule(
            group: ControlGroup(number: 77), gateway: ControlUser(number: other),
            fleet: ControlUser(number: other + 1))
        func role(_ user: uid_t) -> HostRole? {
            rule.role(of: LocalSocket.Peer(process: 1, user: user, groups: [77]))
        }
        #expect(role(other + 1) == .fleet && role(other) == .gateway && role(other + 2) == .operator)
    }

    @Test("the gateway's user is a gateway in any group; only root and the panel's own user are more")
    func gateway() {
        let (own, other) = (geteuid(), geteuid() + 4711)
        func role(_ gateway: uid_t, _ user: uid_t, _ groups: Set<gid_t>, _ group: gid_t? = 77) -> HostRole? {
            let rule = AccessRule(
                group: group.map { ControlGroup(number: $0) }, gateway: ControlUser(number: gateway))
            return rule.role(of: LocalSocket.Peer(process: 1, user: user, groups: groups))
        }
        for groups: Set<gid_t> in [[], [77], [0, 77], [1]] { #expect(role(other, other, groups) == .gateway) }
        #expect(role(other, other, [77], nil) == .gateway)
        #expect(role(other, other + 1, [77]) == .operator && role(other, other + 1, []) == nil)
        #expect(role(0, 0, []) == .operator && role(own, own, []) == .operator)
    }

    @Test("a host sees and deletes the records in its reach only", arguments: Breadth.seeds(6, long: 20))
    func records(seed: UInt64) throws {
        let panel = try TestPanel()
        var random = SeededGenerator(seed: seed)
        var fixtures = RandomCapture(seed: seed)
        let folder = panel.store.path + "/captures/"
        var askers: [CaptureID: HostRole] = [:]
        for _ in 0..<8 {
            var record = fixtures.record(Bool.random(using: &random) ? .accepted : nil)
            record.header.askedBy = [nil, .operator, .gateway].randomElement(using: &random)!
            askers[try #require(CaptureID(record.header.id))] = record.header.askedBy ?? .operator
            try AtomicFile.write(try CaptureEncoder.encode(record), to: folder + record.header.id + ".jsonl")
        }
        // Another record's, a damaged one and none: nobody can say who asked for them.
        let renamed = try CaptureEncoder.encode(fixtures.record(.accepted))
        try AtomicFile.write(renamed, to: folder + "renamed.jsonl")
        try AtomicFile.write(Array("{\"askedBy\":\"gateway\"}\n".utf8), to: folder + "damaged.jsonl")
        let worker = ArchiveWorker(store: panel.store, export: RecordExport())
        func reply(_ call: ArchiveCall, _ reach: CaptureReach) -> String {
            String(decoding: worker.reply(to: .call(call, reach)).message.dropLast(), as: UTF8.self)
        }
        func listed(_ reach: CaptureReach) throws -> RecordList {
            struct Reply: Decodable { var parameters: RecordList }
            return try JSONDecoder().decode(Reply.self, from: Data(reply(.list, reach).utf8)).parameters
        }
        let all = try listed(.all)
        #expect(Set(all.captures.map(\.id)) == Set(askers.keys) && all.unreadable.count == 2)
        for role in HostRole.allCases {
            let mine = try listed(.askedBy(role))
            #expect(Set(mine.captures.map(\.id)) == Set(askers.filter { $0.value == role }.keys))
            #expect(mine.unreadable.isEmpty)
        }
        for id in askers.keys + ["renamed", "damaged", "none"].compactMap(CaptureID.init) {
            let isOwn = askers[id] == .gateway
            let none = "{\"error\":\"org.inkpanel.Panel.NoSuchCapture\",\"parameters\":{\"id\":\"\(id)\"}}"
            for format in [nil] + ExportFormat.allCases.map({ ExportChoice(format: $0) }) {
                #expect((reply(.get(id, format), .askedBy(.gateway)) == none) == !isOwn, "\(id)")
            }
            #expect((reply(.delete(id), .askedBy(.gateway)) == none) == !isOwn, "\(id)")
        }
        let left = Set(askers.filter { $0.value == .operator }.keys.map(\.description)).union(["renamed", "damaged"])
        #expect(Set(try Directory.names(of: folder)) == Set(left.map { $0 + ".jsonl" }))
    }
}
