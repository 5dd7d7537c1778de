// SPDX-License-Identifier: Apache-2.0
import CFork
import CaptureFixtures
import Geometry
import Glibc
import Linux
import Record
import Store
import TestSupport

private let page = SketchPage(size: PixelSize(width: 300, height: 200), density: PixelDensity(dotsPerInch: 150))

/// Starts a process that draws and writes the sketch again and again, kills it at a random moment or at each of its
/// system calls, and checks that the file is the sketch of the last write or of the one that was running.
struct SketchKills {
    /// So small that strokes are dropped all the time.
    private static let byteLimit = 6000
    private static let entriesPerWrite = 3

    private let store: CaptureStore
    private var random: SeededGenerator
    private var count = 0, writeCount = 0, unacknowledgedCount = 0

    init(in directory: String, seed: UInt64) throws {
        store = try CaptureStore(at: directory)
        random = SeededGenerator(seed: seed)
    }

    var summary: String {
        "\(count) kills: the file was whole each time after \(writeCount) acknowledged writes, and "
            + "\(unacknowledgedCount) times newer than acknowledged"
    }

    mutating func once() throws {
        let seed = random.next()
        let pipe = try AcknowledgementPipe()
        let child = cfork_fork()
        if child == 0 { draw(seed, writes: .max, acknowledgements: pipe.writingEnd) }
        try require(child > 0, "fork: \(Errno.current)")
        close(pipe.writingEnd)
        var said = 0
        for _ in 0..<Int.random(in: 0...30, using: &random) { said += try pipe.read() }
        usleep(UInt32.random(in: 0...2000, using: &random))
        kill(child, SIGKILL)
        try retryingOnInterrupt { waitpid(child, nil, 0) }
        while case let more = try pipe.read(), more > 0 { said += more }
        try check(said, seed: seed)
        count += 1
    }

    /// Kills before and after each system call of `writes` writes, one kill after the other.
    mutating func atEveryCall(writes: Int) throws {
        let seed = random.next()
        var stops = 0
        while true {
            let pipe = try AcknowledgementPipe()
            let child = cfork_fork()
            if child == 0 {
                if cfork_be_traced() != 0 { _exit(EXIT_FAILURE) }
                draw(seed, writes: writes, acknowledgements: pipe.writingEnd)
            }
            try require(child > 0, "fork: \(Errno.current)")
            close(pipe.writingEnd)
            let killed = cfork_kill_at(child, CInt(stops))
            try require(killed >= 0, "ptrace: \(Errno.current)")
            var said = 0
            while case let more = try pipe.read(), more > 0 { said += more }
            try check(said, seed: seed)
            if killed == 0 { return try require(said == writes, "it ended by itself with \(said) writes") }
            stops += 1
            count += 1
        }
    }

    /// The process that is killed.
    private func draw(_ seed: UInt64, writes: Int, acknowledgements: CInt) -> Never {
        var source = RandomSketch(seed: seed)
        do {
            let file = try SketchFile(in: store, page: page, byteLimit: Self.byteLimit)
            for _ in 0..<writes {
                for _ in 0..<Self.entriesPerWrite { file.apply(source.entry()) }
                try file.write()
                if write(acknowledgements, [1], 1) != 1 { _exit(EXIT_FAILURE) }
            }
        } catch {
            Log().error("\(error)")
            _exit(EXIT_FAILURE)
        }
        _exit(EXIT_SUCCESS)
    }

    private mutating func check(_ said: Int, seed: UInt64) throws {
        let found: [SketchEntry]
        do {
            let file = try SketchFile(in: store, page: page, byteLimit: Self.byteLimit)
            if let setAside = file.setAside { throw Failure("set aside: \(setAside.reason)") }
            found = file.entries
        }
        for name in try Directory.names(of: store.path) where name.hasSuffix(".jsonl") || name.hasSuffix(".part") {
            unlink(store.path + "/" + name)
        }
        // The same entries in a process that is not killed.
        let expected = try SketchFile(in: store, page: page, byteLimit: Self.byteLimit)
        var source = RandomSketch(seed: seed)
        for _ in 0..<said * Self.entriesPerWrite { expected.apply(source.entry()) }
        writeCount += said
        if expected.entries == found { return }
        // One more may have been written.
        for _ in 0..<Self.entriesPerWrite { expected.apply(source.entry()) }
        try require(expected.entries == found, "after \(said) writes another sketch is there")
        unacknowledgedCount += 1
    }
}

extension AcknowledgementPipe {
    /// - Returns: the number of bytes read, at most one; 0 if the other end is closed.
    fileprivate borrowing func read() throws(Errno) -> Int {
        var byte: [UInt8] = [0]
        return try reading.read(into: &byte)
    }
}

/// Draws a sketch on a small file system until it is full, goes on drawing, and makes room again.
struct SketchOnFullDisk {
    private let directory: String
    private let store: CaptureStore

    init(in directory: String) throws {
        self.directory = directory
        store = try CaptureStore(at: directory)
    }

    func run() throws -> String {
        var source = RandomSketch(seed: 1)
        // Something else takes half of the space.
        let ballast = directory + "/ballast"
        try FileDescriptor(opening: ballast, O_WRONLY | O_CREAT, permissions: 0o600)
            .writeAll([UInt8](repeating: 1, count: 512 << 10))
        var refused = 0
        let all: [SketchEntry]
        do {
            let file = try SketchFile(in: store, page: page)
            var written = file.entries
            while refused < 20 {
                for _ in 0..<20 { file.apply(.stroke(source.stroke(longest: 60))) }
                try require(file.entries.count < 10_000, "this file system is not small")
                do throws(StoreError) {
                    try file.write()
                    written = file.entries
                } catch {
                    guard case .diskFull = error else { throw error }
                    refused += 1
                    // The file of the last write is whole.
                    let bytes = try InputFile.read(directory + "/sketch.jsonl", maximumByteCount: 1 << 20)
                    try require(bytes == SketchEncoder.encode(page, written), "not what was acknowledged")
                    let names = try Directory.names(of: directory)
                    try require(Set(names) == ["ballast", "captures", "open", "sketch.jsonl"], "\(names)")
                }
            }
            unlink(ballast)
            all = file.entries
            try file.write()
            try require(all.count > written.count, "nothing was refused")
        }
        try require(try SketchFile(in: store, page: page).entries == all, "not all that was drawn is there")
        return "disk full: \(refused) writes of the sketch were refused and \(all.count) strokes are there"
    }
}
