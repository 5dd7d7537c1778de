// SPDX-License-Identifier: Apache-2.0
import Configuration
import Geometry
import Linux

/// The configuration's file as the place for a matrix.
struct CalibrationTarget {
    let path: String

    /// - Throws: when the file could not be changed afterwards: it cannot be read or written, or is wrong.
    init(_ path: String) throws {
        self.path = path
        try OutputFile.check(path, option: "--config")
        _ = try Configuration.setting(calibration: .identity, in: try Self.read(path), path: path)
    }

    /// Reads the file once more: somebody may have changed it during the calibration.
    func write(_ matrix: Transform) throws {
        let edited = try Configuration.setting(calibration: matrix, in: try Self.read(path), path: path)
        // The panel's user reads it, and is not who calibrates.
        try OutputFile.write(edited, to: path, option: "--config", permissions: 0o644)
    }

    /// Nothing, where there is no file yet.
    private static func read(_ path: String) throws(ConfigurationError) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: Configuration.largestFile)
        } catch {
            if error == .noSuchFile { return [] }
            throw .cannotRead(path: path, error)
        }
        guard let bytes else { throw .tooLarge(path: path, limit: Configuration.largestFile) }
        return bytes
    }
}
