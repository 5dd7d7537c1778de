// SPDX-License-Identifier: Apache-2.0
import Linux
import Record

/// The directory that sketches are saved in, as pictures named by their time. All calls wait for the medium; any
/// thread, one at a time.
public struct SketchFolder: Sendable {
    public let path: String

    /// - Parameter path: made when a sketch is saved, in a directory that must be there.
    public init(at path: String) { self.path = path }

    /// Writes `sketch-20260314-150926.png` and the same as SVG, or with `-2`, `-3` at the end where there is one of
    /// that second.
    /// - Parameter time: microseconds since 1970-01-01 UTC; the name is in UTC.
    /// - Returns: the paths of the files, which are whole and on the medium.
    /// - Throws: ``SketchSaveError``; then neither is there.
    public func save(png: [UInt8], svg: [UInt8], at time: Int64) throws(SketchSaveError) -> [String] {
        do throws(Errno) {
            if try Directory.make(path, permissions: 0o755) { try Directory.synchronizeParent(of: path) }
        } catch {
            throw SketchSaveError(cause: StoreError(.makeDirectory, path, error))
        }
        let base = path + "/sketch-" + CaptureID.secondText(time)
        var number = 1
        do throws(Errno) {
            while true {
                let name = number == 1 ? base : "\(base)-\(number)"
                let isTaken = try Directory.contains(name + ".png")
                if !isTaken, try !Directory.contains(name + ".svg") {
                    return try write(png, svg, name)
                }
                number += 1
            }
        } catch {
            throw SketchSaveError(cause: StoreError(.write, base + ".png", error))
        }
    }

    private func write(_ png: [UInt8], _ svg: [UInt8], _ name: String) throws(Errno) -> [String] {
        try AtomicFile.write(png, to: name + ".png")
        do throws(Errno) { try AtomicFile.write(svg, to: name + ".svg") } catch {
            try? Directory.remove(name + ".png")
            throw error
        }
        return [name + ".png", name + ".svg"]
    }
}

/// Why a sketch could not be saved.
public struct SketchSaveError: Error, Equatable, CustomStringConvertible {
    public let cause: StoreError

    public var description: String {
        if case .diskFull(let path) = cause {
            return "the disk is full: the sketch cannot be saved as \(path); free some space there"
        }
        return cause.description
    }
}
