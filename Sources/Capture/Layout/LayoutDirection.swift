// SPDX-License-Identifier: Apache-2.0

/// Which side of the page a line of text starts at.
public enum LayoutDirection: String, Sendable, CaseIterable {
    case leftToRight = "left-to-right"
    case rightToLeft = "right-to-left"
}
