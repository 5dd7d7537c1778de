// SPDX-License-Identifier: Apache-2.0
public import Record

/// A host's request, and how it is to be met.
public struct CaptureOrder: Equatable, Sendable {
    public var id: RequestID
    public var request: CaptureRequest
    public var policy: CapturePolicy
    /// Of the page laid out for it. A button that the policy does not allow is not one, wherever it is.
    public var pad: PadGeometry

    public init(id: RequestID, request: CaptureRequest, policy: CapturePolicy, pad: PadGeometry) {
        self.id = id
        self.request = request
        self.policy = policy
        self.pad = pad
    }
}
