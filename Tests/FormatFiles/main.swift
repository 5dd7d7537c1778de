// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Geometry
import Glibc
import Linux
import Record

// Writes random records in every format into a folder, for readers that nobody here wrote (Tests/Formats), and beside
// them, in words of its own, what is in each record.

guard let folder = CommandLine.arguments.dropFirst().first else {
    print("usage: format-files FOLDER")
    exit(EX_USAGE)
}

for seed in 0..<20 as Range<UInt64> {
    let record = CaptureRecord.random(seed: seed)
    func write(_ bytes: [UInt8], _ suffix: String) throws {
        try AtomicFile.write(bytes, to: "\(folder)/\(seed).\(suffix)")
    }
    var truth = "signer \(record.header.request.signer ?? "")\nstarted \(record.header.startedAt)\n"
    for stroke in record.visibleStrokes {
        truth += "stroke \(stroke.device + 1)\n"
        for sample in stroke.samples {
            truth += "\(sample.microseconds) \(sample.x) \(sample.y) \(sample.pressure.map { "\($0)" } ?? "-")\n"
        }
    }
    try write(Array(truth.utf8), "truth")
    try write(InkMLEncoder.encode(record), "inkml")
    try write(CSVEncoder.encode(record), "csv")
    try write(SignaturePadJSONEncoder.encode(record), "json")
    try write(ISO19794Encoder.encode(record), "iso19794")
    guard !record.visibleStrokes.isEmpty else { continue }
    // Some at odd sizes, some at those of printers.
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
}
