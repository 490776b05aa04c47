// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "countersign-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "countersign", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .target(name: "CBareCurl", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(
            name: "LoginToFile",
            dependencies: [
                "CBareCurl",
                .product(name: "HTMLEngine", package: "countersign"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]),
        .executableTarget(
            name: "SessionMemory",
            dependencies: [
                .product(name: "HTMLEngine", package: "countersign"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]),
        .executableTarget(
            name: "BrokerSpeed",
            dependencies: [
                .product(name: "Broker", package: "countersign"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
