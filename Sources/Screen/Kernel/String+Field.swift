// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text in a fixed C array, which Swift sees as a tuple and which need not end with 0 when it is full.
    init<Characters>(field: Characters) {
        self = withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
