// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
public import Configuration
public import Geometry

extension DisplayChoice: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }

    public var defaultValueDescription: String { description }
}

extension PixelSize: ExpressibleByArgument {
    /// `WxH` in pixels; nil also for a size that is not ``isDrawable``.
    public init?(argument: String) {
        guard let size = PixelSize(argument), size.isDrawable else { return nil }
        self = size
    }
}
