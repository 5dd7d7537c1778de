// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Linux

@Suite("Log")
struct LogTests {
    @Test("a line for the journal starts with its priority")
    func journal() {
        #expect(Log(isJournal: true).line(.error, "no card") == "<3>no card\n")
        #expect(Log(isJournal: true).line(.info, "ready") == "<6>ready\n")
    }

    @Test("a line for a person starts with the program's name")
    func terminal() {
        #expect(Log(isJournal: false).line(.warning, "slow") == "inkpanel: slow\n")
    }

    @Test("a newline in a message cannot start a line of its own")
    func newline() {
        #expect(Log(isJournal: true).line(.error, "a\n<0>b\r\nc") == "<3>a <0>b c\n")
    }
}
