// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import Testing

@testable import Screen

@Suite("Console")
struct ConsoleTests {
    /// A virtual terminal in text mode with an ordinary keyboard, which can refuse.
    private final class FakeTerminal {
        /// The signals of a watched terminal.
        private(set) var watch: [CInt]?
        /// A switch to another terminal that waits for an answer, or one back that waits to be noted.
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
                    // As vt_ioctl() does: a switch that waited is forgotten.
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

    @Test("a switch to another terminal is refused, or allowed and noted when it comes back")
    func switching() throws {
        let terminal = FakeTerminal()
        var console = Console(path: "/dev/tty1", calls: terminal.calls)
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

    @Test("says whether it is shown, and takes a terminal that does not say for shown", arguments: [1, 0, -1] as [CInt])
    func shown(answer: CInt) {
        let terminal = FakeTerminal()
        terminal.shown = answer
        let console = Console(path: "/dev/tty1", calls: terminal.calls)
        let isShown = console.isShown
        #expect(isShown == (answer != 0))
    }

    @Test("asks to be shown")
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

    @Test("an answer that nobody waits for is an error and changes nothing")
    func unaskedAnswer() throws {
        let terminal = FakeTerminal()
        var console = Console(path: "/dev/tty1", calls: terminal.calls)
        #expect(throws: Errno.invalidArgument) { try console.release() }
        try console.watchSwitching(release: SIGUSR1, acquire: SIGUSR2)
        #expect(throws: Errno.invalidArgument) { try console.release() }
        #expect(throws: Errno.invalidArgument) { try console.refuse() }
        #expect(throws: Errno.invalidArgument) { try console.acquired() }
        #expect(terminal.switches.isEmpty)
    }

    @Test("a switch that waits when the panel ends happens")
    func switchAtTheEnd() throws {
        let terminal = FakeTerminal()
        var console = Console(path: "/dev/tty1", calls: terminal.calls)
        try console.watchSwitching(release: SIGUSR1, acquire: SIGUSR2)
        terminal.pendingSwitch = "leave"
        console.restore()
        #expect(terminal.switches == ["left"] && terminal.watch == nil)
    }

    @Test("without a terminal there is nothing to watch")
    func watchingNothing() {
        let terminal = FakeTerminal()
        terminal.getError = ENOTTY
        var console = Console(path: nil, calls: terminal.calls)
        #expect(throws: Errno.notATerminal) { try console.watchSwitching(release: SIGUSR1, acquire: SIGUSR2) }
        #expect(throws: Errno.notATerminal) { try console.release() }
        #expect(terminal.watch == nil)
        let isShown = console.isShown
        #expect(isShown, "nothing else can be")
    }

    @Test("what is no signal, or what the kernel refuses, leaves switching as it was")
    func refusedWatch() throws {
        let terminal = FakeTerminal()
        var console = Console(path: "/dev/tty1", calls: terminal.calls)
        #expect(throws: Errno.invalidArgument) { try console.watchSwitching(release: 0, acquire: SIGUSR2) }
        #expect(throws: Errno.invalidArgument) { try console.watchSwitching(release: SIGUSR1, acquire: 65) }
        terminal.watchError = EPERM
        #expect(throws: Errno.notPermitted) { try console.watchSwitching(release: SIGUSR1, acquire: SIGUSR2) }
        console.restore()
        #expect(terminal.watch == nil && terminal.switches.isEmpty)
        #expect(terminal.mode == 0 && terminal.keyboard == 3)
    }
}
