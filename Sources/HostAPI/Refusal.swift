// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Why the ink on the page is not a signature: the measured value, and the minimum.
public enum Refusal: Equatable, Sendable {
    case noInk
    case fewStrokes(Int, minimum: Int)
    /// Reports of the device.
    case fewSamples(Int, minimum: Int)
    /// Millimetres of line.
    case short(Double, minimum: Double)
    /// Millimetres of the diagonal of the bounding box.
    case small(Double, minimum: Double)
    /// Millimetres across the main direction.
    case straight(Double, minimum: Double)
    /// The time from the first sample to the last.
    case quick(Duration, minimum: Duration)
}

extension Refusal: Codable {
    private enum Reason: String, Codable { case noInk, fewStrokes, fewSamples, short, small, straight, quick }
    private enum CodingKeys: CodingKey { case reason, measured, minimum }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func number(_ key: CodingKeys) throws -> Double { try members.decode(Double.self, forKey: key) }
        /// Counts and times were whole when they were encoded.
        func whole(_ key: CodingKeys) throws -> Int64 {
            if let whole = Int64(exactly: try number(key).rounded()) { return whole }
            throw DecodingError.dataCorruptedError(forKey: key, in: members, debugDescription: "beyond 64 bits")
        }
        switch try members.decode(Reason.self, forKey: .reason) {
        case .noInk: self = .noInk
        case .fewStrokes: self = .fewStrokes(Int(try whole(.measured)), minimum: Int(try whole(.minimum)))
        case .fewSamples: self = .fewSamples(Int(try whole(.measured)), minimum: Int(try whole(.minimum)))
        case .short: self = .short(try number(.measured), minimum: try number(.minimum))
        case .small: self = .small(try number(.measured), minimum: try number(.minimum))
        case .straight: self = .straight(try number(.measured), minimum: try number(.minimum))
        case .quick: self = .quick(.microseconds(try whole(.measured)), minimum: .microseconds(try whole(.minimum)))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        let (reason, measured, minimum): (Reason, Double?, Double?) =
            switch self {
            case .noInk: (.noInk, nil, nil)
            case .fewStrokes(let count, let minimum): (.fewStrokes, Double(count), Double(minimum))
            case .fewSamples(let count, let minimum): (.fewSamples, Double(count), Double(minimum))
            case .short(let length, let minimum): (.short, length, minimum)
            case .small(let length, let minimum): (.small, length, minimum)
            case .straight(let length, let minimum): (.straight, length, minimum)
            case .quick(let time, let minimum): (.quick, Double(time.microseconds), Double(minimum.microseconds))
            }
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(reason, forKey: .reason)
        try members.encodeIfPresent(measured, forKey: .measured)
        try members.encodeIfPresent(minimum, forKey: .minimum)
    }
}
