// SPDX-License-Identifier: Apache-2.0
import Geometry

/// How far the recent predictions of a stroke came true: the part of a prediction that, had it been drawn, would have
/// left the least squared distance to where the pen went.
struct PredictionTrust: Sendable {
    /// How long a prediction that has been judged counts, in seconds.
    private static let memory = 0.08
    /// Movement in millimetres whose square counts against predicting: a stroke has to show that it can be predicted,
    /// and movements of the size of a panel's noise never do.
    private static let doubtMillimetres = 0.34

    /// In squared pixels, as are the sums.
    private let doubt: Double
    private var agreement = 0.0
    private var size = 0.0

    /// - Parameter density: of the page that the ways' pixels belong to.
    init(density: PixelDensity) {
        let way = Self.doubtMillimetres * density.pixelsPerMillimetre
        doubt = way * way
    }

    /// 0...1.
    var share: Double { min(max(agreement / (size + doubt), 0), 1) }

    /// Takes in what became of a prediction.
    /// - Parameters:
    ///   - predicted: the way foreseen.
    ///   - actual: the way the pen went in that time.
    ///   - weight: of its squared length, to compare short predictions with long ones.
    ///   - seconds: since the one before was judged.
    mutating func judge(predicted: Point, actual: Point, weight: Double, after seconds: Double) {
        let age = seconds / Self.memory
        // About exp(-age); rational because exp differs between machines.
        let kept = 1 / (1 + age * (1 + age * 0.5))
        let nextAgreement = agreement * kept + predicted.dot(actual) * weight
        let nextSize = size * kept + predicted.squaredLength * weight
        let isSane = nextAgreement.isFinite && nextSize.isFinite
        (agreement, size) = isSane ? (nextAgreement, nextSize) : (0, 0)
    }
}
