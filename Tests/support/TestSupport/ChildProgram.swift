// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// Runs a program in its own process, for tests that change the environment or end a process.
public enum ChildProgram {
    /// The path of a program built with the tests. `swift test` runs them from the products folder. INKPANEL_DOCUMENT
    /// in the environment is another inkpanel-document: that has less room for addresses than sanitizers take.
    public static func path(of product: String) throws -> String {
        if product == "inkpanel-document", let other = getenv("INKPANEL_DOCUMENT") { return String(cString: other) }
        guard let path = realpath("/proc/self/exe", nil) else { throw Errno.current }
        defer { free(path) }
        let runner = String(cString: path)
        return runner[..<(runner.lastIndex(of: "/") ?? runner.startIndex)] + "/" + product
    }

    /// Runs a program to its end.
    /// - Parameters:
    ///   - command: the program's path and its arguments.
    ///   - environment: items of the form NAME=VALUE; nil means that of the tests.
    /// - Returns: the status of waitpid(2), and the text on both outputs.
    public static func run(
        _ command: [String], environment: [String]? = nil
    ) throws -> (status: CInt, output: String) {
        var ends: [CInt] = [0, 0]
        try retryingOnInterrupt { pipe(&ends) }
        let reading = FileDescriptor(owning: ends[0])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
        for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
        var argv: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = (environment ?? []).map { strdup($0) } + [nil]
        defer { for text in argv + variables { free(text) } }
        var pid = pid_t()
        let error =
            environment == nil
            ? posix_spawn(&pid, command[0], &actions, nil, &argv, environ)
            : posix_spawn(&pid, command[0], &actions, nil, &argv, &variables)
        close(ends[1])
        if error != 0 { throw Errno(code: error) }
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = try reading.read(into: &chunk)
            if count == 0 { break }
            output += chunk[..<count]
        }
        var status: CInt = 0
        try retryingOnInterrupt { waitpid(pid, &status, 0) }
        return (status, String(decoding: output, as: UTF8.self))
    }
}
