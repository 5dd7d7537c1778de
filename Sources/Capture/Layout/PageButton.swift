// SPDX-License-Identifier: Apache-2.0

/// What a person can press on the signature page.
public enum PageButton: String, Sendable, CaseIterable {
    case accept, clear, cancel, undo
}
