// SPDX-License-Identifier: Apache-2.0

// What no record may hold, whoever writes it: the same for the encoder, which refuses it before it is written, and for
// the decoder. Nil means that all is well.

extension CaptureHeader {
    var fault: String? {
        if CaptureID(id) == nil { return "the id is not 1 to 64 letters, digits and hyphens" }
        if let sequence, !(1...Self.largestSequence ~= sequence) { return "the sequence is not 1 to 2^53 - 1" }
        if devices.isEmpty { return "there is no device" }
        if devices.contains(where: { $0.transform.count != 6 }) { return "a device's transform is not six numbers" }
        if !devices.allSatisfy({ $0.transform.allSatisfy(\.isFinite) }) {
            return "a number of a device's transform is not finite"
        }
        if screen.signingArea.count != 4 { return "the signing area is not four numbers" }
        if !screen.pixelsPerMillimetre.isFinite { return "a number of the screen is not finite" }
        if let digest = request.document?.sha256, !Self.isSHA256(digest) {
            return "the document's digest is not 64 lower-case hexadecimal digits"
        }
        return nil
    }

    private static func isSHA256(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}

extension CaptureEntry {
    func fault(on devices: [CaptureDevice]) -> String? {
        switch self {
        case .action: nil
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
            return "a distance, which this device does not tell"
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
        return nil
    }
}

extension CaptureEnd {
    var fault: String? {
        let numbers = [quality.reportRate, quality.latency?.p50, quality.latency?.p95, quality.latency?.p99]
        return numbers.allSatisfy { $0?.isFinite ?? true } ? nil : "a number of the quality is not finite"
    }
}
