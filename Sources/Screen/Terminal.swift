// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import Linux

/// A virtual terminal in graphics mode without keyboard; as it was before when the object ends. (A class, because Swift
/// 6.0 cannot borrow a move-only value out of ``Console``'s optional for a call that throws.)
final class Terminal {
    /// Stands for descriptor 0. Opening `/dev/stdin` instead would ask for permission again, which a service's user
    /// need not have for a terminal that was opened for it.
    static let standardInput = "standard input"

    private let descriptor: FileDescriptor
    private let calls: TerminalCalls
    private let mode: CInt
    private let keyboard: CInt
    /// Whether the kernel asks us before it leaves the terminal.
    private var isWatched = false

    /// - Throws: `ENOTTY` and its kin when this is no virtual terminal; `EPERM` when it is not ours to change.
    init(taking path: String, _ calls: TerminalCalls) throws(Errno) {
        let descriptor = try calls.open(path)
        let number = descriptor.number
        var mode: CInt = 0
        var keyboard: CInt = 0
        // Both are asked before either is changed: what cannot be put back is not touched.
        try retryingOnInterrupt { calls.mode(number, &mode) }
        try retryingOnInterrupt { calls.keyboard(number, &keyboard) }
        try retryingOnInterrupt { calls.setMode(number, CInt(CLINUX_KD_GRAPHICS)) }
        do {
            try retryingOnInterrupt { calls.setKeyboard(number, CInt(CLINUX_K_OFF)) }
        } catch {
            _ = calls.setMode(number, mode)
            throw error
        }
        self.descriptor = consume descriptor
        self.calls = calls
        self.mode = mode
        self.keyboard = keyboard
    }

    /// From now on the kernel asks with signals; see ``Console/watchSwitching(release:acquire:)``.
    func watchSwitching(release: CInt, acquire: CInt) throws(Errno) {
        try retryingOnInterrupt { calls.watchSwitching(descriptor.number, release, acquire) }
        isWatched = true
    }

    /// `VT_RELDISP` with one of `CLINUX_VT_*`.
    func answer(_ answer: Int) throws(Errno) {
        try retryingOnInterrupt { calls.answerSwitch(descriptor.number, CInt(answer)) }
    }

    /// Whether it is the one that is shown now; one that does not say is.
    var isShown: Bool { calls.isShown(descriptor.number) != 0 }

    /// Asks for it to be shown; whoever is may refuse.
    func show() throws(Errno) { try retryingOnInterrupt { calls.show(descriptor.number) } }

    deinit {
        if isWatched {
            // Whoever waits for us to let go is not kept waiting by our end: VT_SETMODE would forget the switch.
            // Usually nobody does, and the kernel refuses.
            _ = calls.answerSwitch(descriptor.number, CInt(CLINUX_VT_ALLOW))
            _ = calls.unwatchSwitching(descriptor.number)
        }
        // A terminal that has hung up is beyond restoring.
        _ = calls.setKeyboard(descriptor.number, keyboard)
        _ = calls.setMode(descriptor.number, mode)
    }
}

/// The calls on terminals, replaceable in tests. Those of linux/kd.h and linux/vt.h answer 0, or -1 with `errno`.
struct TerminalCalls {
    var open: (String) throws(Errno) -> FileDescriptor
    var mode: (CInt, inout CInt) -> CInt
    var setMode: (CInt, CInt) -> CInt
    var keyboard: (CInt, inout CInt) -> CInt
    var setKeyboard: (CInt, CInt) -> CInt
    /// The terminal, and the signals for leaving and coming back.
    var watchSwitching: (CInt, CInt, CInt) -> CInt
    var unwatchSwitching: (CInt) -> CInt
    var answerSwitch: (CInt, CInt) -> CInt
    /// 1 or 0.
    var isShown: (CInt) -> CInt
    var show: (CInt) -> CInt

    static var kernel: TerminalCalls {
        TerminalCalls(
            open: { path throws(Errno) in
                if path == Terminal.standardInput {
                    return FileDescriptor(
                        owning: try retryingOnInterrupt { fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, CInt(3)) })
                }
                // NOCTTY: looking at a terminal must not make it ours.
                return try FileDescriptor(opening: path, O_RDWR | O_NOCTTY | O_NONBLOCK)
            },
            mode: { clinux_kd_get_mode($0, &$1) }, setMode: { clinux_kd_set_mode($0, $1) },
            keyboard: { clinux_kd_get_keyboard($0, &$1) }, setKeyboard: { clinux_kd_set_keyboard($0, $1) },
            watchSwitching: { clinux_vt_watch($0, $1, $2) }, unwatchSwitching: { clinux_vt_unwatch($0) },
            answerSwitch: { clinux_vt_answer($0, $1) }, isShown: { clinux_vt_is_shown($0) },
            show: { clinux_vt_show($0) })
    }
}
