// SPDX-License-Identifier: Apache-2.0
import Linux
public import Record

/// The self-tests of a panel's touch devices: `self-tests.jsonl` in the store's directory. A line is the device as in
/// the header of a record, with its test; the latest is the last.
public struct DigitizerTestLog {
    /// The oldest lines are dropped above this.
    private static let lineLimit = 500
    private static let byteLimit = 1 << 20

    public let path: String
    /// The fault of the file, or nil. Damaged lines are kept, and count for no device.
    public let warning: String?
    private var lines: [ArraySlice<UInt8>] = []
    private var devices: [CaptureDevice] = []

    /// Reads the file; a missing one is empty.
    /// - Parameter store: the path of its directory.
    public init(store: String) throws(StoreError) {
        path = store + "/self-tests.jsonl"
        let bytes: [UInt8]
        do throws(PrivateFileError) {
            // Not secret, but what is in it goes into records.
            guard let read = try PrivateFile.read(path, maximumByteCount: Self.byteLimit, forbidden: 0o022) else {
                throw .failed(path, .fileTooLarge)
            }
            bytes = read
        } catch {
            if error.isMissing {
                warning = nil
                return
            }
            throw StoreError(error)
        }
        var damaged: [Int] = []
        for (index, line) in JSONLines.whole(bytes).enumerated() {
            lines.append(line)
            if let device = try? JSONLines.parse(CaptureDevice.self, line), device.selfTest != nil {
                devices.append(device)
            } else {
                damaged.append(index + 1)
            }
        }
        let numbers = damaged.map(String.init).joined(separator: ", ")
        warning = damaged.isEmpty ? nil : "\(path): line \(numbers) is damaged and no test of any device"
    }

    /// The last test of any device; nil for none.
    public var latest: DigitizerTest? { devices.last?.selfTest }

    /// The last test of this device with this firmware and calibration; nil if it was never tested so.
    public func latest(of device: CaptureDevice) -> DigitizerTest? {
        devices.last { $0.measures(as: device) }?.selfTest
    }

    /// Adds the test of a device and writes the file.
    public mutating func add(_ test: DigitizerTest, of device: CaptureDevice) throws(StoreError) {
        var device = device
        device.selfTest = test
        guard let line = try? JSONLines.encode(device) else {
            throw .refused(.unencodable("a number of a self-test is not finite"))
        }
        lines.append(line[...])
        devices.append(device)
        let bytes = lines.suffix(Self.lineLimit).flatMap { $0 + [JSONLines.newline] }
        do throws(Errno) {
            // The command runs as root; the panel, whose directory it is, reads the file as its own user.
            try AtomicFile.replace(bytes, at: path)
        } catch {
            throw StoreError(.write, path, error)
        }
    }
}
