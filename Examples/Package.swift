// swift-tools-version: 6.2
import PackageDescription

func countersign(_ product: String) -> Target.Dependency { .product(name: product, package: "countersign") }

let package = Package(
    name: "countersign-examples",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "StatementFetcher", targets: ["ExampleBank", "MessageGateway", "StatementFetcher"]),
        .executable(name: "own-countersign", targets: ["own-countersign"]),
    ],
    // A package of your own names the repository's address and an exact version instead of a path.
    dependencies: [.package(name: "countersign", path: "..")],
    targets: [
        .target(name: "ExampleBank", dependencies: [countersign("BankScript")]),
        .target(name: "InboxJournal", dependencies: [countersign("Inbox"), countersign("Messages")]),
        .target(name: "LookUp", dependencies: [countersign("Automation"), countersign("BankScript")]),
        .target(name: "MessageGateway", dependencies: [countersign("Automation"), countersign("Secrets")]),
        .target(
            name: "StatementFetcher",
            dependencies: [
                countersign("Automation"), countersign("BankScript"), countersign("HTMLAutomation"),
                countersign("Secrets"), "MessageGateway",
            ]),
        .target(
            name: "NtfyChannel",
            dependencies: [countersign("HTMLAutomation"), countersign("Notifications"), countersign("Secrets")]),
        .target(name: "QuaysideExport", dependencies: [countersign("FileKinds"), countersign("Messages")]),
        .target(name: "SystemdCredentials", dependencies: [countersign("Automation"), countersign("Secrets")]),
        .target(name: "TPMKey", dependencies: [countersign("DeviceTrust"), countersign("Secrets")]),
        .executableTarget(
            name: "own-countersign",
            dependencies: [
                countersign("Authoring"), countersign("CountersignCommandLine"), countersign("HTMLAutomation"),
                "ExampleBank", "InboxJournal", "LookUp", "MessageGateway", "NtfyChannel", "QuaysideExport",
                "SystemdCredentials", "TPMKey",
            ], path: "Sources/OwnProgram"),
    ],
    swiftLanguageModes: [.v6]
)
