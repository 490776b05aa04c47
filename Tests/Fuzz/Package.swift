// swift-tools-version: 6.2
import PackageDescription

// Built with the fuzzer's and the sanitizer's flags, which go to every module: see `./run`. One binary for all targets:
// linking is what takes long.
let package = Package(
    name: "countersign-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "countersign", path: "../..")],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                .product(name: "HTMLEngine", package: "countersign"),
                .product(name: "BankScript", package: "countersign"),
                .product(name: "Automation", package: "countersign"),
                .product(name: "Messages", package: "countersign"),
                .product(name: "Authoring", package: "countersign"),
                .product(name: "Signer", package: "countersign"),
                .product(name: "FuzzedModules", package: "countersign"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
