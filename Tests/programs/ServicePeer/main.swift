// SPDX-License-Identifier: Apache-2.0
import Linux

// Prints the watchdog's interval, then sends a message to the service manager for each argument. The tests of
// ServiceManager start it, each in its own environment.
let manager = ServiceManager(log: Log())
print("watchdog \(manager.watchdogInterval.map { "\($0.components.seconds)" } ?? "none")")
for argument in CommandLine.arguments.dropFirst() {
    switch argument {
    case "ready": manager.ready()
    case "stopping": manager.stopping()
    case "ping": manager.pingWatchdog()
    default: manager.status(argument)
    }
}
