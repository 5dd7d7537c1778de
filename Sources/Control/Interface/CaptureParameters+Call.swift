// SPDX-License-Identifier: Apache-2.0
import Pad
import Record

/// The ranges are those of org.inkpanel.Panel.varlink.
extension CaptureParameters {
    private static let promptLineLimit = 100
    /// Bytes of UTF-8. What a header may have, 64 KiB, is four times the sum.
    private static let textLimit = 4096
    private static let textSumLimit = 16384
    private static let dataLimit = 32
    /// In Unicode scalars.
    private static let dataKeyRange = 1...64
    /// Bytes of UTF-8.
    private static let dataValueLimit = 1024
    /// A second to a day, in microseconds.
    private static let limitRange: ClosedRange<Int64> = 1_000_000...86_400_000_000
    private static let countRange: ClosedRange<Int64> = 0...1000
    private static let sampleRange: ClosedRange<Int64> = 0...100_000
    private static let lengthRange = 0.0...10_000
    private static let durationRange: ClosedRange<Int64> = 0...3_600_000_000

    /// - Throws: ``PanelError/invalidParameter(_:expected:)``.
    func call(follows: Bool) throws(PanelError) -> CaptureCall {
        let request = CaptureRequest(
            prompt: prompt ?? [], signer: signer, reason: reason, document: try recordDocument(),
            data: data?.isEmpty == true ? nil : data)
        try check(request)
        return CaptureCall(
            request: request,
            shows: ShownFields(
                prompt: shows?.value.prompt ?? true, signer: shows?.value.signer ?? true,
                reason: shows?.value.reason ?? true, date: shows?.value.date ?? true),
            policy: try capturePolicy(), waits: wait ?? false, follows: follows)
    }

    /// Nil for a document that nothing is said of.
    private func recordDocument() throws(PanelError) -> CaptureRequest.Document? {
        guard let document = document?.value, document != Document() else { return nil }
        if let digest = document.sha256 {
            let isHexadecimal = digest.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
            guard digest.utf8.count == 64, isHexadecimal else {
                throw .invalidParameter("document.sha256", expected: "64 lower-case hexadecimal digits")
            }
        }
        return CaptureRequest.Document(reference: document.reference, sha256: document.sha256)
    }

    private func check(_ request: CaptureRequest) throws(PanelError) {
        guard request.prompt.count <= Self.promptLineLimit else {
            throw .invalidParameter("prompt", expected: "at most \(Self.promptLineLimit) lines")
        }
        var texts = request.prompt.enumerated().map { ("prompt[\($0.offset)]", $0.element) }
        texts += [
            ("signer", request.signer), ("reason", request.reason),
            ("document.reference", request.document?.reference),
        ].compactMap { name, text in text.map { (name, $0) } }
        let data = request.data ?? [:]
        guard data.count <= Self.dataLimit else {
            throw .invalidParameter("data", expected: "at most \(Self.dataLimit) members")
        }
        // In the order of keys, so that the same call gets the same error.
        for (key, value) in data.sorted(by: { $0.key < $1.key }) {
            guard Self.dataKeyRange.contains(key.unicodeScalars.count), !key.hasControls else {
                throw .invalidParameter(
                    "data",
                    expected: "names of \(Self.dataKeyRange.lowerBound) to \(Self.dataKeyRange.upperBound) characters, "
                        + "none of them a control character")
            }
            if value.utf8.count > Self.dataValueLimit {
                throw .invalidParameter("data." + key, expected: "at most \(Self.dataValueLimit) bytes of UTF-8")
            }
            texts += [("data", key), ("data." + key, value)]
        }
        var sum = 0
        for (name, text) in texts {
            sum += text.utf8.count
            if text.hasControls || text.utf8.count > Self.textLimit || sum > Self.textSumLimit {
                throw .invalidParameter(
                    name,
                    expected: "no control characters, at most \(Self.textLimit) bytes of UTF-8, and at most "
                        + "\(Self.textSumLimit) in all texts together")
            }
        }
    }

    private func capturePolicy() throws(PanelError) -> CapturePolicy {
        let policy = policy?.value ?? Policy()
        let minima = policy.minima?.value ?? Minima()
        func checked<Value: Comparable>(
            _ value: Value?, _ range: ClosedRange<Value>, _ name: String, _ unit: String
        ) throws(PanelError) -> Value? {
            guard let value, !range.contains(value) else { return value }
            throw .outOfRange("policy." + name, range, unit)
        }
        return CapturePolicy(
            undo: policy.undo,
            inactivityLimit: try checked(
                policy.inactivityLimit?.value, Self.limitRange, "inactivityLimit", "microseconds"),
            totalLimit: try checked(policy.totalLimit?.value, Self.limitRange, "totalLimit", "microseconds"),
            minima: CapturePolicy.Minima(
                strokes: try checked(minima.strokes?.value, Self.countRange, "minima.strokes", "strokes")
                    .map { Int($0) },
                samples: try checked(minima.samples?.value, Self.sampleRange, "minima.samples", "reports")
                    .map { Int($0) },
                length: try checked(minima.length, Self.lengthRange, "minima.length", "millimetres"),
                extent: try checked(minima.extent, Self.lengthRange, "minima.extent", "millimetres"),
                breadth: try checked(minima.breadth, Self.lengthRange, "minima.breadth", "millimetres"),
                duration: try checked(
                    minima.duration?.value, Self.durationRange, "minima.duration", "microseconds")))
    }
}

extension String {
    fileprivate var hasControls: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}

extension CaptureParameters {
    /// What the interface says for a call.
    init(_ call: CaptureCall) {
        let request = call.request
        prompt = request.prompt
        signer = request.signer
        reason = request.reason
        document = request.document.map { Strict(Document(reference: $0.reference, sha256: $0.sha256)) }
        data = request.data
        let shows = call.shows
        self.shows = Strict(
            Shows(prompt: shows.prompt, signer: shows.signer, reason: shows.reason, date: shows.date))
        let (policy, minima) = (call.policy, call.policy.minima)
        self.policy = Strict(
            Policy(
                undo: policy.undo, inactivityLimit: policy.inactivityLimit.map { Whole($0) },
                totalLimit: policy.totalLimit.map { Whole($0) },
                minima: Strict(
                    Minima(
                        strokes: minima.strokes.map { Whole(Int64($0)) },
                        samples: minima.samples.map { Whole(Int64($0)) }, length: minima.length,
                        extent: minima.extent, breadth: minima.breadth, duration: minima.duration.map { Whole($0) }))))
        wait = call.waits
    }
}
