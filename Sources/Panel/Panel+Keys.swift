// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Pad
import Touch

/// The keyboards beside the screen.
extension Panel {
    /// Watches keyboards that have been plugged in.
    func addKeyboards() throws(Errno) {
        scansForKeys = false
        for descriptor in parts.keyboards?.scan() ?? [] { try poll.add(descriptor, token: Source.keys.rawValue) }
    }

    /// Reads the waiting keys, and sends them to the pad. On a dark screen people do not see what a key would press:
    /// there it only wakes the screen.
    func readKeys() throws {
        for key in parts.keyboards?.read() ?? [] where isStarted {
            guard try parts.power?.admitKey() ?? true else { continue }
            try parts.pad?.handle(.key(key))
        }
    }
}
