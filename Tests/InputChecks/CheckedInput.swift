// SPDX-License-Identifier: Apache-2.0

/// What comes into the program from devices, files and hosts, each with the rules that hold whatever its bytes are: for
/// the fuzzer, and for the unit tests, which look at the seeds and damaged copies of them.
public enum CheckedInput: String, CaseIterable, Sendable {
    /// Events of a touch device, in a form of our own (``EventStream``).
    case events
    /// An evemu recording.
    case recording
    /// The record of a capture.
    case record
    /// The journal of the sketch page.
    case sketch
    case inkml
    case signaturePad = "signature-pad"
    case png
    case configuration
    /// A file of the pad's words.
    case messages
    /// What a host sends over its connection.
    case varlink

    /// What is wrong with the program.
    public struct Fault: Error, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }

    /// Has the program read the bytes. A trap is a fault as well.
    /// - Returns: whether they were taken for what they should be.
    public func check(_ bytes: [UInt8]) throws(Fault) -> Bool {
        switch self {
        case .events: try EventChecks.check(bytes)
        case .recording: try EventChecks.checkRecording(bytes)
        case .record: try RecordChecks.check(bytes)
        case .sketch: try RecordChecks.checkSketch(bytes)
        case .inkml: try ImportChecks.checkInkML(bytes)
        case .signaturePad: try ImportChecks.checkSignaturePad(bytes)
        case .png: try ImportChecks.checkPNG(bytes)
        case .configuration: try SettingChecks.check(bytes)
        case .messages: try SettingChecks.checkMessages(bytes)
        case .varlink: try VarlinkChecks.check(bytes)
        }
    }
}

/// - Throws: ``CheckedInput/Fault`` unless the rule holds.
func require(_ holds: Bool, _ rule: @autoclosure () -> String) throws(CheckedInput.Fault) {
    if !holds { throw CheckedInput.Fault(rule()) }
}
