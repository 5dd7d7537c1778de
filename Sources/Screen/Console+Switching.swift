// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
public import Linux

// Alt+F2, chvt and a second session switch to another virtual terminal. Unasked, the kernel switches at once, and two
// programs believe that the screen is theirs; asked, we let go first, or say no.
//
//     release signal -> refuse(), or: no more flips, give up the card, release()
//     acquire signal -> take the card again, set the mode, acquired()
extension Console {
    /// From now on the kernel asks before it leaves our terminal, with signal `release`, and tells with signal
    /// `acquire` that the terminal is back. Both are for a ``SignalSet``, blocked since before any thread was started:
    /// `SIGUSR1` would end the program otherwise. Each is to be answered; until then the switch waits, and so does
    /// whoever asked for it.
    ///
    /// Call it on the main thread: the kernel asks the thread that called, and goes on without asking when it has
    /// ended. Over with ``restore()``, which lets a switch happen that still waits.
    /// - Parameters: signal numbers, 1 to 64.
    /// - Throws: ``Errno/notATerminal`` when no terminal was taken, ``Errno/invalidArgument`` for what is no signal;
    ///   ``Errno/notPermitted`` and its kin from the kernel, and then switching is as it was.
    public mutating func watchSwitching(release: CInt, acquire: CInt) throws(Errno) {
        // The kernel takes any number and then sends nothing.
        guard 1...64 ~= release, 1...64 ~= acquire else { throw .invalidArgument }
        guard terminal != nil else { throw .notATerminal }
        try terminal!.watchSwitching(release: release, acquire: acquire)
    }

    /// Lets the terminal go: the answer to the release signal, when nothing of ours touches the screen any more.
    /// - Throws: ``Errno/invalidArgument`` when no switch waits for an answer (any more): nothing is to be done.
    public func release() throws(Errno) { try answer(CLINUX_VT_ALLOW) }

    /// Stays: the other answer to the release signal. Nothing changes on the screen.
    /// - Throws: as ``release()``.
    public func refuse() throws(Errno) { try answer(CLINUX_VT_REFUSE) }

    /// Takes note that the terminal is back: the answer to the acquire signal. It is in graphics mode without keyboard
    /// still, which are the terminal's own and do not change by switching.
    /// - Throws: as ``release()``.
    public func acquired() throws(Errno) { try answer(CLINUX_VT_ACKNOWLEDGE) }

    /// Whether our terminal is shown now, so that the screen is ours to draw on; true where no terminal was taken. Asked
    /// after ``watchSwitching(release:acquire:)``, what changes later comes as a signal.
    public var isShown: Bool { terminal?.isShown ?? true }

    /// Asks for our terminal to be shown, as a display manager does when it starts. Whoever's is shown may refuse; when
    /// it is ours the acquire signal comes.
    /// - Throws: ``Errno/notATerminal`` when none was taken; ``Errno/notPermitted`` and its kin from the kernel.
    public func show() throws(Errno) {
        guard terminal != nil else { throw .notATerminal }
        try terminal!.show()
    }

    private func answer(_ answer: Int) throws(Errno) {
        guard terminal != nil else { throw .notATerminal }
        try terminal!.answer(answer)
    }
}
