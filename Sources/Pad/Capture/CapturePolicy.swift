// SPDX-License-Identifier: Apache-2.0
public import HostAPI

extension CapturePolicy {
    /// The defaults. A minute without a touch and five in all are longer than people read and sign, and shorter than
    /// the next person waits. The minima accept initials (two letters 6 mm high have 25 mm of line and take half a
    /// second) and refuse a tick or a stroke; at 60 reports/s, the slowest panels, 300 ms have 18 samples.
    public static let standard = CapturePolicy(
        undo: true, inactivityLimit: .seconds(60), totalLimit: .seconds(300),
        minima: Minima(strokes: 1, samples: 10, length: 15, extent: 6, breadth: 1.5, duration: .milliseconds(300)),
        missingGlyphs: .values, alternatives: [])

    /// The texts of a page that keep the capture from beginning.
    func refused(_ missing: [MissingGlyphs]) -> [MissingGlyphs] {
        switch missingGlyphs ?? .tell {
        case .refuse: missing
        case .values: missing.filter { $0.text == PageText.Field.signer.rawValue || $0.text.hasPrefix("rows[") }
        case .tell: []
        }
    }

    /// The buttons of the signing page.
    var buttons: [PageButton] { PageButton.signing.filter { $0 != .undo || undo != false } }
}
