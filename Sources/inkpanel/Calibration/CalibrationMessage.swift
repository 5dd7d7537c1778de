// SPDX-License-Identifier: Apache-2.0
import Touch

/// What the page and the terminal say during a calibration. It is for who sets the panel up, so it is not among the
/// pad's messages.
enum CalibrationMessage {
    /// - Parameter target: from 0.
    static func text(target: Int, of count: Int, after refusal: CalibrationProcedure.Refusal?) -> String {
        let task = "Touch the middle of the cross and lift (\(target + 1) of \(count))"
        return refusal.map { reason($0) + "\n" + task } ?? task
    }

    static func reason(_ refusal: CalibrationProcedure.Refusal) -> String {
        switch refusal {
        case .moved: "That moved: hold the finger or pen still."
        case .several: "Touch with one finger only."
        case .sameAsBefore: "That is where the last cross was."
        case .outlier: "This touch does not go with the others. Once more:"
        case .contradiction: "These touches do not go together. All of them once more:"
        }
    }
}
