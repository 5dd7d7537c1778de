// SPDX-License-Identifier: Apache-2.0

/// The words of the kernel's command line that keep a panel's screen silent: kernel-parameters.txt of Linux,
/// kernel-command-line(7) of systemd.
enum KernelWords {
    static let all = [
        "quiet", "loglevel=3", "systemd.show_status=false", "vt.global_cursor_default=0", "logo.nologo",
        "consoleblank=0",
    ]

    /// cmdline.txt of a Raspberry Pi, one line, with ``all``. A word of the same key is replaced. Messages leave the
    /// panel's terminal if there is another console.
    static func adding(to line: String) -> String {
        var words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        for word in all where !words.contains(word) {
            if let index = words.firstIndex(where: { key(of: $0) == key(of: word) }) {
                words[index] = word
            } else {
                words.append(word)
            }
        }
        if words.contains(where: { $0.hasPrefix("console=") && $0 != console }) { words.removeAll { $0 == console } }
        return words.joined(separator: " ") + "\n"
    }

    /// Removes from `line` what ``adding(to:)`` has added to `before`, which gave `after`. Somebody may have edited the
    /// line since.
    static func undoing(in line: String, before: String, after: String) -> String {
        if line == after { return before }
        let (old, new) = (list(before), list(after))
        var words = list(line).filter { old.contains($0) || !new.contains($0) }
        words += old.filter { word in
            !new.contains(word) && !words.contains { key(of: $0) == key(of: word) && word != console }
                && !words.contains(word)
        }
        return words.joined(separator: " ") + "\n"
    }

    /// A file that grub-mkconfig of Debian reads after /etc/default/grub.
    static let grub =
        "# Written by inkpanel setup kiosk.\n"
        + "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT \(all.joined(separator: " "))\"\n"

    private static let console = "console=tty1"

    private static func list(_ line: String) -> [String] { line.split(whereSeparator: \.isWhitespace).map(String.init) }

    private static func key(of word: String) -> Substring { word.prefix { $0 != "=" } }
}
