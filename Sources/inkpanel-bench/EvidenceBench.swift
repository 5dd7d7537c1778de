// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Evidence
import Formats
import Geometry
import HostAPI
import Ink
import Linux
import Raster
import Record
import Store

/// `inkpanel-bench evidence`: what seals and encryption add to the end of a capture, and how fast records are verified.
struct EvidenceBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evidence", abstract: "Measure sealing, encryption and verification.")

    @Option(help: ArgumentHelp("Directory for the captures; it must exist. Its medium counts.", valueName: "directory"))
    var directory = "/tmp"

    @Option(help: ArgumentHelp("Directory in memory for encrypted captures.", valueName: "directory"))
    var memory = "/dev/shm"

    @Option(help: "Number of captures of each kind.")
    var captures = 200

    private enum Kind: String, CaseIterable {
        case plain, sealed, encrypted
    }

    func validate() throws {
        if !(1...100_000 ~= captures) { throw ValidationError("--captures is 1 to 100000") }
    }

    func run() throws {
        try reportingErrors {
            try printResult(try endTable().text + "\n" + pageTable().text)
        }
    }

    // MARK: the end of a capture

    private func endTable() throws -> BenchTable {
        var table = BenchTable(
            name: "evidence",
            heading: "time from the end of a capture until it is stored, signatures of 600 reports, in \(directory)",
            columns: [
                .init(title: "records", key: "kind"), .init(title: "median ms", key: "median_ms", decimals: 2),
                .init(title: "p95 ms", key: "p95_ms", decimals: 2), .init(title: "bytes of a seal", key: "seal_bytes"),
                .init(title: "verified a minute", key: "verified_per_minute"),
            ])
        let key = try SigningKey.generate()
        let identities = [try AgeIdentity.generate(), try AgeIdentity.generate()]
        for kind in Kind.allCases {
            let folder = "\(directory)/inkpanel-bench-\(MonotonicClock.nanoseconds)"
            defer {
                Directory.removeTree(folder)
                Directory.removeTree(memory + "/inkpanel-bench-open")
            }
            let witness = SealChain.Witness(program: "inkpanel-bench", boot: nil) {
                (WallClock.microseconds, Seal.Clock(synchronized: true, maximumError: 10_000))
            }
            let chain = SealChain(of: folder, isRequired: true, witness: witness) { _ in key }
            let encryption = CaptureStore.Encryption(
                recipients: identities.map(\.recipient), journals: memory + "/inkpanel-bench-open", readableFor: .zero)
            let store = CaptureStore(
                path: folder, chain: kind == .plain ? nil : chain, encryption: kind == .encrypted ? encryption : nil)
            try store.prepare()
            try store.checkReady()
            let times = try (0..<captures).map { try time(of: Self.record($0), in: store) }.sorted()
            let sizes = try sealSizes(folder)
            table.rows.append([
                .text(kind == .encrypted ? "sealed, for two recipients" : kind.rawValue),
                .number(times[times.count / 2]), .number(times[times.count * 95 / 100]),
                .number(sizes.isEmpty ? 0 : Double(sizes.reduce(0, +)) / Double(sizes.count)),
                .number(kind == .sealed ? try verifiedPerMinute(folder) : 0),
            ])
        }
        return table
    }

    /// Milliseconds from the end of a capture until it is on the medium.
    private func time(of record: CaptureRecord, in store: CaptureStore) throws -> Double {
        var writer = try JournalWriter(record.header, in: store)
        for entry in record.entries { try writer.append(entry) }
        let start = MonotonicClock.nanoseconds
        try writer.finish(record.end!)
        return Double(MonotonicClock.nanoseconds - start) / 1e6
    }

    private static func record(_ number: Int) -> CaptureRecord {
        let axis = CaptureDevice.Axis(minimum: 0, maximum: 32_767, resolution: 100)
        let device = CaptureDevice(
            name: "bench", bus: 3, vendor: 1, product: 1, version: 1, x: axis, y: axis, pressure: axis,
            transform: [0.03, 0, 0, 0.03, 0, 0])
        let header = CaptureHeader(
            id: "bench-\(number)", startedAt: WallClock.microseconds, startedAtDeviceTime: 0, program: "inkpanel-bench",
            devices: [device],
            screen: CaptureScreen(
                width: 1280, height: 720, pixelsPerMillimetre: 6, signingArea: [100, 300, 1000, 200]),
            request: CaptureRequest(prompt: ["A delivery note", "12 boxes"], signer: "Anna Müller"))
        let samples = GeneratedWriting(hertz: 200).samples(600).enumerated().map { index, sample in
            CaptureStroke.Sample(
                microseconds: Int64(index) * 5000, x: Int32(sample.position.x * 10), y: Int32(sample.position.y * 10),
                pressure: Int32(1000 + index))
        }
        return CaptureRecord(
            header: header,
            entries: [
                .stroke(CaptureStroke(pen: "ink", samples: Array(samples[..<300]))),
                .stroke(CaptureStroke(pen: "ink", samples: Array(samples[300...]))),
            ],
            end: CaptureEnd(
                outcome: .accepted, endedAt: WallClock.microseconds,
                quality: CaptureQuality(drops: 0, ignoredContacts: 0)))
    }

    private func sealSizes(_ folder: String) throws -> [Int] {
        try ((try? Directory.names(of: folder + "/seals")) ?? []).map {
            try InputFile.open("\(folder)/seals/\($0)").byteCount
        }
    }

    private func verifiedPerMinute(_ folder: String) throws -> Double {
        let names = try Directory.names(of: folder + "/seals").sorted()
        let start = MonotonicClock.nanoseconds
        var verification = Verification(allowedSigners: nil)
        for name in names {
            let file = try SealFile(
                try InputFile.read("\(folder)/seals/\(name)", maximumByteCount: 1 << 16) ?? [])
            verification.check(file)
            guard let id = file.seal.id else { continue }
            let record = try InputFile.read("\(folder)/captures/\(id).jsonl", maximumByteCount: 1 << 26)
            verification.check(Verification.Files(record: record), of: id, seal: file.seal)
        }
        if verification.isWrong { throw BenchError("a record does not fit its seal", status: 70) }
        return Double(names.count) * 60e9 / Double(MonotonicClock.nanoseconds - start)
    }

    // MARK: the digest of a page

    private func pageTable() -> BenchTable {
        var table = BenchTable(
            name: "page digest", heading: "time for the digest of a page, twice a capture",
            columns: [
                .init(title: "page", key: "page"), .init(title: "median ms", key: "median_ms", decimals: 2),
            ])
        for size in [
            PixelSize(width: 800, height: 480), PixelSize(width: 1280, height: 720),
            PixelSize(width: 1920, height: 1080),
        ] {
            let pixels = PixelBuffer(size: size)
            pixels.surface.fill(PixelRect(size: size), with: .white)
            let times = (0..<20).map { _ in
                let start = MonotonicClock.nanoseconds
                _ = PPM.digest(of: pixels.surface)
                return Double(MonotonicClock.nanoseconds - start) / 1e6
            }.sorted()
            table.rows.append([.text("\(size)"), .number(times[10])])
        }
        return table
    }
}
