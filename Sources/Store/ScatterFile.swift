// SPDX-License-Identifier: Apache-2.0
import Linux
public import Record

/// The scatter of touch devices: `scatter.jsonl` in the store's directory, always replaced as a whole. Calls wait for
/// the medium.
public struct ScatterFile: Sendable {
    public let path: String

    /// - Parameter store: the path of its directory.
    public init(store: String) { path = store + "/scatter.jsonl" }

    /// The devices in the file.
    /// - Returns: none if there is no file, or for a file that must not be used, with its fault.
    public func read() -> (devices: [DeviceScatter], fault: String?) {
        do throws(PrivateFileError) {
            // Not secret, but what is in it goes into records.
            let bytes = try PrivateFile.read(path, maximumByteCount: DeviceScatter.byteLimit, forbidden: 0o022)
            guard let devices = bytes.flatMap(DeviceScatter.decode) else { return ([], "\(path) is damaged") }
            return (devices, nil)
        } catch {
            return ([], error.isMissing ? nil : error.description)
        }
    }

    /// Replaces the file; the new one is on the medium when this returns.
    /// - Throws: ``StoreError``; the file on disk is then as before.
    public func write(_ devices: [DeviceScatter]) throws(StoreError) {
        do throws(Errno) { try AtomicFile.replace(DeviceScatter.encode(devices), at: path) } catch {
            throw StoreError(.write, path, error)
        }
    }
}
