// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import Record
import Screen
import TestSupport
import Testing
import Touch

@testable import inkpanel

@Suite("Command errors")
struct CommandErrorTests {
    @Test(
        "each failure has the exit status that sysexits(3) has for it",
        arguments: [
            (TouchError.cannotOpen(path: "/dev/input/event0", .permissionDenied), EX_NOPERM),
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
            (ScreenError.cannotOpen(card: "/dev/dri/card0", .permissionDenied), EX_NOPERM),
            (ScreenError.closed(name: "DSI-1"), EX_IOERR),
            (ImportError.malformed("cut"), EX_DATAERR),
            (Errno.noSpace, EX_OSERR),
        ] as [(any Error, Int32)])
    func statuses(error: any Error, status: Int32) {
        let failure = CommandError(error)
        #expect(failure.status == status)
        #expect(!failure.message.isEmpty && !failure.message.contains("\n"))
    }

    @Test("an output that cannot be written is named, and nothing is left of it")
    func unwritable() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/none/picture.png"
        let error = thrownError { try OutputFile.write([1], to: path) }
        #expect((error as? CommandError)?.status == EX_CANTCREAT)
        #expect((error as? CommandError)?.message.contains(path) == true)
        #expect(try directory.names() == [])
    }
}
