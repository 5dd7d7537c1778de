// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Pad
import Panel
import Virtual

/// Describes the pages of a virtual panel to its client, and passes on what is done there without a pointer.
final class VirtualPageReader: PageReader {
    private let display: VirtualDisplay
    private var last: PageDescription?

    init(_ display: VirtualDisplay) { self.display = display }

    var descriptor: CInt { display.pages.descriptor }

    func takeActs() -> [PageAct] {
        display.pages.takeActs().compactMap { act in
            switch act {
            case .press(let page, let control): .press(page: page, control: Int(control))
            case .move(let step): ViewStep(rawValue: step).map { .move($0) }
            }
        }
    }

    func show(_ description: PageDescription) {
        if description == last { return }
        last = description
        display.describe {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            return (try? encoder.encode(description)).map { Array($0) } ?? Array("{}".utf8)
        }
    }
}
