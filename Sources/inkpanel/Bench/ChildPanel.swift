// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// This very program, started as a panel of its own and looked at from outside.
struct ChildPanel: ~Copyable {
    private let pid: pid_t
    private let output: FileDescriptor
    /// Where its files are: for as long as it runs.
    private let folder: TemporaryFolder

    /// Starts it; its messages come to us.
    init(arguments: [String], in folder: TemporaryFolder) throws(Errno) {
        var ends: [CInt] = [0, 0]
        try retryingOnInterrupt { pipe(&ends) }
        let readEnd = FileDescriptor(owning: ends[0])
        let writeEnd = FileDescriptor(owning: ends[1])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, writeEnd.number, STDERR_FILENO)
        posix_spawn_file_actions_addclose(&actions, readEnd.number)
        var argv: [UnsafeMutablePointer<CChar>?] = (["inkpanel"] + arguments).map { strdup($0) }
        defer { for argument in argv { free(argument) } }
        argv.append(nil)
        var pid = pid_t()
        let error = posix_spawn(&pid, "/proc/self/exe", &actions, nil, argv, environ)
        guard error == 0 else { throw Errno(code: error) }
        self.pid = pid
        self.folder = folder
        output = readEnd
    }

    deinit {
        kill(pid, SIGTERM)
        waitpid(pid, nil, 0)
    }

    /// Blocks until it has said that its first frame is shown.
    /// - Returns: nil, or what it said last when it ended without that.
    func waitUntilReady() throws(Errno) -> String? {
        var said: [UInt8] = []
        var last = ""
        var byte: UInt8 = 0
        while true {
            let count = try retryingOnInterrupt { read(output.number, &byte, 1) }
            if count == 0 { return last }
            said.append(byte)
            if byte == UInt8(ascii: "\n") {
                last = String(decoding: said.dropLast(), as: UTF8.self)
                if last.split(separator: " ").contains(where: { $0.hasSuffix("ready:") }) { return nil }
                said.removeAll()
            }
        }
    }

    /// How often its threads were switched in or out so far: each is a wake-up.
    func contextSwitches() -> Int {
        var sum = 0
        for thread in (try? Directory.names(of: "/proc/\(pid)/task")) ?? [] {
            let status = "/proc/\(pid)/task/\(thread)/status"
            sum += Self.value(of: "voluntary_ctxt_switches", in: status) ?? 0
            sum += Self.value(of: "nonvoluntary_ctxt_switches", in: status) ?? 0
        }
        return sum
    }

    /// Resident memory in KiB.
    func residentKibibytes() -> Int { Self.value(of: "VmRSS", in: "/proc/\(pid)/status") ?? 0 }

    private static func value(of key: String, in path: String) -> Int? {
        guard let bytes = try? InputFile.read(path, maximumByteCount: 1 << 16) else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix(key + ":") {
            return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
        }
        return nil
    }
}
