// SPDX-License-Identifier: Apache-2.0

/// The program's inputs from devices, files and hosts, each with rules that must hold for any bytes. For the fuzzer,
/// and for unit tests with the seeds and damaged copies of them.
public enum CheckedInput: String, CaseIterable, Sendable {
    /// Events of touch devices, encoded as in ``EventStream``.
    case events
    /// An evemu recording.
    case recording
    /// A capture record.
    case record
    /// A record of several pages.
    case flowRecord = "flow-record"
    /// The journal of the sketch page.
    case sketch
    /// The file of touch devices' scatter.
    case scatter
    case inkml
    case signaturePad = "signature-pad"
    case png
    case configuration
    /// A message file of the pad.
    case messages
    /// JSON from anywhere.
    case json
    /// The bytes that a host sends over its connection.
    case varlink
    /// The bytes that a client of a virtual panel sends.
    case virtual
    /// A seal with its signatures.
    case seal
    /// An armoured SSH signature.
    case sshSignature = "ssh-signature"
    /// An encrypted file.
    case age
    /// A file of age identities, or recipients in any text.
    case ageKeys = "age-keys"
    case allowedSigners = "allowed-signers"
    /// A private key in PEM.
    case signingKey = "signing-key"
    /// A certificate in PEM.
    case certificate
    /// A PDF document.
    case document
    /// PNG and JPEG files in place of one.
    case pictures
    /// A line with the parameters of a call, then what the program that parses documents says of its document: a line
    /// with facts and, if there is one, a line with places of each text.
    case documentPlan = "document-plan"
    /// The line of a request to the program that parses documents.
    case helperRequest = "helper-request"
    /// What that program answers.
    case helperAnswer = "helper-answer"

    /// A broken rule.
    public struct Fault: Error, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }

    /// Reads the bytes and checks the rules. A trap is a fault as well.
    /// - Returns: whether the bytes were valid input.
    public func check(_ bytes: [UInt8]) throws(Fault) -> Bool {
        switch self {
        case .events: try EventChecks.check(bytes)
        case .recording: try EventChecks.checkRecording(bytes)
        case .record, .flowRecord: try RecordChecks.check(bytes)
        case .sketch: try RecordChecks.checkSketch(bytes)
        case .scatter: try RecordChecks.checkScatter(bytes)
        case .inkml: try ImportChecks.checkInkML(bytes)
        case .signaturePad: try ImportChecks.checkSignaturePad(bytes)
        case .png: try ImportChecks.checkPNG(bytes)
        case .configuration: try SettingChecks.check(bytes)
        case .messages: try SettingChecks.checkMessages(bytes)
        case .json: try JSONChecks.check(bytes)
        case .varlink: try VarlinkChecks.check(bytes)
        case .virtual: try VirtualChecks.check(bytes)
        case .seal: try EvidenceChecks.checkSeal(bytes)
        case .sshSignature: try EvidenceChecks.checkSignature(bytes)
        case .age: try EvidenceChecks.checkAge(bytes)
        case .ageKeys: try EvidenceChecks.checkAgeKeys(bytes)
        case .allowedSigners: try EvidenceChecks.checkAllowedSigners(bytes)
        case .signingKey: try EvidenceChecks.checkSigningKey(bytes)
        case .certificate: try EvidenceChecks.checkCertificate(bytes)
        case .document: try DocumentChecks.check(bytes)
        case .pictures: try DocumentChecks.checkPictures(bytes)
        case .documentPlan: try DocumentPlanChecks.check(bytes)
        case .helperRequest: try DocumentChecks.checkRequest(bytes)
        case .helperAnswer: try DocumentChecks.checkAnswer(bytes)
        }
    }
}

/// - Throws: ``CheckedInput/Fault`` unless the rule holds.
func require(_ holds: Bool, _ rule: @autoclosure () -> String) throws(CheckedInput.Fault) {
    if !holds { throw CheckedInput.Fault(rule()) }
}
