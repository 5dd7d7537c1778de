// SPDX-License-Identifier: Apache-2.0
import Fleet

/// The panel in a fleet, a process of its own, so that a network never reaches the panel's. The commands are in the
/// library, where tests reach them.
@main
enum Main {
    static func main() { FleetCommand.main() }
}
