// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Pad
import Touch

/// Crosses to touch, one after the other, for ``CalibrationProcedure``.
struct CalibrationTask: TouchTask {
    static let name = "calibration"
    static let complaint = "no cross was touched"

    /// The device, for errors.
    private let device: String
    /// Crosses, in pixels of the picture.
    private let targets: [Point]
    private var procedure: CalibrationProcedure
    private var refusal: CalibrationProcedure.Refusal?

    /// - Throws: if the device has no axes.
    init(_ device: DeviceDescription, named name: String, on screen: PadScreen) throws(CommandError) {
        let (width, height) = (Double(screen.size.width), Double(screen.size.height))
        // At the centre of a pixel, as it is drawn.
        targets = CalibrationProcedure.places.map { place in
            Point(x: (place.x * width).rounded(.down) + 0.5, y: (place.y * height).rounded(.down) + 0.5)
        }
        let toPanel = screen.rotation.pictureToPanel
        let wanted = targets.map { toPanel.apply(Point(x: $0.x / width, y: $0.y / height)) }
        let pixels = screen.density.pixelsPerMillimetre
        let millimetres = Point(
            x: Double(screen.panelSize.width) / pixels, y: Double(screen.panelSize.height) / pixels)
        guard let procedure = CalibrationProcedure(device, targets: wanted, millimetres: millimetres) else {
            throw CommandError.unusableInput("\(name) has no axes to map to the screen")
        }
        self.procedure = procedure
        self.device = name
    }

    var page: Page {
        let task = "Touch the middle of the cross and lift (\(procedure.target + 1) of \(targets.count))"
        let text = refusal.map { Self.reason($0) + "\n" + task } ?? task
        return Page([.target(targets[procedure.target]), .text(PageText(text, .headline))])
    }

    var place: String { "cross \(procedure.target + 1) of \(targets.count)" }

    mutating func update(with frame: TouchFrame) throws(CommandError) -> TouchTaskStep<CalibrationFit> {
        switch procedure.update(with: frame) {
        case .wait: return .wait
        case .next:
            refusal = nil
            return .shows
        case .again(let refusal):
            self.refusal = refusal
            return .again(reason: Self.reason(refusal))
        case .finished(let fit): return .finished(fit)
        case .failed:
            throw CommandError.unusableInput(
                "no matrix maps the touches to the crosses: either other places were touched, or \(device) is not "
                    + "linear; nothing was written")
        }
    }

    /// The reason for people who install a panel. It is not among the translated messages.
    static func reason(_ refusal: CalibrationProcedure.Refusal) -> String {
        switch refusal {
        case .moved: "That moved: hold the finger or pen still."
        case .several: "Touch with one finger only."
        case .sameAsBefore: "That is where the last cross was."
        case .outlier: "This touch does not fit the others. Once more:"
        case .contradiction: "These touches do not fit together. All of them once more:"
        }
    }
}
