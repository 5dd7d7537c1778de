// SPDX-License-Identifier: Apache-2.0
import Formats
import Geometry
import Linux
import Touch

extension StrokePage {
    /// Largest JSON or InkML file, in bytes; a day of signing is less.
    private static let maximumFileSize = 64 << 20

    /// Reads a file whose format its first bytes tell: an evemu recording, signature_pad's JSON or InkML.
    init(
        reading path: String, size: PixelSize?, density: PixelDensity = .standard, keepsPlace: Bool = false
    ) throws {
        let format: ImportFormat?
        var bytes: [UInt8]? = []
        do throws(Errno) {
            format = ImportFormat(start: try InputFile.readStart(of: path, byteCount: 4096))
            if format != nil { bytes = try InputFile.read(path, maximumByteCount: Self.maximumFileSize) }
        } catch {
            throw CommandError.cannotRead(path, error)
        }
        guard let format else {
            try self.init(recording: try Recording(path: path), name: path, size: size)
            return
        }
        guard let bytes else {
            throw CommandError.unusableInput("\(path) is larger than \(Self.maximumFileSize >> 20) MiB")
        }
        do throws(ImportError) {
            try self.init(try format.decode(bytes), size: size, density: density, keepsPlace: keepsPlace)
        } catch {
            if case .pageTooLarge = error { throw CommandError.unusableInput("\(path) \(error); name a --size") }
            throw CommandError.unusableInput("\(path): \(error)")
        }
    }
}
