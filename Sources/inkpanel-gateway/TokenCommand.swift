// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Foundation
import HTTP
import Linux

struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Add, list and remove the tokens of hosts.",
        subcommands: [Add.self, List.self, Remove.self])

    static func check(name: String) throws {
        if let expectation = Token.expectation(ofName: name) {
            throw ValidationError("the name of a host is \(expectation)")
        }
    }

    /// The command that removes a token.
    static func removal(of name: String) -> String {
        "inkpanel-gateway token remove " + (name.hasPrefix("-") ? "-- " : "") + name.quotedForShell
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a token and print it. It is shown only this once.")

        @Option(help: "Name of the host that gets the token.")
        var name: String

        @Option(help: "What it may do: \(Scope.names). Repeat for several.")
        var scope: [Scope] = [.capture, .record, .panel]

        @Option(help: "Origin of the web pages that may use it, such as https://till.example. Repeat for several.")
        var origin: [String] = []

        @Option(help: "Days until it expires (default: never).")
        var days: Int?

        @Option(
            help: ArgumentHelp(
                "Token whose captures it may follow in the mirror, such as a till's for its clerk. Repeat for several.",
                valueName: "name"))
        var mirrors: [String] = []

        @OptionGroup var configuration: ConfigurationOption

        @OptionGroup var state: StateOption

        func validate() throws {
            if !mirrors.isEmpty, !scope.contains(where: { [.mirrorState, .mirrorPresence, .mirrorInk].contains($0) }) {
                throw ValidationError("--mirrors needs --scope mirror:state, mirror:presence or mirror:ink")
            }
            try TokenCommand.check(name: name)
            if let days, !(1...36500 ~= days) { throw ValidationError("--days is 1 to 36500") }
        }

        /// - Throws: for an origin that no request could have, or that the gateway would refuse.
        private func checkOrigins() throws {
            if origin.isEmpty { return }
            let settings = try configuration.settings()
            for text in origin {
                let checked: WebOrigin
                do throws(WebOriginError) { checked = try WebOrigin(text) } catch {
                    throw ValidationError("--origin \(text.printable): \(error)")
                }
                // Without a file, this is not the gateway's machine, or --config is missing.
                guard let gateway = settings?.gateway else { continue }
                // The port of nginx.conf. The gateway's pages need no --origin, and those of another port are named
                // in the configuration.
                let address = WebAddress(names: gateway.names, origins: gateway.origins)
                if let obstacle = address.obstacle(for: checked, scheme: "https", host: "localhost:8443") {
                    throw ValidationError("--origin: \(obstacle)")
                }
            }
        }

        func run() throws {
            try checkOrigins()
            let now = Date()
            let expires = days.map { now.addingTimeInterval(Double($0) * 86400) }
            var (token, text) = Token.make(name: name, scopes: Set(scope), origins: origin, expires: expires, now: now)
            try TokenFile(state: state.path).change { tokens in
                if tokens.contains(where: { $0.name == name }) {
                    throw ValidationError(
                        "there is a token \(name); remove it first: \(TokenCommand.removal(of: name))")
                }
                let mirrored = try mirrors.map { name in
                    guard let token = tokens.first(where: { $0.name == name }) else {
                        throw ValidationError("--mirrors: there is no token \(name); `token list` shows all")
                    }
                    return token.id
                }
                token.mirrors = mirrored.isEmpty ? nil : mirrored
                return tokens + [token]
            }
            print(text)
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the tokens, without their secrets.")

        @OptionGroup var state: StateOption

        func run() throws {
            let uses = LastUses(state: state.path)
            let tokens = try TokenFile(state: state.path).read()
            for token in tokens {
                let scopes = token.scopes.map(\.rawValue).sorted().joined(separator: " ")
                let expires = token.expires.map { "until " + $0.formatted(.iso8601) } ?? "no end"
                let used = uses.days[token.id].map { "used " + $0 } ?? "never used"
                let mirrors = (token.mirrors ?? []).map { id in
                    "mirrors " + (tokens.first { $0.id == id }?.name ?? "\(id), which was removed")
                }
                print(
                    ([token.name, token.id, scopes, expires, used] + token.origins + mirrors).joined(separator: "\t"))
            }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a token; its host is refused from now on.")

        @Argument(help: "Name of the token.")
        var name: String

        @OptionGroup var state: StateOption

        func run() throws {
            try TokenFile(state: state.path).change { tokens in
                let rest = tokens.filter { $0.name != name }
                if rest.count == tokens.count { throw ValidationError("there is no token \(name)") }
                return rest
            }
        }
    }
}

extension Scope: ExpressibleByArgument {}

extension String {
    /// The text as a word of a shell's command line.
    var quotedForShell: String {
        let isPlain = !isEmpty && utf8.allSatisfy { Self.plainCharacters.contains($0) }
        return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
    }

    private static let plainCharacters = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.,:/@+".utf8)
}
