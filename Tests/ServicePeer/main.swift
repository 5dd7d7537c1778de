// SPDX-License-Identifier: Apache-2.0
import Linux

// Tells the service manager what its arguments say, one after the other, in an environment of its own; the tests of
// ServiceManager start it. Says first how often the watchdog wants to hear of it.
let manager = ServiceManager(log: Log())
print("watchdog \(manager.watchdogIntervalNanoseconds.map { "\($0)" } ?? "none")")
for argument in CommandLine.arguments.dropFirst() {
    switch argument {
    case "ready": manager.ready()
    case "stopping": manager.stopping()
    case "ping": manager.pingWatchdog()
    default: manager.status(argument)
    }
}
