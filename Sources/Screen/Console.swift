// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
public import Linux

/// The virtual terminal behind the picture: switched to graphics mode with its keyboard off, and restored afterwards.
///
/// While a display is on, text on the terminal is invisible because we are master of the card. But before the first
/// frame and after the last one the cursor blinks on the panel, and an attached keyboard types into the login behind
/// the picture. A process may change its controlling terminal only, or needs CAP_SYS_TTY_CONFIG: under systemd,
/// `TTYPath=` with `StandardInput=tty`. Having no terminal is normal over ssh and not an error.
///
/// The console text returns when the terminal is in text mode *and* the card is closed. In graphics mode the last frame
/// would stay on screen, so a program that dies must restore the terminal too, or run with `TTYReset=yes`.
public final class Console {
    /// The result of ``init(path:)``, for the log.
    public enum Outcome: Equatable, Sendable {
        /// The terminal is ours until ``restore()``.
        case taken(String)
        /// There is no virtual terminal, and none is needed.
        case absent
        /// There is one, but this process may not change it.
        case refused(String, Errno)
    }

    /// Stands for descriptor 0. Opening `/dev/stdin` instead would need permission, which the user of a service may not
    /// have for the terminal that systemd has opened for it.
    fileprivate static let standardInput = "standard input"

    public private(set) var outcome = Outcome.absent
    private let calls: TerminalCalls
    /// nil without a terminal, and after ``restore()``.
    private var descriptor: FileDescriptor?
    /// The modes to restore.
    private var (mode, keyboard) = (CInt(0), CInt(0))
    /// Whether the kernel asks before it switches away.
    private var isWatched = false

    /// Takes over the virtual terminal at `path`, or the process's own: standard input, else the controlling terminal.
    public convenience init(path: String? = nil) {
        self.init(path: path, calls: .kernel)
    }

    init(path: String?, calls: TerminalCalls) {
        self.calls = calls
        for candidate in path.map({ [$0] }) ?? [Self.standardInput, "/dev/tty"] {
            do {
                try take(candidate)
                outcome = .taken(candidate)
                return
            } catch {
                // Not a virtual terminal (a file, a pipe, a pseudo-terminal), or a system without them.
                let isAbsent = [ENOTTY, ENXIO, ENOENT, EINVAL, ENODEV, EIO].contains(error.code)
                if path != nil || !isAbsent, outcome == .absent { outcome = .refused(candidate, error) }
            }
        }
    }

    deinit { restore() }

    private func take(_ path: String) throws(Errno) {
        let opened = try calls.open(path)
        let number = opened.number
        // Read both modes before changing either: a state that cannot be read cannot be restored.
        try retryingOnInterrupt { calls.mode(number, &mode) }
        try retryingOnInterrupt { calls.keyboard(number, &keyboard) }
        try retryingOnInterrupt { calls.setMode(number, CInt(CLINUX_KD_GRAPHICS)) }
        do {
            try retryingOnInterrupt { calls.setKeyboard(number, CInt(CLINUX_K_OFF)) }
        } catch {
            _ = calls.setMode(number, mode)
            throw error
        }
        descriptor = consume opened
    }

    /// Restores the terminal, and lets a switch happen that still waits for an answer. A second call does nothing.
    public func restore() {
        guard let number = descriptor?.number else { return }
        if isWatched {
            // Let a waiting switch happen, because VT_SETMODE would forget it. Fails if none waits, as usual.
            _ = calls.answerSwitch(number, CInt(CLINUX_VT_ALLOW))
            _ = calls.unwatchSwitching(number)
        }
        // These fail if the terminal has hung up.
        _ = calls.setKeyboard(number, keyboard)
        _ = calls.setMode(number, mode)
        descriptor = nil
    }

    /// The descriptor's number.
    private func terminal() throws(Errno) -> CInt {
        guard let number = descriptor?.number else { throw .notATerminal }
        return number
    }

    // MARK: Switching
    //
    // Alt+F2, chvt and a second session switch to another virtual terminal. By default the kernel switches at once, and
    // two programs believe that they own the screen. With watchSwitching it asks first:
    //
    //     release signal -> refuse(), or: no more flips, close the card, release()
    //     acquire signal -> open the card again, set the mode, acquired()

