// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "sample",
    targets: [
        .target(name: "Sample"),
        .testTarget(name: "SampleTests", dependencies: ["Sample"]),
    ]
)
