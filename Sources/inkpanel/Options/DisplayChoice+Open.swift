// SPDX-License-Identifier: Apache-2.0
import Configuration
import Screen

extension DisplayChoice {
    /// Opens what is there now; a device that is not there may be opened later.
    func open() throws(ScreenError) -> any Display {
        switch self {
        case .kms(let connector): try DisplayFinder().open(connector.map { DisplayRequest($0) } ?? .best)
        case .framebuffer(let path): try FramebufferDisplay(path: path)
        case .headless(let size): try HeadlessDisplay(size: size)
        }
    }
}