    /// Makes the kernel ask with signal `release` before it switches away from our terminal, and send signal `acquire`
    /// when the terminal is shown again. Each must be answered; until then the switch waits. Both are for a
    /// ``SignalSet`` and must be blocked before any thread starts: `SIGUSR1` would end the program otherwise.
    ///
    /// Call it on the main thread: the kernel asks the thread that called, and stops asking when it has ended.
    /// ``restore()`` ends it.
    /// - Parameters: signal numbers, 1 to 64.
    /// - Throws: ``Errno/notATerminal`` if no terminal was taken over, ``Errno/invalidArgument`` for other numbers, and
    ///   the kernel's errors, e.g. ``Errno/notPermitted``. Switching is then unchanged.
    public func watchSwitching(release: CInt, acquire: CInt) throws(Errno) {
        // The kernel accepts any number but does not send such signals.
        guard 1...64 ~= release, 1...64 ~= acquire else { throw .invalidArgument }
        let number = try terminal()
        try retryingOnInterrupt { calls.watchSwitching(number, release, acquire) }
        isWatched = true
    }

    /// Answers the release signal: the switch may happen. The card must be closed by then.
    /// - Throws: ``Errno/invalidArgument`` if no switch waits for an answer; nothing needs to be done then.
    public func release() throws(Errno) { try answer(CLINUX_VT_ALLOW) }

    /// Answers the release signal: our terminal stays.
    /// - Throws: as ``release()``.
    public func refuse() throws(Errno) { try answer(CLINUX_VT_REFUSE) }

    /// Answers the acquire signal: our terminal is shown again. It is still in graphics mode without keyboard, because
    /// switching does not change a terminal's modes.
    /// - Throws: as ``release()``.
    public func acquired() throws(Errno) { try answer(CLINUX_VT_ACKNOWLEDGE) }

    /// Whether our terminal is shown, so that we may draw; true without a terminal or if the kernel does not say. After
    /// ``watchSwitching(release:acquire:)`` signals report changes.
    public var isShown: Bool {
        guard let number = descriptor?.number else { return true }
        return calls.isShown(number) != 0
    }

    /// Requests to show our terminal, as a display manager does when it starts. The program that is shown may refuse;
    /// otherwise the acquire signal follows.
    /// - Throws: ``Errno/notATerminal`` if no terminal was taken over; the kernel's errors, as ``Errno/notPermitted``.
    public func show() throws(Errno) {
        let number = try terminal()
        try retryingOnInterrupt { calls.show(number) }
    }

    private func answer(_ answer: Int) throws(Errno) {
        let number = try terminal()
        try retryingOnInterrupt { calls.answerSwitch(number, CInt(answer)) }
    }
}

extension Console.Outcome: CustomStringConvertible {
    public var description: String {
        switch self {
        case .taken(let path): "\(path): graphics mode, keyboard off"
        case .absent: "no virtual terminal to take over"
        case .refused(let path, let error):
            "\(path): cannot take over the terminal: \(error); under systemd set TTYPath= and StandardInput=tty"
        }
    }
}

/// The calls on terminals, replaceable in tests. Except `open` they return 0, or -1 with `errno`.
struct TerminalCalls {
    var open: (String) throws(Errno) -> FileDescriptor
    var mode: (CInt, inout CInt) -> CInt
    var setMode: (CInt, CInt) -> CInt
    var keyboard: (CInt, inout CInt) -> CInt
    var setKeyboard: (CInt, CInt) -> CInt
    /// Parameters: the terminal, the release and the acquire signal.
    var watchSwitching: (CInt, CInt, CInt) -> CInt
    var unwatchSwitching: (CInt) -> CInt
    var answerSwitch: (CInt, CInt) -> CInt
    /// 1 or 0.
    var isShown: (CInt) -> CInt
    var show: (CInt) -> CInt

    static var kernel: TerminalCalls {
        TerminalCalls(
            open: { path throws(Errno) in
                if path == Console.standardInput {
                    return FileDescriptor(
                        owning: try retryingOnInterrupt { fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, CInt(3)) })
                }
                // O_NOCTTY: opening a terminal must not make it our controlling terminal.
                return try FileDescriptor(opening: path, O_RDWR | O_NOCTTY | O_NONBLOCK)
            },
            mode: { clinux_kd_get_mode($0, &$1) }, setMode: { clinux_kd_set_mode($0, $1) },
            keyboard: { clinux_kd_get_keyboard($0, &$1) }, setKeyboard: { clinux_kd_set_keyboard($0, $1) },
            watchSwitching: { clinux_vt_watch($0, $1, $2) }, unwatchSwitching: { clinux_vt_unwatch($0) },
            answerSwitch: { clinux_vt_answer($0, $1) }, isShown: { clinux_vt_is_shown($0) },
            show: { clinux_vt_show($0) })
    }
}
