// swift-tools-version: 6.0
import PackageDescription

// The targets are the rooms of docs/architecture.md. Tools version 6.0, so that Debian 13's own `swiftlang` (6.0.3)
// builds it.

let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Examples/Sources/" + name, packageAccess: false)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = [], excluding: [String] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: dependencies + [.byName(name: name), "TestSupport"],
        path: "Tests/unit/\(name)Tests", exclude: excluding, swiftSettings: swiftSettings)
}

// The hot loops a second time, for processors with AVX2; the program chooses when it runs. Optimised in debug builds
// too, where vectors are a hundred times slower and tests draw a lot. The manifest is compiled for the build machine,
// so `make cross` sets INKPANEL_CROSS.
#if arch(x86_64)
    let hasWideKernel = Context.environment["INKPANEL_CROSS"] == nil
#else
    let hasWideKernel = false
#endif
let wideKernel: [Target.Dependency] = hasWideKernel ? ["RasterKernelV3"] : []
let wideKernelTargets: [Target] =
    hasWideKernel
    ? [
        .target(
            name: "RasterKernelV3", dependencies: ["Geometry", "CProcessor"],
            swiftSettings: swiftSettings + [.unsafeFlags(["-Xcc", "-march=x86-64-v3", "-O"])])
    ] : []

// The pages' languages, by their BCP 47 tags: the files in Sources/Pad/Strings.
let languages = [
    "ar", "bg", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "ga", "he", "hi", "hr", "hu", "it", "ja", "ko",
    "lt", "lv", "mt", "nb", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "tr", "uk", "zh-Hans", "zh-Hant",
]

// Pages of the gateway and the API's description: the files in Sources/Gateway/Web.
let webFiles = [
    "index.html", "icon.svg", "style.css", "inkpanel.js", "inkpanel.py", "page.js", "form.js", "settings.js", "pad.js",
    "pointers.js", "controls.js", "meter.js", "snippets.js", "texts.js", "failures.js", "mirror.html", "mirror.js",
    "mirror.css", "sigweb-compat.js", "sigcaptx-compat.js", "inkpanel-extension.js", "openapi.json",
]

// The dependencies of a target that uses the HTTP library. Swift 6.0 cannot type-check a sum within the package.
func withFlyingFox(_ others: [Target.Dependency]) -> [Target.Dependency] {
    others + [.product(name: "FlyingFox", package: "FlyingFox"), .product(name: "FlyingSocks", package: "FlyingFox")]
}

// The libraries for other programs.
let libraries = ["HostAPI", "Document", "Geometry", "Ink", "Raster", "Canvas", "PNG"]

// The fuzz targets need libFuzzer, which has the main function; `make fuzz` links them.
let isFuzzing = Context.environment["INKPANEL_FUZZ"] != nil

