// SPDX-License-Identifier: Apache-2.0
import Linux
import Pad
import Record
import Store

/// Keeps the scatter of touch devices for the next start of the program. A failure is logged and disturbs nothing: the
/// next start learns what is missing.
struct ScatterWriter {
    private let file: ScatterFile
    private let log: Log
    /// The scatter that the file lacks; nil if it is complete.
    private var unwritten: [DeviceScatter]?
    /// Whether ``unwritten`` has failed.
    private var hasFailed = false

    init(_ file: ScatterFile, log: Log) { (self.file, self.log) = (file, log) }

    /// - Returns: nil if nothing was kept.
    func open() -> StoreAnswer? {
        let (devices, fault) = file.read()
        if let fault { log.warning("records: \(fault); the noise of touch devices is learnt and stored anew") }
        return devices.isEmpty ? nil : .scatter(devices)
    }

    mutating func keep(_ devices: [DeviceScatter]) { (unwritten, hasFailed) = (devices, false) }

    /// Writes what changed since the last call.
    mutating func write() { if !hasFailed { close() } }

    /// Writes what is missing, also if that has failed before.
    mutating func close() {
        guard let devices = unwritten else { return }
        do throws(StoreError) {
            try file.write(devices)
            unwritten = nil
        } catch {
            log.warning("records: \(error); the noise of touch devices will be learnt anew after a restart")
            hasFailed = true
        }
    }
}
