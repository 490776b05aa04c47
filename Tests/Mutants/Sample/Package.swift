// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "sample",
    targets: [
        .target(name: "Sample", path: "Sources/Base/Sample"),
        .testTarget(name: "SampleTests", dependencies: ["Sample"]),
    ]
)
