// SPDX-License-Identifier: Apache-2.0
import Control
import ControlFixtures
import Glibc
import Linux
import Record
import Store

// A server with a pad and a scripted person, for independent clients (Tests/system/Control). It writes "ready" to
// standard output when it listens, and ends on SIGTERM.

/// - Parameters:
///   - path: of the socket; "-" uses the one from the service manager.
///   - act: for requests whose reason is not an act; nil runs their captures until a host ends them.
///   - gateway: the user of the gateway, nil for none.
func serve(_ path: String, store folder: String, act: PadFixture.Act?, gateway: ControlUser?) throws {
    try SignalSet.block(SignalSet.ending)
    let group = ControlGroup(number: getegid())
    let socket: ControlSocket
    if path == "-" {
        guard let inherited = try ControlSocket.inherited() else { throw ControlSocketError.inheritance("none came") }
        socket = inherited
    } else {
        socket = try ControlSocket.listen(path: path, group: group)
    }
    let store = try CaptureStore(at: folder)
    let link = try ControlLink()
    let pad = try PadFixture(link: link, store: store, standardAct: act)
    let server = try ControlServer(
        socket: socket, link: link, access: AccessRule(group: group, gateway: gateway), store: store,
        info: ServiceInfo(version: "1"))
    let thread = try Linux.Thread(name: "main") { try? pad.run() }
    let signals = try SignalSet([SIGTERM])
    let poll = try EventPoll()
    try poll.add(signals.number, token: 0)
    // Only now it has all descriptors that it needs: tests leave it few.
    print("ready")
    fflush(nil)

    while signals.next() == nil { _ = try poll.wait() }
    pad.finish()
    thread.join()
    server.stop()
}

let arguments = CommandLine.arguments
guard (3...5).contains(arguments.count) else {
    print("usage: control-peer SOCKET STORE [ACT|- [GATEWAY]]")
    exit(EX_USAGE)
}
do {
    try serve(
        arguments[1], store: arguments[2],
        act: arguments.count > 3 ? PadFixture.Act(rawValue: arguments[3]) : nil,
        gateway: try arguments.count > 4 ? ControlUser(named: arguments[4]) : nil)
} catch {
    print("\(error)")
    exit(EX_CANTCREAT)
}
