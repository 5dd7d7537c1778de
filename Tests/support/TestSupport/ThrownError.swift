// SPDX-License-Identifier: Apache-2.0

/// The error that `body` throws, or nil. `#expect(throws:)` returns the error only since Swift 6.1.
public func thrownError<Result>(by body: () throws -> Result) -> (any Error)? {
    do {
        _ = try body()
        return nil
    } catch {
        return error
    }
}
