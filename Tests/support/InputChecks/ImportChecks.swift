// SPDX-License-Identifier: Apache-2.0
import Formats
import Geometry
import Ink
import PNG
import Raster
import Record

/// Checks that values imported from foreign files are in valid ranges.
enum ImportChecks {
    static func checkInkML(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let ink: ImportedInk
        do throws(ImportError) { ink = try InkMLDecoder.decode(bytes) } catch {
            try require(!"\(error)".isEmpty, "an error without words")
            return false
        }
        try check(ink.strokes)
        return true
    }

    static func checkSignaturePad(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let ink: ImportedInk
        do throws(ImportError) { ink = try SignaturePadJSON.decode(bytes) } catch {
            try require(!"\(error)".isEmpty, "an error without words")
            return false
        }
        try check(ink.strokes)
        return true
    }

    private static func check(_ strokes: [[Sample]]) throws(CheckedInput.Fault) {
        for sample in strokes.joined() {
            try require(sample.position.isFinite, "a place that is no number")
            if let pressure = sample.pressure { try require(0...1 ~= pressure, "a pressure of \(pressure)") }
        }
    }

    static func checkPNG(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let picture: Picture
        do throws(PNGError) { picture = try PNGDecoder.decode(bytes) } catch {
            try require(!error.description.isEmpty, "an error without words")
            return false
        }
        let (size, count) = (picture.size, picture.pixels.count)
        try require(size.width > 0 && size.height > 0 && count == size.width * size.height, "\(count) of \(size)")
        return true
    }
}
