// SPDX-License-Identifier: Apache-2.0
public import Capture

/// What a host asks of a capture's policy; nil leaves it to the panel's own.
public struct PolicyWishes: Equatable, Sendable {
    /// As ``InkMinima``, in the same units.
    public struct Minima: Equatable, Sendable {
        public var strokes, samples: Int?
        public var length, extent, breadth: Double?
        public var duration: Int64?

        public init(
            strokes: Int? = nil, samples: Int? = nil, length: Double? = nil, extent: Double? = nil,
            breadth: Double? = nil, duration: Int64? = nil
        ) {
            self.strokes = strokes
            self.samples = samples
            self.length = length
            self.extent = extent
            self.breadth = breadth
            self.duration = duration
        }
    }

    public var allowsUndo: Bool?
    /// Microseconds, above 0.
    public var inactivityLimit, totalLimit: Int64?
    public var minima: Minima

    public init(
        allowsUndo: Bool? = nil, inactivityLimit: Int64? = nil, totalLimit: Int64? = nil, minima: Minima = Minima()
    ) {
        self.allowsUndo = allowsUndo
        self.inactivityLimit = inactivityLimit
        self.totalLimit = totalLimit
        self.minima = minima
    }

    /// The panel's policy with what is wished for.
    public func applied(to policy: CapturePolicy) -> CapturePolicy {
        var policy = policy
        if let allowsUndo { policy.allowsUndo = allowsUndo }
        if let inactivityLimit { policy.inactivityLimit = inactivityLimit }
        if let totalLimit { policy.totalLimit = totalLimit }
        if let strokes = minima.strokes { policy.minima.strokes = strokes }
        if let samples = minima.samples { policy.minima.samples = samples }
        if let length = minima.length { policy.minima.length = length }
        if let extent = minima.extent { policy.minima.extent = extent }
        if let breadth = minima.breadth { policy.minima.breadth = breadth }
        if let duration = minima.duration { policy.minima.duration = duration }
        return policy
    }
}
