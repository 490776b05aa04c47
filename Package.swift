// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] =
    Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let database: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let yaml: Target.Dependency = .product(name: "Yams", package: "Yams")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdHTTP2: Target.Dependency = .product(name: "HummingbirdHTTP2", package: "hummingbird")
let hummingbirdTLS: Target.Dependency = .product(name: "HummingbirdTLS", package: "hummingbird")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioWebSocket: Target.Dependency = .product(name: "NIOWebSocket", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nioHTTPTypes: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let mustache: Target.Dependency = .product(name: "Mustache", package: "swift-mustache")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// Async functions go on where their callers are (SE-0461), so that a fetch stays on its session's thread.
let stayingWithCallers: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// The ground storey, which every target above it may import.
let ground: [Target.Dependency] = ["Secrets", "Encodings", "Clocks", "Machine"]

/// A target in its storey's folder, and the target of its tests.
struct Room {
    let name: String
    let dependencies: [Target.Dependency]
    let excluded: [String]
    let resources: [String]
    let settings: [SwiftSetting]
    /// The modules that the tests import beyond the target and its dependencies; nil without tests.
    let tests: [Target.Dependency]?
    let excludedTests: [String]
    var isProgram = false

    func targets(in folder: String, on base: [Target.Dependency]) -> [Target] {
        let path = "\(folder)/\(name)"
        let settings = strict + settings
        let target: Target =
            isProgram
            ? .executableTarget(name: name, dependencies: base + dependencies, path: path, swiftSettings: settings)
            : .target(
                name: name, dependencies: base + dependencies, path: path, exclude: excluded,
                resources: resources.map { .embedInCode($0) }, swiftSettings: settings)
        guard let tests else { return [target] }
        return [
            target,
            .testTarget(
                name: "\(name)Tests",
                dependencies: base + dependencies + [.byName(name: name), "TestSupport"] + tests,
                exclude: excludedTests,
                swiftSettings: strict),
        ]
    }
}

func room(
    _ name: String, _ dependencies: [Target.Dependency], excluding excluded: [String] = [],
    embedding resources: [String] = [], settings: [SwiftSetting] = [], tests: [Target.Dependency]? = nil,
    testsExcluding excludedTests: [String] = []
) -> Room {
    Room(
        name: name, dependencies: dependencies, excluded: excluded, resources: resources, settings: settings,
        tests: tests, excludedTests: excludedTests)
}

func program(
    _ name: String, _ dependencies: [Target.Dependency], tests: [Target.Dependency], testsExcluding excluded: [String]
) -> Room {
    var room = room(name, dependencies, tests: tests, testsExcluding: excluded)
    room.isProgram = true
    return room
}

/// The targets of a storey: Sources/STOREY/TARGET, with their tests in Tests/TARGETTests.
func storey(_ name: String, _ rooms: [Room]) -> [Target] {
    rooms.flatMap { $0.targets(in: "Sources/\(name)", on: name == "Base" ? [] : ground) }
}

/// The headers of a C library.
func library(_ name: String, pkgConfig: String? = nil, apt packages: [String] = []) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig,
        providers: packages.isEmpty ? nil : [.apt(packages)])
}

/// A target that several targets of tests share.
func support(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: ground + dependencies + (name == "TestSupport" ? [] : ["TestSupport"]),
        path: "Tests/Support/\(name)", swiftSettings: strict)
}

/// A target of the package in Examples, here so that the tests can run it. Like a stranger's, it sees public API only.
func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Examples/Sources/\(name)", packageAccess: false,
        swiftSettings: strict)
}

