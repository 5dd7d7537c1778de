// SPDX-License-Identifier: Apache-2.0
import Capture
import Control

/// Whoever wants to know which page the pad shows, on the main thread.
protocol PadObserver: AnyObject {
    /// - Parameter layout: of the signature page.
    func padShows(_ page: PanelStatus.Page, _ layout: SignatureLayout?)
}
