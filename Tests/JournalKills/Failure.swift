// SPDX-License-Identifier: Apache-2.0

/// Something that must not be, in words.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// - Throws: ``Failure`` when `condition` does not hold.
func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw Failure(description()) }
}