let house: [[Target]] = [
    [
        library(
            "CImages", pkgConfig: "libpng", apt: ["libpng-dev", "libqrencode-dev", "libturbojpeg0-dev", "libzbar-dev"]),
        library("CLibCurl", pkgConfig: "libcurl", apt: ["libcurl4-openssl-dev"]),
        library("CLibPQ", pkgConfig: "libpq", apt: ["libpq-dev"]),
        library("CLibXML2", pkgConfig: "libxml-2.0", apt: ["libxml2-dev"]),
        library("CLinux"),
        .target(name: "CNetworkNamespace", path: "Sources/System/CNetworkNamespace"),
        .target(name: "CWipingAllocator", path: "Sources/System/CWipingAllocator"),
        library("CZlib", pkgConfig: "zlib", apt: ["zlib1g-dev"]),
    ],
    storey(
        "Base",
        [
            room("Secrets", ["CLinux", crypto], tests: []),
            room("Encodings", ["Secrets"], tests: []),
            room("Clocks", [], settings: stayingWithCallers, tests: []),
            room("Languages", ["Encodings"], tests: []),
            room("Machine", ["CLinux", "Encodings"], tests: []),
            room("Storage", ["Clocks", "Encodings", "Machine", "Secrets", crypto, database], tests: []),
        ]),
    storey(
        "Web",
        [
            room(
                "CurlClient", ["CLibCurl", "CZlib", "WebURL", crypto], settings: stayingWithCallers,
                tests: ["TestServers", nioCore, nioPosix, nioSSL, nioTLS]),
            room(
                "HTMLEngine", ["CurlClient", "Markup", "Selectors", "WebURL"], settings: stayingWithCallers,
                tests: ["TestCases", "TestServers", "WebServing", hummingbird, hummingbirdCore, logging, nioCore]),
            room("Markup", ["CLibXML2", "Selectors"], tests: []),
            room("Selectors", [], tests: []),
            room("WebURL", [], tests: []),
        ]),
    storey(
        "Protocol",
        [
            room(
                "BrokerClient", ["CurlClient", "Messages", "Signer", "WebURL", crypto], tests: ["TestServers"]),
            room("DeviceTrust", ["Messages", "WebURL", crypto, yaml], excluding: ["README.md"], tests: ["Signer"]),
            room("Messages", [], tests: []),
            room("Signer", ["Messages", crypto], tests: []),
        ]),
    storey(
        "Documents",
        [
            room("Archive", ["FileKinds", "Storage", crypto, database], tests: ["TestCases"]),
            room("FileKinds", ["CZlib", "Markup", "Messages", crypto], tests: ["TestCases"]),
            room("Inbox", ["FileKinds", "Messages", "Signer", crypto], tests: ["TestCases"]),
        ]),
    storey(
        "Vault",
        [
            room("Authenticator", ["KeyVault", crypto, cryptoExtras], tests: []),
            room("KeyVault", [crypto, cryptoExtras], tests: []),
            room("QRCode", ["CImages"], tests: []),
        ]),
    storey(
        "Script",
        [
            room(
                "Authoring",
                [
                    "Automation", "BankScript", "BrowserAutomation", "CurlClient", "HTMLAutomation", "HTMLEngine",
                    "Markup", "Messages", "Selectors", "WebURL", crypto, mustache,
                ], embedding: ["Resources"], settings: stayingWithCallers,
                tests: ["DefaultBank", "MockBank", "TestCases"]),
            room(
                "Automation",
                ["Authenticator", "BankScript", "FileKinds", "Messages", "Selectors", "WebURL", crypto],
                settings: stayingWithCallers,
                tests: [
                    "Authoring", "CurlClient", "DefaultBank", "HTMLAutomation", "HTMLEngine", "LookUp", "MockBank",
                    "TestCases", crypto,
                ],
                testsExcluding: ["Golden"]),
            room(
                "BankScript", ["Messages", "Selectors", "WebURL", crypto, yaml], tests: [], testsExcluding: ["Golden"]),
            room(
                "BrowserAutomation",
                [
                    "Automation", "BankScript", "CNetworkNamespace", "CurlClient", "HTMLAutomation", "HTMLEngine",
                    "Markup", "Selectors", "WebURL", crypto, nioCore, nioHTTP1, nioPosix, nioSSL, nioTLS, nioWebSocket,
                ], tests: ["MockBank", "ScriptTesting", "TestCases", "TestServers"]),
            room(
                "FinTS", ["Automation", "BankScript", "CurlClient", "FileKinds", "Messages", "WebURL"],
                tests: ["MockBank", "TestServers", crypto]),
            room(
                "HTMLAutomation",
                ["Automation", "BankScript", "CurlClient", "HTMLEngine", "Markup", "Selectors", "WebURL", crypto],
                settings: stayingWithCallers, tests: ["MockBank"]),
            room(
                "ScriptCollections", ["BankScript", "CurlClient", "WebURL", crypto],
                tests: ["TestServers", hummingbird, nioCore, nioPosix]),
            room(
                "ScriptTesting",
                [
                    "Authoring", "Automation", "BankScript", "BrowserAutomation", "CurlClient", "FileKinds",
                    "HTMLAutomation",
                    "Messages",
                    "MockBank", crypto,
                ], tests: []),
        ]),
    storey(
        "Serving",
        [
            room(
                "Notifications", ["CurlClient", "Languages", "Messages", "WebURL", crypto, logging],
                embedding: ["Resources"],
                tests: ["Broker", "TestParties", "TestServers"]),
            room(
                "WebServing",
                [
                    "Languages", crypto, hummingbird, hummingbirdCore, hummingbirdTLS, logging, mustache, nioCore,
                    nioHTTPTypes, nioSSL,
                ], embedding: ["Resources"], tests: ["TestParties", "TestServers"]),
            room(
                "AuthorDesk",
                [
                    "Authoring", "Automation", "BankScript", "HTMLAutomation", "HTMLEngine", "Markup", "Selectors",
                    "WebServing", crypto, hummingbird, hummingbirdCore, logging, nioCore, nioHTTPTypes,
                ], embedding: ["Resources"],
                tests: ["CurlClient", "DefaultBank", "MockBank", "TestCases", "TestServers"]),
        ]),
    storey(
        "Broker",
        [
            room(
                "Broker",
                [
                    "BrokerClient", "BrokerStore", "CurlClient", "DeviceTrust", "Inbox", "Languages", "Messages",
                    "Notifications", "Signer", "Storage", "WebServing", "WebURL", asn1, crypto, hummingbird,
                    hummingbirdCore, lifecycle, logging, nioCore, nioSSL, x509,
                ], embedding: ["Resources/openapi.json"], tests: ["TestParties", "TestServers", database]),
            room(
                "BrokerStore",
                ["DeviceTrust", "Inbox", "KeyVault", "Messages", "Signer", "Storage", "WebURL", crypto, database],
                tests: ["Broker", "TestParties"]),
        ]),
    storey(
        "Phone",
        [
            room(
                "ApprovalPage",
                [
                    "Authenticator", "Automation", "BankScript", "CurlClient", "DeviceTrust", "KeyVault", "Languages",
                    "Messages", "Notifications", "Phone", "PhoneStore", "QRCode", "Storage", "WebServing", "WebURL",
                    crypto, hummingbird, hummingbirdCore, logging, mustache, nioCore, nioSSL, x509,
                ], embedding: ["Resources"],
                tests: ["HTMLAutomation", "MockBank", "ReadyBanks", "TestParties", "TestServers"]),
            room(
                "Phone",
                [
                    "Authenticator", "Automation", "BankScript", "BrokerClient", "CurlClient", "DeviceTrust",
                    "FileKinds", "Inbox", "KeyVault", "Messages", "PhoneStore", "Signer", "Storage", "WebURL", crypto,
                ], tests: ["Authoring", "HTMLAutomation", "HTMLEngine", "TestParties", "TestServers", database]),
            room(
                "PhoneStore", ["BankScript", "DeviceTrust", "Messages", "Signer", "Storage", crypto, database],
                tests: []),
        ]),
    storey(
        "Assistant",
        [
            room(
                "Assistant",
                [
                    "AssistantJobs", "AssistantProcesses", "AssistantStore", "AttestedKeys", "CurlClient", "WebServing",
                    crypto, cryptoExtras, hummingbird, hummingbirdCore, lifecycle, logging, nioCore,
                ], embedding: ["Resources/openapi.json"],
                tests: [
                    "BrokerClient", "KeyCustody", "Messages", "MockGoogle", "Notifications", "TestParties",
                    "TestServers",
                ]),
            room(
                "AssistantJobs",
                [
                    "AssistantProcesses", "AssistantStore", "BrokerClient", "CurlClient", "Messages", "Notifications",
                    crypto, lifecycle, logging,
                ], tests: ["MockGoogle", "TestServers"]),
            room(
                "AssistantPage", ["Assistant", "Languages", "WebServing", crypto, hummingbird, logging, mustache],
                embedding: ["Resources"], tests: ["AssistantProcesses", hummingbirdCore, nioCore]),
            room(
                "AssistantProcesses", ["AttestedKeys", "CurlClient", crypto, lifecycle, logging], tests: ["MockGoogle"]),
            room("AssistantStore", ["CLibPQ", crypto, database], tests: ["TestServers"]),
            room("AttestedKeys", ["CurlClient", asn1, crypto, cryptoExtras, x509], tests: ["TestServers"]),
            room(
                "KeyCustody",
                [
                    "AssistantProcesses", "AssistantStore", "AttestedKeys", "CLinux", "CurlClient", "Storage", crypto,
                    database, lifecycle, logging,
                ]),
            room(
                "MockGoogle", ["WebServing", crypto, hummingbird, hummingbirdCore, logging, mustache],
                embedding: ["Resources"], tests: []),
        ]),
    storey(
        "CommandLine",
        [
            room(
                "AssistantCommands",
                [
                    "Assistant", "AssistantJobs", "AssistantPage", "AssistantProcesses", "CurlClient", "KeyCustody",
                    "MockGoogle", "Storage", "Terminal", "WebServing", arguments, crypto, hummingbird, hummingbirdCore,
                    hummingbirdHTTP2, lifecycle, logging,
                ]),
            room(
                "BrokerCommands",
                [
                    "CountersignPlugins",
                    "Archive", "Broker", "BrokerClient", "BrokerStore", "DeviceTrust", "FileKinds", "HouseholdCommands",
                    "KeyVault", "Messages", "Phone", "Storage", "Terminal", arguments, lifecycle, logging, yaml,
                ], tests: ["TestCases", "CurlClient", "Inbox", "Signer", "TestParties", crypto]),
            room(
                "HouseholdCommands",
                [
                    "CountersignPlugins",
                    "ApprovalPage", "Automation", "BankScript", "Broker", "BrokerStore", "CurlClient", "DefaultBank",
                    "DeviceTrust", "KeyVault", "Messages", "MockBank", "Notifications", "Phone", "PhoneStore", "QRCode",
                    "ReadyBanks", "ScriptCommands", "Terminal", arguments, x509,
                ], tests: ["TestParties", "TestServers"]),
            room(
                "PhoneCommands",
                [
                    "CountersignPlugins", "ApprovalPage", "Authenticator", "Automation", "BankScript", "DefaultBank",
                    "DeviceTrust", "HTMLAutomation", "HouseholdCommands", "KeyVault", "Messages", "Notifications",
                    "Phone", "PhoneStore", "QRCode", "ReadyBanks", "ScriptCommands", "Storage", "Terminal", "WebURL",
                    arguments,
                ], tests: ["BrowserAutomation", "CurlClient", "MockBank", "TestParties"]),
            room(
                "ScriptCommands",
                [
                    "CountersignPlugins",
                    "AuthorDesk", "Authoring", "Automation", "BankScript", "BrowserAutomation", "DefaultBank",
                    "DeviceTrust",
                    "HTMLAutomation", "HTMLEngine", "Messages", "Phone", "PhoneStore", "ScriptCollections",
                    "ScriptTesting",
                    "Terminal", "WebURL", arguments, x509,
                ], tests: ["MockBank", "TestCases", crypto], testsExcluding: ["Mistakes"]),
            room("Terminal", ["Automation", "Messages", "Storage", arguments, logging, signals], tests: [database]),
            room(
                "CountersignPlugins",
                [
                    "Automation", "BankScript", "DefaultBank", "DeviceTrust", "FileKinds", "FinTS", "Inbox", "Messages",
                    "Notifications",
                ], tests: []),
            room(
                "CountersignCommandLine",
                [
                    "AssistantCommands", "Authenticator", "Automation", "Broker", "BrokerClient",
                    "BrokerCommands", "CWipingAllocator", "CountersignPlugins", "DefaultBank", "FileKinds",
                    "HTMLAutomation", "HouseholdCommands", "KeyVault", "Messages", "MockBank", "Phone",
                    "PhoneCommands", "PhoneStore", "QRCode", "ScriptCommands", "Signer", "Terminal", arguments,
                    lifecycle,
                    logging,
                ]),
            program(
                "countersign", ["CountersignCommandLine"],
                tests: [
                    "ApprovalPage", "Archive", "AssistantPage", "AssistantProcesses", "AssistantStore", "AttestedKeys",
                    "AuthorDesk", "Authoring",
                    "Automation", "BankScript", "Broker", "BrokerClient", "BrokerStore", "BrowserAutomation",
                    "CurlClient", "DefaultBank", "DeviceTrust", "FinTS", "HTMLAutomation", "HTMLEngine",
                    "HouseholdCommands",
                    "Inbox", "KeyVault", "Languages", "Messages", "MockBank", "MockGoogle", "Notifications", "Phone",
                    "PhoneStore", "QRCode",
                    "Signer", "Storage", "Terminal", "TestParties", "TestServers", crypto, database, logging, nioCore,
                    nioPosix,
                    nioSSL,
                ], testsExcluding: ["Mistakes", "Upgrade/0.1.0"]),
        ]),
]

