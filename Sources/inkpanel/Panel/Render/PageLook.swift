// SPDX-License-Identifier: Apache-2.0
import Pages

/// How pages look, and the one to begin with.
struct PageLook: Equatable, Sendable {
    var theme: PageTheme
    var first: PageView
}
