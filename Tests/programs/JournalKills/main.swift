// SPDX-License-Identifier: Apache-2.0
//
// Tests that need processes of their own: a writer that is killed at any moment, and a file system that
// fills up. They are a program because it forks, which a process with the threads of the test library must not, and
// because a limit of file sizes holds for a whole process.
import Glibc

let arguments = CommandLine.arguments
do {
    switch (arguments.dropFirst().first, arguments.count) {
    case ("kill", 6):
        guard let count = Int(arguments[3]), let seed = UInt64(arguments[4]),
            let protection = Kills.Protection(rawValue: arguments[5])
        else { throw Failure("not a number, or not plain, sealed, encrypted or delivered") }
        var kills = try Kills(in: arguments[2], seed: seed, protection)
        for _ in 0..<count { try kills.once() }
        print(kills.summary)
    case ("step", 4):
        guard let protection = Kills.Protection(rawValue: arguments[3]) else {
            throw Failure("not plain, sealed, encrypted or delivered")
        }
        var kills = try Kills(in: arguments[2], seed: 1, protection)
        // An accepted capture, one with a line of many pages, one with a document, and a cancelled one.
        for number in [0, 1, 2, 3] { try kills.atEveryCall(number: number) }
        print(kills.summary)
    case ("sketch-kill", 5):
        guard let count = Int(arguments[3]), let seed = UInt64(arguments[4]) else { throw Failure("not a number") }
        var kills = try SketchKills(in: arguments[2], seed: seed)
        for _ in 0..<count { try kills.once() }
        print(kills.summary)
    case ("sketch-step", 3):
        var kills = try SketchKills(in: arguments[2], seed: 1)
        try kills.atEveryCall(writes: 10)
        print(kills.summary)
    case ("sketch-fill", 3): print(try SketchOnFullDisk(in: arguments[2]).run())
    case ("fill", 3): print(try FullDisk(in: arguments[2]).run())
    case ("read-only", 3): print(try ReadOnlyStore(in: arguments[2]).run())
    case ("limit", 3): print(try SizeLimit(in: arguments[2]).run())
    default:
        throw Failure(
            "journal-kills kill DIRECTORY COUNT SEED PROTECTION | step DIRECTORY PROTECTION | fill DIRECTORY | limit "
                + "DIRECTORY | read-only DIRECTORY | sketch-kill DIRECTORY COUNT SEED | sketch-step DIRECTORY | "
                + "sketch-fill DIRECTORY")
    }
} catch {
    print("\(error)")
    exit(EXIT_FAILURE)
}
