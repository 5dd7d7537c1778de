// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Formats
import Geometry
import Glibc
import HostAPI
import Linux
import Record

// Writes random records in every format into a folder, for other programs' readers (Tests/system/Formats), and beside
// them the contents of each record as plain text.

guard let folder = CommandLine.arguments.dropFirst().first else {
    print("usage: format-files FOLDER")
    exit(EX_USAGE)
}

for seed in 0..<20 as Range<UInt64> {
    var record = CaptureRecord.random(seed: seed)
    if seed % 2 == 0 {
        record.header.panel = "Kasse \(seed)"
        record.header.request.data = ["order": "4711", "Straße": "\"Kö\" <1> & 2"]
    }
    func write(_ bytes: [UInt8], _ suffix: String) throws {
        try AtomicFile.write(bytes, to: "\(folder)/\(seed).\(suffix)")
    }
    var truth = "signer \(record.header.request.signer ?? "")\nstarted \(record.header.startedAt)\n"
    if let panel = record.header.panel { truth += "panel \(panel)\n" }
    for (key, value) in record.header.request.data ?? [:] { truth += "data \(key) \(value)\n" }
    func line(_ microseconds: Int64, _ x: Int32, _ y: Int32, _ last: Int32?) -> String {
        "\(microseconds) \(x) \(y) \(last.map { "\($0)" } ?? "-")\n"
    }
    var rest = record.visibleStrokes[...]
    for entry in record.entries {
        switch entry {
        case .stroke(let stroke):
            guard stroke == rest.first else { continue }
            rest.removeFirst()
            truth += "stroke \(stroke.device + 1)\n"
            for sample in stroke.samples { truth += line(sample.microseconds, sample.x, sample.y, sample.pressure) }
        case .inAir(let movement):
            // Movement before the first stroke and after the last is in no file.
            if rest.isEmpty || rest.count == record.visibleStrokes.count { continue }
            truth += "air \(movement.device + 1)\n"
            for sample in movement.samples { truth += line(sample.microseconds, sample.x, sample.y, sample.distance) }
        case .action, .flow, .spoken: break
        }
    }
    try write(Array(truth.utf8), "truth")
    try write(InkMLEncoder.encode(record), "inkml")
    try write(CSVEncoder.encode(record), "csv")
    try write(SignaturePadJSONEncoder.encode(record), "json")
    try write(ISO19794Encoder.encode(record), "iso19794")
    guard !record.visibleStrokes.isEmpty else { continue }
    // Odd sizes and printer resolutions.
    let resolution: CapturePicture.Resolution =
        seed % 2 == 0
        ? .density(PixelDensity(dotsPerInch: seed % 4 == 0 ? 300 : 97))
        : .size(PixelSize(width: 400 + Int(seed), height: 300))
    let part: CapturePicture.Part = seed % 3 == 0 ? .signingArea : .ink(margin: 1.5)
    let picture = try CapturePicture(of: record, part: part, resolution: resolution)
    for isTransparent in [false, true] {
        let name = isTransparent ? "clear." : "paper."
        try write(picture.png(isTransparent: isTransparent), name + "png")
        try write(picture.svg(isTransparent: isTransparent), name + "svg")
    }
    // The same picture four times as large, to compare the SVG closely.
    if case .size(let size) = resolution {
        let large = PixelSize(width: 4 * size.width, height: 4 * size.height)
        try write(CapturePicture(of: record, part: part, resolution: .size(large)).png(), "large.png")
    }
}
