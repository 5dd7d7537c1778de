// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "examples",
    // Elsewhere: .package(url: "the address of inkpanel", branch: "main").
    dependencies: [.package(name: "inkpanel", path: "..")],
    targets: [
        .executableTarget(
            name: "draw-ink",
            dependencies: [
                .product(name: "Canvas", package: "inkpanel"),
                .product(name: "Geometry", package: "inkpanel"),
                .product(name: "Ink", package: "inkpanel"),
                .product(name: "PNG", package: "inkpanel"),
                .product(name: "Raster", package: "inkpanel"),
            ]),
        .executableTarget(name: "take-signature", dependencies: [.product(name: "HostAPI", package: "inkpanel")]),
    ]
)