let package = Package(
    name: "countersign",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "countersign", targets: ["countersign"]),
        .library(name: "CountersignCommandLine", targets: ["CountersignCommandLine", "CountersignPlugins"]),
        .library(name: "BankScript", targets: ["BankScript", "Encodings", "Selectors"]),
        .library(name: "Automation", targets: ["Automation", "Clocks"]),
        .library(name: "DeviceTrust", targets: ["DeviceTrust", "Machine"]),
        .library(name: "HTMLAutomation", targets: ["HTMLAutomation", "CurlClient"]),
        .library(name: "BrowserAutomation", targets: ["BrowserAutomation"]),
        .library(name: "Authoring", targets: ["Authoring"]),
        .library(name: "Secrets", targets: ["Secrets"]),
        .library(name: "ScriptTesting", targets: ["ScriptTesting"]),
        .library(name: "HTMLEngine", targets: ["HTMLEngine", "Markup", "WebURL"]),
        .library(name: "Broker", targets: ["Broker"]),
        .library(name: "FileKinds", targets: ["FileKinds"]),
        .library(name: "Inbox", targets: ["Inbox", "Clocks"]),
        .library(name: "Messages", targets: ["Messages"]),
        .library(name: "Notifications", targets: ["Notifications"]),
        .library(name: "Signer", targets: ["Signer"]),
        .library(name: "SecondFactor", targets: ["Authenticator"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        // Without ConfigurationSupport: nothing here reads settings with swift-configuration, which is a module more to build.
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: ["FullFoundation"]),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: house.flatMap { $0 }
        + room(
            "DefaultBank", ["BankScript"],
            excluding: ["meridian-savings.yaml", "meridian-savings.test.yaml", "Variants"], tests: []
        ).targets(in: "BankScripts", on: ground)
        + room(
            "ReadyBanks", ["BankScript"],
            embedding: [
                "enable-banking.yaml", "interactive-brokers.yaml", "monzo.yaml", "simplefin.yaml", "starling.yaml",
                "up.yaml",
            ],
            tests: []
        ).targets(in: "BankScripts", on: ground)
        + room(
            "MockBank",
            [
                "WebServing", asn1, crypto, cryptoExtras, hummingbird, hummingbirdCore, logging, mustache, nioSSL, x509,
            ],
            embedding: ["Resources"], tests: ["CurlClient"]
        ).targets(in: ".", on: ground)
        + [
            support(
                "TestCases",
                [
                    "Authoring", "Automation", "BankScript", "CZlib", "CurlClient", "DefaultBank", "FileKinds",
                    "HTMLAutomation", "HTMLEngine", "MockBank", "Selectors",
                ]),
            support(
                "TestParties",
                [
                    "ApprovalPage", "Automation", "BankScript", "Broker", "CurlClient", "DeviceTrust", "Inbox",
                    "KeyVault", "Messages", "Notifications", "Phone", "PhoneStore", "Selectors", "Signer",
                    "TestServers", crypto,
                    database, hummingbird, hummingbirdCore, lifecycle, logging, nioCore,
                ]),
            support(
                "TestServers",
                [
                    "CurlClient", "WebServing", crypto, cryptoExtras, hummingbird, hummingbirdCore, hummingbirdHTTP2,
                    hummingbirdTLS, logging, nioCore, nioPosix, nioSSL, x509,
                ]),
            support("TestSupport", []),
            example("NtfyChannel", ["CurlClient", "Notifications", "Secrets"]),
            example("ExampleBank", ["BankScript"]),
            example("InboxJournal", ["Clocks", "Inbox", "Messages"]),
            example("LookUp", ["Automation", "BankScript", "Encodings", "Selectors"]),
            example("MessageGateway", ["Automation", "Secrets"]),
            example("QuaysideExport", ["FileKinds", "Messages"]),
            example("SystemdCredentials", ["Automation", "Secrets"]),
            example("TPMKey", ["DeviceTrust", "Machine", "Secrets"]),
            example("StatementFetcher", ["Automation", "BankScript", "HTMLAutomation", "MessageGateway", "Secrets"]),
            // The example program. Like a stranger's package, it sees public API only.
            .executableTarget(
                name: "own-countersign",
                dependencies: [
                    "Authoring", "CountersignCommandLine", "ExampleBank", "HTMLAutomation", "InboxJournal", "LookUp",
                    "MessageGateway", "NtfyChannel", "QuaysideExport", "SystemdCredentials", "TPMKey",
                ], path: "Examples/Sources/OwnProgram", packageAccess: false, swiftSettings: strict),
            .executableTarget(
                name: "torture",
                dependencies: ground + ["TestSupport"] + [
                    "Archive", "AssistantCommands", "Automation", "BankScript", "Broker", "BrokerClient", "CurlClient",
                    "DefaultBank", "FinTS", "HTMLAutomation", "Inbox", "KeyVault", "Messages", "MockBank", "MockGoogle",
                    "Phone", "PhoneStore", "ReadyBanks", "Signer", "Storage", "TestServers", arguments, crypto,
                    database, lifecycle, logging,
                ], path: "Tests/Torture", swiftSettings: strict),
            .testTarget(
                name: "ExamplesTests",
                dependencies: ground + ["TestSupport"] + [
                    "Archive", "Automation", "BankScript", "Broker", "BrokerStore", "DeviceTrust", "ExampleBank",
                    "FileKinds", "Inbox", "InboxJournal", "KeyVault", "MessageGateway", "Messages", "MockBank",
                    "NtfyChannel", "Notifications", "Phone", "PhoneStore", "QuaysideExport", "StatementFetcher",
                    "SystemdCredentials", "TPMKey", "TestCases", "TestParties", "TestServers",
                ], swiftSettings: strict),
            .testTarget(
                name: "SecurityTests",
                dependencies: ground + ["TestSupport"] + [
                    "ApprovalPage", "Automation", "BankScript", "Broker", "BrokerClient", "BrokerCommands",
                    "BrokerStore", "BrowserAutomation", "CurlClient", "DeviceTrust", "HTMLAutomation", "Inbox",
                    "KeyVault", "Messages", "MockBank", "Notifications", "Phone", "PhoneStore", "Selectors", "Signer",
                    "Storage", "TestCases", "TestParties", "TestServers", crypto, database, hummingbird, logging,
                    nioCore,
                ], swiftSettings: strict),
        ],
    swiftLanguageModes: [.v6]
)

// The fuzzer is a package of its own, and it also reads with modules that are part of no product.
if Context.environment["COUNTERSIGN_FUZZER"] != nil {
    package.products.append(
        .library(
            name: "FuzzedModules",
            targets: [
                "Assistant", "AssistantJobs", "AssistantProcesses", "AssistantStore", "AttestedKeys",
                "Authenticator", "BrokerCommands", "BrowserAutomation", "DeviceTrust", "Encodings", "FileKinds",
                "FinTS",
                "Notifications", "ScriptCollections", "Selectors", "WebServing",
            ]))
}
