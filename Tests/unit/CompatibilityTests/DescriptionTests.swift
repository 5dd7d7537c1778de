// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import JSON
import Linux
import TestSupport
import Testing

@testable import Compatibility
@testable import Gateway
@testable import HTTP

/// Not FlyingFox's type of this name.
private typealias JSONValue = JSON.JSONValue

/// `openapi.json` describes the routes of the router; `Tests/system/Gateway/test_description.py` compares its schemas
/// with the panel's interface, and its examples with the schemas.
@Suite("The description of the API")
struct DescriptionTests {
    /// Problems that only nginx answers.
    private static let namesOfNginx = [
        "gateway-not-running", "gateway-too-slow", "method-not-allowed", "not-encrypted", "too-many-connections",
        "too-many-requests",
    ]

    private let document: JSONValue
    private let directory: TemporaryDirectory

    init() throws {
        document = try JSONValue(WebFile.description.bytes)
        directory = try TemporaryDirectory()
    }

    /// The operations, by method and path.
    private var operations: [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        for (path, item) in document["paths"]?.object ?? [:] {
            for (verb, operation) in item.object ?? [:] { found["\(verb.uppercased()) \(path)"] = operation }
        }
        return found
    }

    /// The routes of the program, without its pages.
    private var routes: [Route] {
        let log = Log(identifier: "test")
        let state = directory.path
        let panel = PanelService(socket: state + "/panel", pool: HTTPServer.defaultPool())
        let documents = Documents(state: state, limit: 1 << 20)
        let captures = Captures(
            panel: panel, owners: OwnerFile(state: state, log: log), keys: IdempotencyKeys(state: state, log: log),
            documents: documents)
        let bearers = Bearers(file: TokenFile(state: state), log: log)
        let pairings = Pairings(
            panel: panel, file: TokenFile(state: state), window: PairingWindow(state: state), log: log
        ) { nil }
        let mirror = MirrorFeeds(panel: panel)
        let api = Route.api(
            panel, captures, documents, mirror, bearers, pairings, WebAddress(names: [], origins: []), program: "test")
        let pad = CompatiblePad(
            captures: captures, documents: documents, bearers: bearers, panel: panel, mirror: mirror)
        return api + Route.compatible(pad)
            + Route.webFiles(isVirtual: false).filter { $0.path.starts(with: ["", "v1"]) }
    }

    private func values(_ path: String...) -> [String] {
        var value: JSONValue? = document
        for name in path { value = value?[name] }
        return (value?.list ?? []).compactMap(\.text).sorted()
    }

    /// OpenAPI has no parameter for the rest of a path.
    private func name(of route: Route) -> String {
        "\(route.method) \(route.path.joined(separator: "/"))".replacing("...}", with: "}")
    }

    @Test("every route is an operation, and every operation a route")
    func paths() {
        let routes = routes.map(name)
        #expect(Set(routes).count == routes.count)
        #expect(routes.sorted() == operations.keys.sorted())
    }

    @Test("an operation needs the scope of its route")
    func scopes() {
        for route in routes {
            let name = name(of: route)
            let security = operations[name]?["security"]?.list
            switch route.access {
            // That of a session is in its path, where no scheme of OpenAPI has it.
            case .open, .session: #expect(security == [], "\(name)")
            // The mirror has a scope for each level.
            case .token(nil, _):
                let scopes: JSONValue = name == "GET /v1/mirror" ? ["mirror"] : []
                #expect(security == [["token": scopes]], "\(name)")
            case .token(let scope?, _): #expect(security == [["token": [.text(scope.rawValue)]]], "\(name)")
            }
        }
    }

    @Test("generators of clients find a name, a tag and texts for each operation")
    func names() {
        let tags = Set((document["tags"]?.list ?? []).compactMap { $0["name"]?.text })
        var names: Set<String> = []
        for (key, operation) in operations {
            let name = operation["operationId"]?.text ?? ""
            #expect(name.wholeMatch(of: #/[a-z][A-Za-z]+/#) != nil, "\(key)")
            #expect(names.insert(name).inserted, "\(name) twice")
            #expect(operation["tags"]?.list?.compactMap(\.text).filter(tags.contains).count == 1, "\(key)")
            for text in ["summary", "description"] { #expect(operation[text]?.text?.isEmpty == false, "\(key)") }
        }
    }

    @Test("an operation of a path with a part in braces has it as parameter")
    func parameters() {
        for (key, operation) in operations {
            let names = (operation["parameters"]?.list ?? []).filter { $0["in"]?.text == "path" }
                .compactMap { $0["name"]?.text }
            #expect(names == key.matches(of: #/\{(\w+)\}/#).map { String($0.1) }, "\(key)")
        }
    }

    @Test("problems, scopes and states of pairings are those of the program")
    func enumerations() {
        let prefix = "urn:inkpanel:problem:"
        let names = Problem.Name.allCases.map(\.rawValue) + Self.namesOfNginx
        #expect(
            values("components", "schemas", "Problem", "properties", "type", "enum")
                == names.map { prefix + $0 }.sorted())
        let scopes = Scope.allCases.filter { $0 != .admin }.map(\.rawValue)
        #expect(values("components", "schemas", "Scope", "enum") == scopes.sorted(), "sessions have no admin")
        #expect(
            values("components", "schemas", "PairingRequest", "properties", "scopes", "items", "enum")
                == Route.pairingScopes.map(\.rawValue).sorted())
        let states: [Pairings.State] = [.committed, .waiting, .shown, .allowed(nil), .denied, .failed("")]
        #expect(
            values("components", "schemas", "Pairing", "properties", "state", "enum")
                == states.map(Pairings.word).sorted())
    }
}
