// SPDX-License-Identifier: Apache-2.0
import Ink

extension Pen {
    /// Every pen as it is, and with each of its switches and all of them.
    static let tested: [Pen] = PenName.allCases.flatMap { name in
        [Pen(name)] + PenSwitch.allCases.filter(name.switches.contains).map { Pen(name, switches: [$0]) }
            + (name.switches.isEmpty ? [] : [Pen(name, switches: name.switches)])
    }
}
