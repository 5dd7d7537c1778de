// SPDX-License-Identifier: Apache-2.0
import Ink

extension Pen {
    /// Every pen as it is, and with each of its switches and all of them.
    static let tested: [Pen] = PenName.allCases.flatMap { name in
        [Pen(name)] + PenSwitch.allCases.filter(name.switches.contains).map { Pen(name, switches: [$0]) }
            + (name.switches.isEmpty ? [] : [Pen(name, switches: name.switches)])
    }

    // Here and not in the tests' arguments: Swift 6.0 crashes over a closure there.

    /// Every pen as it is, and with all of its switches.
    static let plainOrChanged = tested.filter { $0.switches.isEmpty || $0.switches == $0.name.switches }
    static let tutorials = tested.filter { $0.name != .ink }
}
