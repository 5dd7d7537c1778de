// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import Testing

@testable import Screen

@Suite("Console")
struct ConsoleTests {
    /// A simulated virtual terminal in text mode whose calls can fail.
    private final class FakeTerminal {
        /// The release and the acquire signal.
        private(set) var watch: [CInt]?
        /// `leave` or `return`: a switch that waits for an answer.
        var pendingSwitch: String?
        private(set) var switches: [String] = []
        var watchError: CInt = 0
        var shown: CInt = 1
        var showError: CInt = 0
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
                },
                watchSwitching: { [self] _, release, acquire in
                    if watchError == 0 { watch = [release, acquire] }
                    return answer(watchError)
                },
                unwatchSwitching: { [self] _ in
                    // Like vt_ioctl(), which forgets a waiting switch.
                    if pendingSwitch != nil { switches.append("forgotten") }
                    pendingSwitch = nil
                    watch = nil
                    return 0
                },
                answerSwitch: { [self] _, code in
                    let answers: [CInt: (String, String)] = [
                        0: ("leave", "refused"), 1: ("leave", "left"), 2: ("return", "returned"),
                    ]
                    guard watch != nil, let (wanted, done) = answers[code], wanted == pendingSwitch else {
                        return answer(EINVAL)
                    }
                    pendingSwitch = nil
                    switches.append(done)
                    return answer(0)
                }, isShown: { [self] _ in shown },
                show: { [self] _ in
                    if showError == 0 { shown = 1 }
                    return answer(showError)
                })
        }
    }

    @Test("sets graphics mode without keyboard, and restores both")
    func restores() {
        let terminal = FakeTerminal()
        let console = Console(path: "/dev/tty1", calls: terminal.calls)
        #expect(console.outcome == .taken("/dev/tty1"))
        #expect(terminal.mode == 1 && terminal.keyboard == 4)
        console.restore()
        #expect(terminal.mode == 0 && terminal.keyboard == 3)
        console.restore()
        #expect(terminal.log.count == 4, "once")
    }

    @Test("the end of the object restores the terminal")
    func ends() {
        let terminal = FakeTerminal()
        do { _ = Console(path: "/dev/tty1", calls: terminal.calls) }
        #expect(terminal.mode == 0 && terminal.keyboard == 3)
    }

    @Test("having no virtual terminal is not an error", arguments: [ENOTTY, ENXIO, ENOENT])
    func absent(error: CInt) {
        let terminal = FakeTerminal()
        terminal.getError = error
        let console = Console(path: nil, calls: terminal.calls)
        #expect(console.outcome == .absent)
        #expect(terminal.log.isEmpty)
    }

    @Test("a terminal without permission is reported and left alone")
    func refused() {
        let terminal = FakeTerminal()
        terminal.setModeError = EPERM
        let console = Console(path: nil, calls: terminal.calls)
        #expect(console.outcome == .refused("standard input", .notPermitted))
        #expect(terminal.mode == 0 && terminal.keyboard == 3)
        #expect(console.outcome.description.contains("TTYPath"))
    }

    @Test("if the keyboard cannot be switched off, the terminal stays in text mode")
    func keyboardRefused() {
        let terminal = FakeTerminal()
        terminal.setKeyboardError = EPERM
        _ = Console(path: "/dev/tty1", calls: terminal.calls)
        #expect(terminal.mode == 0)
    }

    @Test("a real file that is not a terminal is left alone")
    func real() {
        let console = Console(path: "/dev/null")
        #expect(console.outcome == .refused("/dev/null", .notATerminal))
        console.restore()
    }

    @Test("refuses a switch, or allows it and acknowledges the way back")
    func switching() throws {
        let terminal = FakeTerminal()
        let console = Console(path: "/dev/tty1", calls: terminal.calls)
        try console.watchSwitching(release: SIGUSR1, acquire: SIGUSR2)
        #expect(terminal.watch == [SIGUSR1, SIGUSR2])
        terminal.pendingSwitch = "leave"
        try console.refuse()
        terminal.pendingSwitch = "leave"
        try console.release()
        terminal.pendingSwitch = "return"
        try console.acquired()
        #expect(terminal.switches == ["refused", "left", "returned"])
        #expect(terminal.mode == 1 && terminal.keyboard == 4, "switching leaves the terminal's modes alone")
        console.restore()
        #expect(terminal.watch == nil && terminal.mode == 0 && terminal.keyboard == 3)
    }

    @Test("reports whether it is shown; yes if the kernel does not say", arguments: [1, 0, -1] as [CInt])
    func shown(answer: CInt) {
        let terminal = FakeTerminal()
        terminal.shown = answer
        let console = Console(path: "/dev/tty1", calls: terminal.calls)
        let isShown = console.isShown
        #expect(isShown == (answer != 0))
    }

    @Test("requests to be shown")
    func show() throws {
        let terminal = FakeTerminal()
        terminal.shown = 0
        let console = Console(path: "/dev/tty1", calls: terminal.calls)
        terminal.showError = EPERM
        #expect(throws: Errno.notPermitted) { try console.show() }
        terminal.showError = 0
        try console.show()
        let isShown = console.isShown
        #expect(isShown)
    }

    @Test("an answer without a waiting switch is an error and changes nothing")
    func unaskedAnswer() throws {
        let terminal = FakeTerminal()
        let console = Console(path: "/dev/tty1", calls: terminal.calls)
        #expect(throws: Errno.invalidArgument) { try console.release() }
        try console.watchSwitching(release: SIGUSR1, acquire: SIGUSR2)
        #expect(throws: Errno.invalidArgument) { try console.release() }
        #expect(throws: Errno.invalidArgument) { try console.refuse() }
        #expect(throws: Errno.invalidArgument) { try console.acquired() }
        #expect(terminal.switches.isEmpty)
    }

    @Test("restoring allows a waiting switch")
    func switchAtTheEnd() throws {
        let terminal = FakeTerminal()
        let console = Console(path: "/dev/tty1", calls: terminal.calls)
        try console.watchSwitching(release: SIGUSR1, acquire: SIGUSR2)
        terminal.pendingSwitch = "leave"
        console.restore()
        #expect(terminal.switches == ["left"] && terminal.watch == nil)
    }

    @Test("without a terminal watching fails and the screen is ours")
    func watchingNothing() {
        let terminal = FakeTerminal()
        terminal.getError = ENOTTY
        let console = Console(path: nil, calls: terminal.calls)
        #expect(throws: Errno.notATerminal) { try console.watchSwitching(release: SIGUSR1, acquire: SIGUSR2) }
        #expect(throws: Errno.notATerminal) { try console.release() }
        #expect(terminal.watch == nil)
        let isShown = console.isShown
        #expect(isShown, "there is no other terminal")
    }

    @Test("an invalid signal or an error of the kernel leaves switching unchanged")
    func refusedWatch() throws {
        let terminal = FakeTerminal()
        let console = Console(path: "/dev/tty1", calls: terminal.calls)
        #expect(throws: Errno.invalidArgument) { try console.watchSwitching(release: 0, acquire: SIGUSR2) }
        #expect(throws: Errno.invalidArgument) { try console.watchSwitching(release: SIGUSR1, acquire: 65) }
        terminal.watchError = EPERM
        #expect(throws: Errno.notPermitted) { try console.watchSwitching(release: SIGUSR1, acquire: SIGUSR2) }
        console.restore()
        #expect(terminal.watch == nil && terminal.switches.isEmpty)
        #expect(terminal.mode == 0 && terminal.keyboard == 3)
    }
}
