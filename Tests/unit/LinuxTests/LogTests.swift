// SPDX-License-Identifier: Apache-2.0
import Glibc
import TestSupport
import Testing

@testable import Linux

@Suite("Log")
struct LogTests {
    @Test("a journal entry has its priority and its subject")
    func journal() {
        let plain = Log().entry(.error, "no card", [])
        #expect(plain == ["MESSAGE=no card", "PRIORITY=3", "SYSLOG_IDENTIFIER=inkpanel"])
        let fields = Log().entry(.info, "ready", [.display("HDMI-A-1"), .device("FT5406"), .capture("c-1")])
        #expect(
            Array(fields.dropFirst(3)) == [
                "INKPANEL_DISPLAY=HDMI-A-1", "INKPANEL_DEVICE=FT5406", "INKPANEL_CAPTURE=c-1",
            ])
        #expect(fields[1] == "PRIORITY=6")
    }

    @Test("a line for a person starts with the program's name")
    func terminal() {
        #expect(Log().line("slow") == "inkpanel: slow\n")
        let gateway = Log(identifier: "inkpanel-gateway")
        #expect(gateway.line("slow") == "inkpanel-gateway: slow\n")
        #expect(gateway.entry(.error, "slow", []).last == "SYSLOG_IDENTIFIER=inkpanel-gateway")
    }

    @Test("a newline in a message cannot start a line of its own")
    func newline() {
        #expect(Log().line("a\n<0>b\r\nc") == "inkpanel: a <0>b c\n")
        #expect(Log().entry(.error, "a\nPRIORITY=0", [])[0] == "MESSAGE=a PRIORITY=0")
    }

    @Test("messages contain no characters that control a terminal")
    func steering() {
        #expect(Log().line("\u{1B}]0;x\u{7}a\u{9B}2Jb\u{202E}c\u{7F}") == "inkpanel: �]0;x�a�2Jb�c�\n")
        #expect(Log().entry(.error, "\u{1B}c", [])[0] == "MESSAGE=�c")
    }

    @Test("control characters and bidirectional controls steer a terminal, letters of any script do not")
    func scalars() {
        let steering = (0...0x10FFFF).compactMap { Unicode.Scalar($0) }.filter(\.steersTerminal).map(\.value)
        let wanted =
            Array(0...0x1F) + Array(0x7F...0x9F) + [0x61C, 0x200E, 0x200F] + Array(0x202A...0x202E)
            + Array(0x2066...0x2069)
        #expect(steering == wanted.map { UInt32($0) })
        #expect("a\n\r\nb".printable == "a���b")
        #expect("a\n\r\nb".printableLines == "a\n�\nb")
        #expect(Unicode.Scalar(0x9B).escape == "\\u009B" && ("\u{202E}" as Unicode.Scalar).escape == "\\u202E")
    }

    @Test("only the stream named by the environment is the journal")
    func stream() throws {
        var ends: [CInt] = [0, 0]
        try retryingOnInterrupt { socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) }
        defer { for end in ends { close(end) } }
        var status = stat()
        #expect(fstat(ends[0], &status) == 0)
        let name = "\(status.st_dev):\(status.st_ino)"
        #expect(Log.isJournal(ends[0], stream: name))
        #expect(!Log.isJournal(ends[1], stream: name))
        #expect(!Log.isJournal(ends[0], stream: nil))
        #expect(!Log.isJournal(ends[0], stream: "\(status.st_dev):"))
        #expect(!Log.isJournal(-1, stream: name))
    }
}