let package = Package(
    name: "inkpanel",
    products: libraries.map { .library(name: $0, targets: [$0]) }
        + (isFuzzing ? ["RasterFuzz", "InputFuzz"].map { .library(name: $0, type: .static, targets: [$0]) } : []),
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
        .package(url: "https://github.com/swhitty/FlyingFox", .upToNextMinor(from: "0.27.1")),
    ],
    targets: [
        .target(name: "CLinux"),
        .systemLibrary(name: "CLibevdev", pkgConfig: "libevdev", providers: [.apt(["libevdev-dev"])]),
        .systemLibrary(name: "CLibdrm", pkgConfig: "libdrm", providers: [.apt(["libdrm-dev"])]),
        .systemLibrary(name: "CLibudev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
        .systemLibrary(name: "CLibpng", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        // SwiftPM warns of the -pthread in its flags, which it leaves out and which Glibc does not need.
        .systemLibrary(name: "CPango", pkgConfig: "pangoft2", providers: [.apt(["libpango1.0-dev"])]),
        .systemLibrary(name: "CLibsystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CLibssl", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CGlib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(name: "CQpdf", pkgConfig: "libqpdf", providers: [.apt(["libqpdf-dev"])]),
        .systemLibrary(name: "CQrencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        module("Linux", ["Geometry", "CLinux", "CLibudev", "CLibsystemd"]),
        module("Geometry"),
        module("JSON"),
        module("Touch", ["Linux", "Geometry", "CLibevdev"]),
        module("Ink", ["Geometry"]),
        .target(name: "CProcessor"),
        module("RasterKernel", ["Geometry", "CProcessor"]),
        module("Raster", ["Geometry", "CProcessor", "RasterKernel"] + wideKernel),
        module("Canvas", ["Geometry", "Ink", "Raster"]),
        module("PNG", ["Geometry", "Raster", "CLibpng"]),
        module("Screen", ["Linux", "CLinux", "Geometry", "Raster", "CLibdrm"]),
        module("Virtual", ["Linux", "Geometry", "Touch", "Raster", "Screen"]),
        .target(
            name: "HostAPI", dependencies: ["JSON", "Linux", "Geometry", "Document"],
            resources: [.embedInCode("org.inkpanel.Panel.varlink"), .embedInCode("org.varlink.service.varlink")],
            swiftSettings: swiftSettings),
        module("Evidence", ["CLibcrypto", "Linux", "Document", "HostAPI", "Record"]),
        module("Record", ["JSON", "Geometry", "Ink", "Document", "HostAPI"]),
        module("Store", ["Linux", "Geometry", "Document", "HostAPI", "Record", "Evidence"]),
        module(
            "Formats",
            [
                "JSON", "Geometry", "Ink", "Raster", "PNG", "Document", "HostAPI", "Record", "Evidence", "CExpat",
                "CZlib", "CQrencode",
            ]),
        module(
            "Pages",
            ["Geometry", "Touch", "Ink", "Raster", "Canvas", "PNG", "HostAPI", "Record", "Formats", "Pad", "CPango"]),
        .target(
            name: "Pad", dependencies: ["Geometry", "Touch", "Ink", "Raster", "Document", "HostAPI", "Record"],
            resources: languages.map { .embedInCode("Strings/\($0).messages") },
            swiftSettings: swiftSettings),
        module("Speech", ["Linux", "Pad"]),
        // Pure, like Pad: what is put into documents, and where.
        module(
            "Signing",
            ["Geometry", "Raster", "Document", "HostAPI", "Record", "Evidence", "Formats", "Pad", "Pages"]),
        module(
            "Configuration",
            [
                "Linux", "Geometry", "Touch", "Ink", "Raster", "Document", "HostAPI", "Record", "Evidence", "Store",
                "Pad",
            ]),
        module(
            "Usage", ["Linux", "Configuration", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        .target(
            name: "Control",
            dependencies: [
                "Linux", "Geometry", "Ink", "Canvas", "PNG", "Document", "HostAPI", "Record", "Evidence", "Store",
                "Formats", "Pad",
            ],
            swiftSettings: swiftSettings),
        module(
            "Panel",
            [
                "Linux", "Geometry", "Touch", "Ink", "Raster", "Canvas", "PNG", "Screen", "HostAPI", "Record",
                "Evidence", "Store", "Formats", "Pad", "Pages", "Configuration", "Control", "Virtual", "Document",
                "Signing", "Speech",
            ]),
        .executableTarget(
            name: "inkpanel",
            dependencies: [
                "Linux", "Geometry", "Touch", "Ink", "Raster", "Canvas", "PNG", "Screen", "HostAPI", "Record",
                "Evidence", "Store", "Document", "Formats", "Pad", "Pages", "Configuration", "Usage", "Control",
                "Virtual", "Panel", "Signing", "Speech", "JSON",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Demo/README.md"], resources: [.embedInCode("Demo/demo.events")],
            swiftSettings: swiftSettings),
        module("HTTP", withFlyingFox(["JSON", "HostAPI", "Evidence", "Linux", "Configuration"])),
        // Ink, Pad and Geometry have the values of the settings that the page of a virtual panel changes.
        .target(
            name: "Gateway",
            dependencies: withFlyingFox([
                "JSON", "HostAPI", "Evidence", "Linux", "Geometry", "Ink", "Pad", "Configuration", "HTTP", "Webhooks",
            ]),
            resources: webFiles.map { .embedInCode("Web/" + $0) },
            swiftSettings: swiftSettings),
        module(
            "Compatibility",
            withFlyingFox(
                ["JSON", "HostAPI", "Document", "Linux", "Geometry", "Raster", "PNG", "Evidence", "HTTP", "Gateway"])),
        module("Webhooks", ["CLibcrypto", "JSON", "HostAPI", "Linux", "Configuration", "HTTP"]),
        // A program of its own, so that Foundation stays out of the panel's process.
        .executableTarget(
            name: "inkpanel-gateway",
            dependencies: withFlyingFox([
                "Linux", "Configuration", "Usage", "HTTP", "Gateway", "Compatibility", "Webhooks",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
            swiftSettings: swiftSettings),
        module(
            "Fleet",
            [
                "CLibcrypto", "CLibssl", "CMosquitto", "JSON", "Linux", "Geometry", "HostAPI", "Evidence",
                "Configuration", "Usage",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // A program of its own, so that no network reaches the panel's process.
        .executableTarget(name: "inkpanel-fleet", dependencies: ["Fleet"], swiftSettings: swiftSettings),
        module("Document", ["Geometry", "JSON"]),
        module("PDF", ["CGlib", "CQpdf", "CZlib", "CLibcrypto", "CLibpng", "JSON", "Linux", "Geometry", "Document"]),
        // A program of its own, so that nothing in the panel's process parses foreign documents.
        .executableTarget(
            name: "inkpanel-document", dependencies: ["Linux", "PDF"], swiftSettings: swiftSettings),
        .executableTarget(
            name: "inkpanel-bench",
            dependencies: [
                "Linux", "Geometry", "Touch", "Ink", "Raster", "Canvas", "HostAPI", "Record", "Evidence", "Store",
                "Formats", "Pages", "Configuration",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swiftSettings),
        .target(
            name: "TestSupport", dependencies: ["Linux", "Geometry", "Raster", "CLibpng"],
            path: "Tests/support/TestSupport", swiftSettings: swiftSettings),
        .target(
            name: "HTTPFixtures", dependencies: withFlyingFox(["JSON", "Linux", "Configuration", "HTTP"]),
            path: "Tests/support/HTTPFixtures", swiftSettings: swiftSettings),
        // Not in TestSupport, which the fuzzer links.
        .target(
            name: "CaptureFixtures",
            dependencies: [
                "Linux", "Geometry", "Ink", "Raster", "Document", "HostAPI", "Record", "Store", "TestSupport",
            ],
            path: "Tests/support/CaptureFixtures",
            swiftSettings: swiftSettings),
        .target(
            name: "PadFixtures", dependencies: ["Geometry", "Touch", "Ink", "Raster", "HostAPI", "Record", "Pad"],
            path: "Tests/support/PadFixtures", swiftSettings: swiftSettings),
        .target(
            name: "ControlFixtures",
            dependencies: [
                "Linux", "Geometry", "Touch", "Ink", "Raster", "Document", "HostAPI", "Record", "Store", "Pad",
                "Control", "PadFixtures",
            ],
            path: "Tests/support/ControlFixtures", swiftSettings: swiftSettings),
        .executableTarget(
            name: "control-peer", dependencies: ["Linux", "HostAPI", "Record", "Store", "Control", "ControlFixtures"],
            path: "Tests/programs/ControlPeer", swiftSettings: swiftSettings),
        // A thousand panels of a fleet in one process.
        .executableTarget(
            name: "fleet-peer", dependencies: ["JSON", "Linux", "Geometry", "HostAPI", "Fleet"],
            path: "Tests/programs/FleetPeer", swiftSettings: swiftSettings),
        // Contact sheets of all pages, for `make faces`.
        .executableTarget(
            name: "faces",
            dependencies: [
                "Linux", "Geometry", "Ink", "Touch", "Raster", "Canvas", "PNG", "HostAPI", "Record", "Pad", "Pages",
                "PadFixtures",
            ],
            path: "Tests/programs/Faces", swiftSettings: swiftSettings),
        // The programs of Examples/Package.swift, which see only what is public; built here, no library is built twice.
        example("draw-ink", ["Geometry", "Ink", "Raster", "Canvas", "PNG"]),
        example("take-signature", ["HostAPI"]),
        .executableTarget(
            name: "service-peer", dependencies: ["Linux"], path: "Tests/programs/ServicePeer",
            swiftSettings: swiftSettings),
        // What comes from devices, files and hosts, checked; for the unit tests and the fuzzer.
        .target(
            name: "InputChecks",
            dependencies: [
                "JSON", "Geometry", "Touch", "Ink", "Raster", "PNG", "HostAPI", "Record", "Formats", "Pad",
                "Configuration", "Control", "Virtual", "Evidence", "Document", "PDF", "Signing",
            ],
            path: "Tests/support/InputChecks", exclude: ["Seeds"], swiftSettings: swiftSettings),
        .testTarget(
            name: "InputFuzzTests", dependencies: ["Linux", "InputChecks", "TestSupport"],
            path: "Tests/unit/InputFuzzTests", swiftSettings: swiftSettings),
        tests("Linux", ["Geometry", "service-peer"]),
        tests("Geometry", []),
        tests("JSON", []),
        tests("HostAPI", ["JSON", "Geometry", "Document"]),
        tests("Touch", ["Linux", "Geometry", "Ink", "Pad"]),
        .target(name: "CAllocations", path: "Tests/support/CAllocations"),
        .executableTarget(
            name: "allocations", dependencies: ["CAllocations", "Geometry", "Touch", "Ink", "Raster", "TestSupport"],
            path: "Tests/programs/Allocations", swiftSettings: swiftSettings),
        .target(name: "CFork", path: "Tests/support/CFork"),
        .executableTarget(
            name: "journal-kills",
            dependencies: [
                "CFork", "Linux", "Geometry", "HostAPI", "Record", "Evidence", "Store", "TestSupport",
                "CaptureFixtures",
            ],
            path: "Tests/programs/JournalKills", swiftSettings: swiftSettings),
        .executableTarget(
            name: "raster-accuracy", dependencies: ["Geometry", "Raster", "TestSupport"],
            path: "Tests/programs/RasterAccuracy", swiftSettings: swiftSettings),
        .executableTarget(
            name: "format-files",
            dependencies: ["Linux", "Geometry", "HostAPI", "Record", "Formats", "CaptureFixtures"],
            path: "Tests/programs/FormatFiles", swiftSettings: swiftSettings),
        .executableTarget(
            name: "evidence-peer", dependencies: ["JSON", "Linux", "HostAPI", "Record", "Evidence", "Store"],
            path: "Tests/programs/EvidencePeer",
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "document-signer", dependencies: ["Linux", "Document", "PDF", "Evidence"],
            path: "Tests/programs/DocumentSigner", swiftSettings: swiftSettings),
        tests("Ink", ["Geometry"]),
        tests("Raster", ["Geometry", "CProcessor", "RasterKernel"] + wideKernel, excluding: ["Golden"]),
        tests("Canvas", ["Geometry", "Ink", "Raster"]),
        tests("Screen", ["Linux", "Geometry", "Raster", "CLibdrm"]),
        .target(
            name: "VirtualFixtures", dependencies: ["Linux", "Geometry", "Raster", "Virtual"],
            path: "Tests/support/VirtualFixtures", swiftSettings: swiftSettings),
        tests("Virtual", ["Linux", "Geometry", "Touch", "Raster", "Screen", "VirtualFixtures"]),
        tests("Evidence", ["CLibcrypto"], excluding: ["age-vectors.txt"]),
        tests("Record", ["JSON", "Linux", "Geometry", "Ink", "Raster", "Document", "HostAPI", "CaptureFixtures"]),
        tests(
            "Store",
            [
                "Linux", "Geometry", "Ink", "Raster", "HostAPI", "Record", "Evidence", "journal-kills",
                "CaptureFixtures",
            ]),
        tests(
            "Formats",
            [
                "Linux", "Geometry", "Ink", "Raster", "Canvas", "PNG", "Document", "HostAPI", "Record", "Store",
                "CaptureFixtures",
            ]),
        tests(
            "Pages", ["Geometry", "Ink", "Raster", "Canvas", "Pad", "HostAPI", "Record", "Formats", "CaptureFixtures"]),
        tests(
            "Pad",
            [
                "Geometry", "Touch", "Ink", "Raster", "Canvas", "Document", "HostAPI", "Record", "CaptureFixtures",
                "PadFixtures",
            ]),
        tests("Speech", ["Linux", "Geometry", "Pad"]),
        tests(
            "Signing", ["Geometry", "Raster", "Document", "HostAPI", "Record", "Formats", "Pad", "Pages"]),
        tests("Configuration", ["Geometry", "Touch", "Ink", "Raster", "HostAPI", "Record", "Store", "Pad"]),
        tests(
            "Control",
            [
                "Linux", "Geometry", "Ink", "Raster", "Canvas", "PNG", "HostAPI", "Record", "Evidence", "Store",
                "Formats", "Pad", "CaptureFixtures", "ControlFixtures",
            ]),
        tests(
            "Panel",
            [
                "Linux", "Geometry", "Touch", "Ink", "Raster", "Canvas", "PNG", "Screen", "HostAPI", "Record",
                "Evidence", "Store", "Formats", "Pad", "Pages", "Configuration", "Control", "Virtual",
                "CaptureFixtures", "VirtualFixtures", "inkpanel-bench", "Document", "Signing", "inkpanel-document",
            ]),
        tests("HTTP", withFlyingFox(["JSON", "Linux", "HostAPI", "Evidence", "Configuration", "HTTPFixtures"])),
        tests("Gateway", withFlyingFox(["JSON", "Linux", "HostAPI", "Evidence", "HTTP", "HTTPFixtures"])),
        tests(
            "Compatibility",
            withFlyingFox(["JSON", "Geometry", "Raster", "PNG", "HostAPI", "HTTP", "Gateway", "HTTPFixtures"])),
        tests("Webhooks", ["JSON", "Linux", "HostAPI", "Configuration"]),
        tests("inkpanel-gateway"),
        tests("Document", ["JSON", "Geometry"]),
        tests("PDF", ["JSON", "Linux", "Geometry", "Document"]),
        tests("Fleet", ["JSON", "Linux", "Geometry", "HostAPI", "Evidence"]),
        tests(
            "inkpanel",
            [
                "Linux", "Geometry", "Touch", "Ink", "Raster", "Canvas", "PNG", "Screen", "HostAPI", "Record",
                "Evidence", "Store", "Document", "Formats", "Pad", "Pages", "Configuration", "Usage", "Control",
                "Virtual", "Panel", "CaptureFixtures", "PadFixtures",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        tests(
            "inkpanel-bench",
            [
                "Linux", "Geometry", "Touch", "Ink", "Raster", "Canvas",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
    ] + wideKernelTargets
        + (isFuzzing
            ? [
                .target(
                    name: "RasterFuzz", dependencies: ["Geometry", "Raster", "TestSupport"],
                    path: "Tests/programs/RasterFuzz", swiftSettings: swiftSettings),
                .target(
                    name: "InputFuzz", dependencies: ["InputChecks"], path: "Tests/programs/InputFuzz",
                    exclude: ["dictionaries"], swiftSettings: swiftSettings),
            ] : []),
    swiftLanguageModes: [.v6]
)

// Unit tests draw, and look at pixels, most of the time, which takes thirty times as long without optimisation. Tests
// that look for races are not optimised (make/checks.mk).
if Context.environment["INKPANEL_UNOPTIMISED"] == nil {
    let hot = [
        "Geometry", "JSON", "Ink", "RasterKernel", "Raster", "Canvas", "Record", "Formats", "Pages", "PDF",
        "TestSupport",
        "InkTests", "RasterTests", "CanvasTests",
    ]
    for target in package.targets where hot.contains(target.name) {
        target.swiftSettings = swiftSettings + [.unsafeFlags(["-O"], .when(configuration: .debug))]
    }
}

// Nothing loads the panel as a library, so it exports nothing; and equal functions are linked once: 1.4 MiB less. Both
// gold and LLD fold functions; GNU ld, with which Debian 13's Swift 6.0 links, does not.
if let panel = package.targets.first(where: { $0.name == "inkpanel" }) {
    var options = ["-Xlinker", "--no-export-dynamic"]
    #if compiler(>=6.1)
        options += ["-Xlinker", "--icf=safe"]
    #endif
    panel.linkerSettings = [.unsafeFlags(options, .when(configuration: .release))]
}

// SwiftPM builds one product or all. With INKPANEL_PROGRAMS="inkpanel inkpanel-gateway" these are all, so that one call
// builds them, beside each other.
if var names = Context.environment["INKPANEL_PROGRAMS"]?.split(separator: " ").map(String.init) {
    var needed: Set<String> = []
    while let name = names.popLast() {
        guard needed.insert(name).inserted else { continue }
        for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
            if case .byNameItem(let other, _) = dependency { names.append(other) }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { !needed.contains($0.name) }
}
