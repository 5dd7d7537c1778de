// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI

/// Limits on the parts of a record. They bound memory when a file is hostile and are far above what a capture needs.
public enum CaptureLimits {
    /// Half an hour of drawing at 1000 reports/s, 30 bytes each, is 54 MB.
    public static let recordByteCount = 64 << 20
    /// An encrypted record: age adds 16 bytes to each 64 KiB, and a header with about 120 bytes a recipient.
    public static let encryptedByteCount = recordByteCount + (1 << 20)
    /// A signed document: as large as the signer makes them.
    public static let documentByteCount = 48 << 20
    /// An encrypted one.
    public static let encryptedDocumentByteCount = documentByteCount + (1 << 20)
    /// Disk space for one signature in a document: 16 kB of certificates, and its ink.
    public static let signatureReserve = 64 << 10
    /// The maximum number of samples in the strokes of a capture, where ink ends: more than five minutes at 1000
    /// reports/s, half an hour at 200. With the samples in the air a record then has 18 MB.
    public static let strokeSampleCount = 400_000
    /// Disk space that a capture reserves when it begins and returns when it ends, so that a disk that fills up
    /// meanwhile does not cost a signature: 35,000 reports of 30 bytes, three minutes at 200 reports/s. Most captures
    /// need a tenth.
    public static let reservedByteCount = 1 << 20
    /// A header has about 800 bytes and the texts of the request.
    public static let headerByteCount = 64 << 10
    /// A header with a flow also has the fields of a form, and their labels.
    public static let flowHeaderByteCount = 256 << 10
    /// The maximum number of samples in the air in a capture, because a pen that lies beside the panel may be detected
    /// for hours: eight minutes at 200 reports/s, 3 MB.
    public static let inAirSampleCount = 100_000
    /// An end has about 300 bytes and the names of fonts.
    public static let endByteCount = 4 << 10
    /// An end with a flow also has, for each of 8 people, the numbers of up to 500 pages.
    public static let flowEndByteCount = 24 << 10
    /// The most pages of a document.
    public static let pageCount = 500
    /// The most places of fields in a document.
    public static let fieldCount = 4000
    /// The most lines of a flow: a view every half second for 13 hours.
    public static let flowLineCount = 100_000

    /// The longest text that is read aloud at once.
    public static let spokenByteCount = 4096
    /// The most such texts that a pad records.
    public static let spokenCount = 10_000

    package static func headerByteCount(version: Int) -> Int {
        version == CaptureHeader.version ? headerByteCount : flowHeaderByteCount
    }

    package static func endByteCount(version: Int) -> Int {
        version == CaptureHeader.version ? endByteCount : flowEndByteCount
    }
}

// Conditions that both the encoder and the decoder check; nil if they hold.

extension CaptureHeader {
    var fault: String? {
        if CaptureID(id) == nil { return "the id is not 1 to 64 letters, digits and hyphens" }
        if let sequence, !(1...Self.largestSequence ~= sequence) { return "the sequence is not 1 to 2^53 - 1" }
        if devices.isEmpty { return "there is no device" }
        if devices.contains(where: { $0.transform.count != 6 }) { return "a device's transform is not six numbers" }
        if !devices.allSatisfy({ $0.transform.allSatisfy(\.isFinite) }) {
            return "a number of a device's transform is not finite"
        }
        if let fault = devices.lazy.compactMap({ $0.selfTest?.fault }).first { return fault }
        if screen.signingArea.count != 4 { return "the signing area is not four numbers" }
        if !screen.pixelsPerMillimetre.isFinite { return "a number of the screen is not finite" }
        if request.document?.hasValidDigest == false {
            return "the document's digest is not 64 lower-case hexadecimal digits"
        }
        if version != neededVersion {
            return flow == nil ? "a header without a flow, which version 2 has" : "a flow, which version 1 has not"
        }
        guard let flow else { return nil }
        if flow.document != nil, request.document?.sha256 == nil { return "a document to read without its digest" }
        return flow.fault
    }
}

extension CaptureEntry {
    /// The fault of the entry itself. ``RecordCourse`` checks it against the entries before.
    func fault(on devices: [CaptureDevice]) -> String? {
        switch self {
        case .action, .flow: nil
        case .spoken(let text, _):
            1...CaptureLimits.spokenByteCount ~= text.utf8.count
                ? nil : "a text that was read aloud is empty or too long"
        case .stroke(let stroke): stroke.fault(on: devices)
        case .inAir(let movement): movement.fault(on: devices)
        }
    }
}

extension CaptureInAir {
    fileprivate func fault(on devices: [CaptureDevice]) -> String? {
        if samples.isEmpty { return "a movement in the air without samples" }
        guard devices.indices.contains(device) else {
            return "a movement in the air of a device that the header does not name"
        }
        if devices[device].distance == nil, samples.contains(where: { $0.distance != nil }) {
            return "a distance, which this device does not report"
        }
        return nil
    }
}

extension CaptureStroke {
    fileprivate func fault(on devices: [CaptureDevice]) -> String? {
        if samples.isEmpty { return "a stroke without samples" }
        guard devices.indices.contains(device) else {
            return "a stroke of a device that the header does not name"
        }
        if devices[device].pressure == nil, samples.contains(where: { $0.pressure != nil }) {
            return "a pressure, which this device does not measure"
        }
        let range = 0...Double(CaptureHeader.sideRange.upperBound)
        if let places {
            if places.count != samples.count {
                return "a stroke with \(samples.count) samples, but \(places.count) places"
            }
            if !places.allSatisfy({ range ~= $0.x && range ~= $0.y }) { return "a place beyond any screen" }
        }
        for edge in [enters, leaves].compactMap(\.self) {
            guard range ~= edge.x, range ~= edge.y, 0...1 ~= edge.pressure ?? 0 else {
                return "a stroke that enters or leaves beyond any screen"
            }
        }
        return nil
    }
}

extension CaptureEnd {
    func fault(after header: CaptureHeader) -> String? {
        if outcome == .interrupted { return "an interrupted capture has no end" }
        let numbers = [quality.reportRate, quality.latency?.p50, quality.latency?.p95, quality.latency?.p99]
        if !numbers.allSatisfy({ $0?.isFinite ?? true }) { return "a number of the quality is not finite" }
        if let shown, ![shown.page, shown.signed].allSatisfy({ SealHead.isDigest($0) }) {
            return "a digest is not 64 lower-case hexadecimal digits"
        }
        guard let document = header.flow?.document else {
            return reading == nil && check == nil ? nil : "what was read of a document that the header does not have"
        }
        if let fault = check?.fault(pages: document.pages) { return "\(fault) cannot be so" }
        guard let reading else { return outcome == .accepted ? "what was read is missing" : nil }
        // Verification checks whether these facts follow from the views.
        let isOrderly = reading.allSatisfy { result in
            let (pages, seconds) = (result.pages, result.seconds)
            return zip(pages, pages.dropFirst()).allSatisfy { $0 < $1 }
                && (pages.first ?? 1) >= 1 && (pages.last ?? 1) <= document.pages && seconds.isFinite && seconds >= 0
        }
        guard reading.count == header.flow?.personCount, isOrderly else {
            return "what was read is not, for each person, pages of the document in their order and a time"
        }
        return nil
    }
}
