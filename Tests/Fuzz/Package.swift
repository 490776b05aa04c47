// swift-tools-version: 6.2
import PackageDescription

// Built with the fuzzer's and the sanitizer's flags, which go to every module: see `make fuzz`.
let package = Package(
    name: "countersign-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "countersign", path: "../..")],
    targets: [
        .executableTarget(name: "FuzzPages", dependencies: [.product(name: "HTMLEngine", package: "countersign")])
    ],
    swiftLanguageModes: [.v6]
)
