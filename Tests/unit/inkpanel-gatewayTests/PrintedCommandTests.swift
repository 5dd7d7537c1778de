// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import inkpanel_gateway

@Suite("Commands that the gateway prints")
struct PrintedCommandTests {
    @Test(
        "commands that are printed can be copied",
        arguments: [
            ("till-3", "till-3"), ("Till 1", "'Till 1'"), ("O'Brien", "'O'\\''Brien'"), ("$(id)", "'$(id)'"),
            ("", "''"),
            ("a/b:c@d+e,f.g", "a/b:c@d+e,f.g"), ("\u{436}", "'\u{436}'"), ("a*", "'a*'"),
        ])
    func quoting(_ text: String, _ quoted: String) { #expect(text.quotedForShell == quoted) }
}
