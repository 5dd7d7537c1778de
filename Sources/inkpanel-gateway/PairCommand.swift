// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Gateway
import Glibc
import HTTP
import Linux

struct PairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Let one host pair while this command runs.",
        discussion: """
            The host then asks with this name, and a person at the pad compares six digits and presses Allow. The \
            command ends when the host has its token, after some minutes, or with Ctrl-C. Nobody can pair otherwise.
            """)

    /// Seconds between two looks, and tries to open pairing while the gateway looks.
    private static let interval = 0.5
    private static let attempts = 10

    @Argument(help: "Name of the host that gets the token.")
    var name: String

    @Option(help: "Minutes until pairing is closed.")
    var minutes = 5

    @OptionGroup var state: StateOption

    func validate() throws {
        try TokenCommand.check(name: name)
        if !(1...60 ~= minutes) { throw ValidationError("--minutes is 1 to 60") }
    }

    func run() throws {
        let file = TokenFile(state: state.path)
        if try hasToken(file) {
            throw ValidationError("there is a token \(name); remove it first: \(TokenCommand.removal(of: name))")
        }
        let window = try open()
        print(
            "pairing is open for \(name) for \(minutes) min; on the host: python3 inkpanel.py "
                + "https://PAD:8443 --name\(name.hasPrefix("-") ? "=" : " ")\(name.quotedForShell)")
        fflush(nil)
        let end = ContinuousClock.now + .seconds(60 * minutes)
        while .now < end {
            if try hasToken(file) { return print("\(name) is paired") }
            Foundation.Thread.sleep(forTimeInterval: Self.interval)
        }
        _ = consume window
        throw ValidationError("\(name) was not paired within \(minutes) min; pairing is closed")
    }

    private func hasToken(_ file: TokenFile) throws -> Bool { try file.read().contains { $0.name == name } }

    private func open() throws -> LockedFile {
        var failure = Errno.wouldBlock
        for _ in 0..<Self.attempts {
            do throws(Errno) { return try PairingWindow(state: state.path).open(for: name) } catch { failure = error }
            guard failure == .wouldBlock else { break }
            Foundation.Thread.sleep(forTimeInterval: Self.interval / 10)
        }
        if failure == .wouldBlock { throw ValidationError("pairing is open already: another such command runs") }
        Log().error("cannot open pairing in \(state.path): \(failure); run this as root or as the gateway's user")
        throw ExitCode(failure == .permissionDenied ? EX_NOPERM : EX_UNAVAILABLE)
    }
}
