// SPDX-License-Identifier: Apache-2.0

/// What the program says about itself (`GetInfo`).
public struct ServiceInfo: Equatable, Sendable {
    public var vendor, product, version, url: String

    public init(
        vendor: String = "Inkpanel", product: String = "inkpanel", version: String, url: String = ""
    ) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
    }
}
