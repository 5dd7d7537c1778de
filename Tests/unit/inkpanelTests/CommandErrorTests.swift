// SPDX-License-Identifier: Apache-2.0
import Control
import Formats
import Glibc
import HostAPI
import Linux
import Pad
import Record
import Screen
import TestSupport
import Testing
import Touch

@testable import inkpanel

@Suite("Command errors")
struct CommandErrorTests {
    @Test(
        "each error has its exit status of sysexits(3)",
        arguments: [
            (TouchError.refused(path: "/dev/input/event0", .byPolicy), EX_NOPERM),
            (TouchError.cannotOpen(path: "/dev/input/event0", .noSuchFile), EX_NOINPUT),
            (TouchError.notAnInputDevice(path: "/dev/null", .notATerminal), EX_NOINPUT),
            (TouchError.unusable(path: "/dev/input/event0", name: "mouse", reason: "is a mouse"), EX_DATAERR),
            (TouchError.deviceGone(path: "/dev/input/event0"), EX_UNAVAILABLE),
            (TouchError.readFailed(path: "/dev/input/event0", .inputOutput), EX_IOERR),
            (RecordingError.malformed(path: "x", line: 3, expected: "a time"), EX_DATAERR),
            (RecordingError.tooLarge(path: "x", line: 3), EX_DATAERR),
            (RecordingError.notAFile(path: "x"), EX_NOINPUT),
            (RecordingError.cannotOpen(path: "x", .permissionDenied), EX_NOPERM),
            (ScreenError.noCard, EX_UNAVAILABLE),
            (ScreenError.lostMaster(card: "/dev/dri/card0"), EX_UNAVAILABLE),
            (ScreenError.refused(card: "/dev/dri/card0", .byPolicy), EX_NOPERM),
            (ScreenError.closed(name: "DSI-1"), EX_IOERR),
            (ImportError.malformed("cut"), EX_DATAERR),
            (Errno.noSpace, EX_OSERR),
            (PanelClientError.notRunning(path: "/run/x"), EX_UNAVAILABLE),
            (PanelClientError.ended(path: "/run/x"), EX_UNAVAILABLE),
            (PanelClientError.denied(path: "/run/x"), EX_NOPERM),
            (PanelClientError.cannotConnect(path: "/run/x", .nameTooLong), EX_OSERR),
            (PanelClientError.notUnderstood(path: "/run/x", "not JSON"), EX_PROTOCOL),
            (PanelClientError.refused(.permissionDenied), EX_NOPERM),
            (PanelClientError.refused(.tooManyConnections), EX_TEMPFAIL),
            (PanelClientError.refused(.noSuchCapture("x")), EX_NOINPUT),
            (PanelClientError.refused(.notExportable(reason: "too large")), EX_DATAERR),
            (PanelClientError.refused(.storeFailed(reason: "full", isFull: true)), EX_IOERR),
            (PanelClientError.refused(.invalidParameter("signer")), EX_USAGE),
            (PanelClientError.refused(.tooSmallScreen(field: nil)), EX_UNAVAILABLE),
            (PanelClientError.refused(.methodNotFound("x")), EX_PROTOCOL),
            (ControlSocketError.noDirectory(path: "/run/a/b", directory: "/run/a/"), EX_CANTCREAT),
            (ControlSocketError.notASocket("/run/a"), EX_CONFIG),
            (ControlSocketError.inUse("/run/a"), EX_TEMPFAIL),
            (ControlSocketError.cannotGive(path: "/run/a", .notPermitted), EX_NOPERM),
            (ExportError.noInk, EX_DATAERR),
        ] as [(any Error, Int32)])
    func statuses(error: any Error, status: Int32) {
        let failure = CommandError(error)
        #expect(failure.status == status)
        #expect(!failure.message.isEmpty && !failure.message.contains("\n"))
    }

    @Test("a reason from a panel is printed on one line")
    func reason() {
        let error = CommandError(PanelClientError.refused(.unavailable(reason: "no\ninkpanel: accepted")))
        #expect(error.lines.count == 1)
    }

    @Test("an unwritable path is reported before long work")
    func outputCheck() throws {
        let directory = try TemporaryDirectory()
        for path in ["/none/x.png", ""] {
            let error = thrownError { try OutputFile.check(directory.path + path) } as? CommandError
            #expect(error?.status == EX_CANTCREAT, "\(path)")
        }
        try OutputFile.check(directory.path + "/x.png")
        try OutputFile.check("-")
        #expect(try directory.names() == [])
    }

    @Test("a write error names the file and leaves no file behind")
    func unwritable() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/none/picture.png"
        let error = thrownError { try OutputFile.write([1], to: path) }
        #expect((error as? CommandError)?.status == EX_CANTCREAT)
        #expect((error as? CommandError)?.message.contains(path) == true)
        #expect(try directory.names() == [])
    }
}
