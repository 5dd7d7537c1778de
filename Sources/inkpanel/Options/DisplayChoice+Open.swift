// SPDX-License-Identifier: Apache-2.0
import Configuration
import Screen

extension DisplayChoice {
    /// Opens the display; nothing is shown yet.
    func open() throws -> any Display {
        switch self {
        case .kms(let connector): try DisplayFinder().open(connector.map { DisplayRequest($0) } ?? .best)
        case .framebuffer(let path): try FramebufferDisplay(path: path)
        case .headless(let size): try HeadlessDisplay(size: size)
        }
    }
}
