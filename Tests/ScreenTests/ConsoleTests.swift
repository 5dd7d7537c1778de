// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import Testing

@testable import Screen

@Suite("Console")
struct ConsoleTests {
    /// A virtual terminal in text mode with an ordinary keyboard, which can refuse.
    private final class FakeTerminal {
        var mode: CInt = 0
        var keyboard: CInt = 3
        var openError: Errno?
        var setModeError: CInt = 0
        var setKeyboardError: CInt = 0
        var getError: CInt = 0
        private(set) var log: [String] = []

        private func answer(_ error: CInt) -> CInt {
            errno = error
            return error == 0 ? 0 : -1
        }

        var calls: TerminalCalls {
            TerminalCalls(
                open: { [self] path throws(Errno) in
                    if let openError { throw openError }
                    return try FileDescriptor(opening: "/dev/null", O_RDWR)
                },
                mode: { [self] _, mode in
                    mode = self.mode
                    return answer(getError)
                },
                setMode: { [self] _, mode in
                    if setModeError == 0 { self.mode = mode }
                    log.append("mode \(mode)")
                    return answer(setModeError)
                },
                keyboard: { [self] _, mode in
                    mode = keyboard
                    return answer(getError)
                },
                setKeyboard: { [self] _, mode in
                    if setKeyboardError == 0 { keyboard = mode }
                    log.append("keyboard \(mode)")
                    return answer(setKeyboardError)
                })
        }
    }

    @Test("is in graphics mode without keyboard while it is held, and as before afterwards")
    func restores() {
        let terminal = FakeTerminal()
        var console = Console(path: "/dev/tty1", calls: terminal.calls)
        #expect(console.outcome == .taken("/dev/tty1"))
        #expect(terminal.mode == 1 && terminal.keyboard == 4)
        console.restore()
        #expect(terminal.mode == 0 && terminal.keyboard == 3)
        console.restore()
        #expect(terminal.log.count == 4, "once")
    }

    @Test("is restored when the value ends")
    func ends() {
        let terminal = FakeTerminal()
        do { _ = Console(path: "/dev/tty1", calls: terminal.calls) }
        #expect(terminal.mode == 0 && terminal.keyboard == 3)
    }

    @Test("having no virtual terminal is no error", arguments: [ENOTTY, ENXIO, ENOENT])
    func absent(error: CInt) {
        let terminal = FakeTerminal()
        terminal.getError = error
        let console = Console(path: nil, calls: terminal.calls)
        #expect(console.outcome == .absent)
        #expect(terminal.log.isEmpty)
    }

    @Test("a terminal that is not ours to change is reported and left alone")
    func refused() {
        let terminal = FakeTerminal()
        terminal.setModeError = EPERM
        let console = Console(path: nil, calls: terminal.calls)
        #expect(console.outcome == .refused("standard input", .notPermitted))
        #expect(terminal.mode == 0 && terminal.keyboard == 3)
        #expect(console.outcome.description.contains("TTYPath"))
    }

    @Test("a keyboard that cannot be switched off leaves the terminal in text mode")
    func keyboardRefused() {
        let terminal = FakeTerminal()
        terminal.setKeyboardError = EPERM
        _ = Console(path: "/dev/tty1", calls: terminal.calls)
        #expect(terminal.mode == 0)
    }

    @Test("the process's own, whatever it is, is left as it was")
    func real() {
        var console = Console(path: "/dev/null")
        #expect(console.outcome == .refused("/dev/null", .notATerminal))
        console.restore()
    }
}
