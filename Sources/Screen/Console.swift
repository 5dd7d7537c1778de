// SPDX-License-Identifier: Apache-2.0
import Glibc
public import Linux

/// The virtual terminal behind the picture: taken out of text mode, its keyboard off, and put back exactly as it was.
///
/// While a display is on, text on the terminal does not show (we are the card's master); but before the first frame and
/// after the last one its cursor blinks on the panel, and an attached keyboard types into the login behind the picture
/// without anybody seeing it. A process may do this to its controlling terminal only, or with CAP_SYS_TTY_CONFIG: under
/// systemd, `TTYPath=` with `StandardInput=tty`. Having no terminal is the rule over ssh and no error.
///
/// The console text comes back when the terminal is in text mode *and* the card is closed; in graphics mode the last
/// frame would stay and look alive. So a program that dies must restore it too, or be run with `TTYReset=yes`.
public struct Console: ~Copyable {
    /// What came of it, for the log.
    public enum Outcome: Equatable, Sendable {
        /// The terminal is ours until ``restore()``.
        case taken(String)
        /// No virtual terminal, and none is needed.
        case absent
        /// There is one, but this process may not change it.
        case refused(String, Errno)
    }

    public let outcome: Outcome
    var terminal: Terminal? = nil

    /// Takes the virtual terminal at `path`, or the process's own: standard input, else the controlling terminal.
    public init(path: String? = nil) {
        self.init(path: path, calls: .kernel)
    }

    init(path: String?, calls: TerminalCalls) {
        var refusal = Outcome.absent
        for candidate in path.map({ [$0] }) ?? [Terminal.standardInput, "/dev/tty"] {
            do {
                terminal = try Terminal(taking: candidate, calls)
                outcome = .taken(candidate)
                return
            } catch {
                // No terminal at all (a file, a pipe, a pseudo-terminal, a system without VTs) asks for nothing.
                let isAbsent = [ENOTTY, ENXIO, ENOENT, EINVAL, ENODEV, EIO].contains(error.code)
                if path != nil || !isAbsent, refusal == .absent { refusal = .refused(candidate, error) }
            }
        }
        outcome = refusal
    }

    /// Puts the terminal back. A second call does nothing; the end of the value does it too.
    public mutating func restore() { terminal = nil }
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
