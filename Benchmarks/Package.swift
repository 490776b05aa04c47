// swift-tools-version: 6.2
import PackageDescription

let engine: Target.Dependency = .product(name: "HTMLEngine", package: "countersign")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")

let package = Package(
    name: "countersign-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "countersign", path: ".."),
        // Without ConfigurationSupport: nothing here reads settings with swift-configuration, which is a module more to build.
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: ["FullFoundation"]),
        .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
    ],
    targets: [
        .systemLibrary(name: "CBareXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .target(name: "CBareTree", dependencies: ["CBareXML2"], linkerSettings: [.linkedLibrary("gumbo")]),
        .target(name: "CBareCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "Measuring"),
        .executableTarget(name: "Parsing", dependencies: ["CBareTree", "Measuring", engine]),
        .executableTarget(name: "Selecting", dependencies: ["CBareTree", "Measuring", engine]),
        .executableTarget(
            name: "LoginToFile",
            dependencies: [
                "CBareCurl", "Measuring", engine, hummingbird,
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "X509", package: "swift-certificates"),
            ]),
        .executableTarget(name: "PagesByPeers", dependencies: ["Measuring", engine]),
        .executableTarget(name: "SessionMemory", dependencies: ["Measuring", engine, hummingbird]),
        .executableTarget(name: "Launch"),
        .executableTarget(name: "FetchByCurl", dependencies: ["CBareCurl"]),
        .executableTarget(
            name: "FetchByCountersign",
            dependencies: [
                .product(name: "Automation", package: "countersign"),
                .product(name: "HTMLAutomation", package: "countersign"),
                .product(name: "BrowserAutomation", package: "countersign"),
                .product(name: "BankScript", package: "countersign"),
                .product(name: "Secrets", package: "countersign"),
            ]),
        .executableTarget(
            name: "BatchFetch",
            dependencies: [
                "CBareCurl", "Launch", "Measuring", engine,
                .product(name: "Automation", package: "countersign"),
                .product(name: "HTMLAutomation", package: "countersign"),
                .product(name: "BankScript", package: "countersign"),
                .product(name: "Messages", package: "countersign"),
                .product(name: "Secrets", package: "countersign"),
                .product(name: "countersign", package: "countersign"),
            ]),
        .executableTarget(
            name: "WholeFetch",
            dependencies: [
                "Measuring", "Launch", "FetchByCurl", "FetchByCountersign",
                .product(name: "countersign", package: "countersign"),
            ]),
        .executableTarget(
            name: "HouseholdSpeed",
            dependencies: ["Measuring", "Launch", .product(name: "countersign", package: "countersign")]),
        .executableTarget(
            name: "ArchiveSpeed",
            dependencies: ["Measuring", "Launch", .product(name: "countersign", package: "countersign")]),
        .executableTarget(
            name: "FileSpeed",
            dependencies: ["Measuring", "Launch", .product(name: "countersign", package: "countersign")]),
        .executableTarget(
            name: "TokenCodes", dependencies: ["Measuring", .product(name: "SecondFactor", package: "countersign")]),
        .executableTarget(
            name: "BrokerSpeed",
            dependencies: ["Measuring", hummingbird, .product(name: "Broker", package: "countersign")]),
    ],
    swiftLanguageModes: [.v6]
)
