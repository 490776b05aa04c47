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
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// Async functions go on where their callers are (SE-0461), so that a fetch stays on its session's thread.
let stayingWithCallers: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// The ground storey, which every other target may import.
let groundModules = ["Secrets", "JSON", "Encodings", "Files", "Clocks", "TextMatching"]
let ground: [Target.Dependency] = groundModules.map { .byName(name: $0) }

func module(
    _ name: String, path: String? = nil, on storey: [Target.Dependency] = ground, _ dependencies: [Target.Dependency],
    excluding exclude: [String] = [], embedding resources: [String] = [], _ settings: [SwiftSetting] = []
) -> Target {
    .target(
        name: name, dependencies: storey + dependencies, path: path ?? "Sources/\(name)", exclude: exclude,
        resources: resources.map { .embedInCode($0) }, swiftSettings: strict + settings)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency] = [], excluding exclude: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: ground + (groundModules.contains(name) ? [] : [.byName(name: name)]) + ["TestSupport"]
            + dependencies,
        exclude: exclude, swiftSettings: strict)
}

/// A target of the package in Examples, here so that the tests can run it. Like a stranger's, it sees public API only.
func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Examples/Sources/\(name)", packageAccess: false,
        swiftSettings: strict)
}

let package = Package(
    name: "countersign",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "countersign", targets: ["countersign"]),
        .library(name: "Archive", targets: ["Archive", "FileKinds"]),
        .library(name: "BankScript", targets: ["BankScript", "ScriptReview"]),
        .library(name: "Automation", targets: ["Automation", "Clocks"]),
        .library(name: "HTMLAutomation", targets: ["HTMLAutomation", "CurlClient"]),
        .library(name: "BrowserAutomation", targets: ["BrowserAutomation"]),
        .library(name: "Authoring", targets: ["Authoring", "Drafting"]),
        .library(name: "Secrets", targets: ["Secrets"]),
        .library(name: "ScriptTesting", targets: ["ScriptTesting"]),
        .library(name: "HTMLEngine", targets: ["HTMLEngine", "DOM", "WebURL"]),
        .library(
            name: "Phone", targets: ["Phone", "PhoneStore", "AuditLog", "Clocks", "CurlClient", "Files", "KeyVault"]),
        .library(name: "ApprovalPage", targets: ["ApprovalPage"]),
        .library(name: "Broker", targets: ["Broker", "BrokerStore", "Notifications", "Paperless", "AuditLog"]),
        .library(name: "Messages", targets: ["Messages"]),
        .library(name: "Signer", targets: ["Signer"]),
        .library(name: "DeviceTrust", targets: ["DeviceTrust"]),
        .library(name: "SecondFactor", targets: ["SecondFactor", "Secrets", "KeyVault"]),
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
    targets: [
        .systemLibrary(
            name: "CLibXML2", path: "Sources/CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(
            name: "CLibCurl", path: "Sources/CLibCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CZBar", path: "Sources/CZBar"),
        .systemLibrary(
            name: "CQREncode", path: "Sources/CQREncode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CPNG", path: "Sources/CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(
            name: "CTurboJPEG", path: "Sources/CTurboJPEG", pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        .systemLibrary(name: "CLibPQ", path: "Sources/CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CProcess", path: "Sources/CProcess"),
        .systemLibrary(name: "CSpawn", path: "Sources/CSpawn"),
        .systemLibrary(name: "CNitroModule", path: "Sources/CNitroModule"),

        module("Secrets", on: [], ["CProcess"]),
        module("Encodings", on: [], ["Secrets"]),
        module("Files", on: [], ["CSpawn"]),
        module("Clocks", on: [], [], stayingWithCallers),
        module("TextMatching", on: [], []),
        module("JSON", on: [], ["Encodings", "TextMatching"]),

        module("Messages", []),

        module("StrictXML", on: [], ["CLibXML2"]),
        module("CurlClient", ["CLibCurl", crypto], stayingWithCallers),
        module("Selectors", on: [], []),
        module("WebURL", on: [], []),
        module("DOM", on: ["TextMatching"], ["CLibXML2", "Selectors"]),
        module("HTMLEngine", ["CurlClient", "DOM", "Selectors", "WebURL"], stayingWithCallers),
        module("BankScript", ["Messages", "Selectors", yaml, crypto]),
        module("ScriptReview", ["Messages", "BankScript", "Selectors", "WebURL"]),
        module("Automation", ["Messages", "BankScript", "FileKinds", "ScriptReview", "Selectors"], stayingWithCallers),
        module(
            "HTMLAutomation",
            [
                "Automation", "BankScript", "CurlClient", "DOM", "HTMLEngine", "Selectors", "WebURL", crypto,
            ], stayingWithCallers),
        module(
            "BrowserAutomation",
            [
                "Automation", "BankScript", "CNetworkNamespace", "CurlClient", "DOM", "HTMLAutomation", "HTMLEngine",
                "Selectors", "WebURL", crypto, nioSSL, nioTLS, nioCore, nioPosix, nioHTTP1, nioWebSocket,
            ]),
        module(
            "Authoring",
            [
                "Automation", "HTMLAutomation", "BankScript", "CurlClient", "DOM", "HTMLEngine", "Messages",
                "Selectors", "WebURL", crypto, mustache,
            ], embedding: ["Resources"], stayingWithCallers),
        module(
            "Drafting",
            [
                "Authoring", "Automation", "BankScript", "BrowserAutomation", "CurlClient", "DOM", "HTMLAutomation",
                "HTMLEngine", "ScriptReview", "Selectors", "WebURL",
            ], stayingWithCallers),
        module("Signer", ["Messages", crypto]),
        module("Inbox", ["FileKinds", "Messages", "Signer", crypto]),
        module("QRCode", ["CZBar", "CQREncode", "CPNG", "CTurboJPEG"]),
        module("KeyVault", [crypto, cryptoExtras]),
        module("SecondFactor", ["KeyVault", crypto]),
        module("DeviceTrust", ["Messages", crypto, yaml], excluding: ["README.md"]),
        module("AuditLog", [database, crypto]),
        module("AttestedKeys", [crypto, cryptoExtras, x509]),
        module("AmazonKeys", ["AttestedKeys", "CurlClient", crypto, cryptoExtras, asn1]),
        module("ProcessSockets", on: [.byName(name: "Files"), .byName(name: "JSON")], []),
        module("WebAuthn", [crypto]),
        module("Connectors", ["CurlClient", crypto]),
        module("AssistantStore", ["CLibPQ", database, crypto]),
        module("AssistantProcesses", ["AttestedKeys", "Connectors", "ProcessSockets", lifecycle, logging]),
        module(
            "KeyService",
            [
                "AmazonKeys", "AssistantProcesses", "AssistantStore", "AttestedKeys", "AuditLog", "CurlClient",
                "ProcessSockets", database, crypto, lifecycle, logging,
            ]),
        module(
            "Enclave",
            [
                "AmazonKeys", "AssistantProcesses", "AssistantStore", "AttestedKeys", "CNitroModule", "Connectors",
                "CurlClient", "ProcessSockets", crypto, lifecycle, logging,
            ]),
        module("AssistantState", [crypto]),
        module("AssistantDocument", [], embedding: ["Resources/openapi.json"]),
        module("AssistantIdentity", ["AssistantStore", "CurlClient", crypto, cryptoExtras]),
        module(
            "AssistantNotices",
            ["AssistantProcesses", "AssistantState", "AssistantStore", "CurlClient", "Notifications", crypto, logging]),
        module(
            "AssistantWork",
            [
                "AssistantNotices", "AssistantProcesses", "AssistantStore", "Connectors", "CurlClient", "Notifications",
                "ProcessSockets", lifecycle, logging,
            ]),
        module(
            "AssistantReminders",
            ["AssistantNotices", "AssistantState", "AssistantStore", "AssistantWork", "Connectors", "Notifications"]),
        module(
            "AssistantMail",
            ["AssistantNotices", "AssistantState", "AssistantStore", "AssistantWork", "Connectors", "Notifications"]),
        module(
            "AssistantBriefs",
            [
                "Agent", "AssistantMail", "AssistantNotices", "AssistantProcesses", "AssistantState", "AssistantStore",
                "AssistantWork", "Connectors", "Messages", "Notifications", logging,
            ]),
        module(
            "AssistantScheduler",
            [
                "AssistantBriefs", "AssistantMail", "AssistantNotices", "AssistantProcesses", "AssistantReminders",
                "AssistantState", "AssistantStore", "AssistantWork", "Connectors", "CurlClient", lifecycle, logging,
            ]),
        module(
            "Assistant",
            [
                "AssistantBriefs", "AssistantDocument", "AssistantIdentity", "AssistantMail", "AssistantNotices",
                "AssistantProcesses", "AssistantState", "AssistantStore", "AssistantWork", "AttestedKeys", "Connectors",
                "CurlClient", "ProcessSockets", "ServerLimits", "WebAuthn", hummingbird, lifecycle, logging, crypto,
                hummingbirdCore, nioCore,
            ]),
        module("PageServing", [hummingbird, mustache, nioCore]),
        module(
            "AssistantPage",
            ["Assistant", "PageServing", hummingbird, mustache, crypto, logging], embedding: ["Resources"]),
        module("ServerLimits", on: [], [nioCore, nioHTTPTypes]),
        module("Notifications", ["Messages", "CurlClient", crypto, logging]),
        module("Transactions", ["StrictXML", crypto]),
        module("FileKinds", ["CZlib", "DOM", "Messages", "StrictXML", "Transactions", crypto]),
        module("Paperless", ["CurlClient"]),
        module("Archive", ["AuditLog", "FileKinds", database, crypto]),
        module(
            "BrokerStore", ["Messages", "DeviceTrust", "Signer", "Inbox", "AuditLog", "KeyVault", database, crypto]),
        module("Outgoing", ["Messages", "BrokerStore", "Notifications", "Paperless", logging, crypto]),
        module(
            "Broker",
            [
                "Messages", "BrokerStore", "Notifications", "ServerLimits", "DeviceTrust", "Signer", "Inbox",
                "BrokerAccess", "CurlClient", "AuditLog", "Outgoing", "Paperless", hummingbird, hummingbirdTLS,
                lifecycle, logging, nioCore, nioSSL, nioHTTPTypes, hummingbirdCore, crypto, x509, asn1,
            ], embedding: ["Resources/openapi.json"]),
        module("Backup", ["Archive", "AuditLog", "BrokerStore"]),
        module("BrokerAccess", ["Messages", "CurlClient", "Signer"]),
        module("Agent", ["Messages", "CurlClient", "BrokerAccess"]),
        module("PhoneStore", ["Messages", "BankScript", "Signer", "DeviceTrust", "AuditLog", database, crypto]),
        module(
            "Phone",
            [
                "PhoneStore", "Messages", "Automation", "BankScript", "ScriptReview", "KeyVault", "SecondFactor",
                "Signer", "DeviceTrust", "Inbox", "BrokerAccess", "CurlClient", "AuditLog", crypto,
            ]),
        module(
            "ApprovalPage",
            [
                "Phone", "PhoneStore", "Messages", "Automation", "BankScript", "AuditLog", "DeviceTrust", "KeyVault",
                "PageServing", "ServerLimits", "CurlClient", "Notifications", "QRCode", "SecondFactor", "WebAuthn",
                hummingbird, hummingbirdTLS, mustache, logging, crypto, x509, hummingbirdCore, nioCore, nioSSL,
            ], embedding: ["Resources"]),
        module(
            "DefaultBank", path: "BankScripts/DefaultBank", ["BankScript"],
            excluding: ["meridian-savings.yaml", "meridian-savings.test.yaml", "Variants"]),
        module(
            "MockBank", path: "MockBank",
            [
                hummingbird, hummingbirdTLS, mustache, x509, crypto, logging, hummingbirdCore, nioSSL, asn1,
            ], embedding: ["Resources"]),
        module("MockGoogle", [hummingbird, mustache, crypto, logging], embedding: ["Resources"]),
        module(
            "ScriptTesting",
            [
                "Messages", "Authoring", "Automation", "BrowserAutomation", "HTMLAutomation", "BankScript", "MockBank",
                crypto,
            ]),
        module(
            "AssistantDemo",
            [
                "Assistant", "AssistantScheduler", "CurlClient", "Enclave", "KeyService", "MockGoogle", "Terminal",
                hummingbird, hummingbirdHTTP2, crypto, lifecycle, logging, hummingbirdCore,
            ]),
        .target(name: "CWipingAllocator"),
        .target(name: "CNetworkNamespace"),
        module(
            "Terminal",
            [
                "Automation", "Messages", arguments, logging,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        module(
            "ScriptCommands",
            [
                "Terminal", "Authoring", "Automation", "BankScript", "BrowserAutomation", "DefaultBank", "Drafting",
                "HTMLAutomation", "HTMLEngine", "Messages", "ScriptReview", "ScriptTesting", "WebURL", arguments,
            ]),
        module("DiagnosisCommands", ["Broker", "CurlClient", "KeyVault", "Messages", "Terminal", arguments, x509]),
        module(
            "PhoneDesk",
            ["ApprovalPage", "Automation", "KeyVault", "Phone", "PhoneStore", "ProcessSockets", "Terminal"]),
        module("AgentCommands", ["Agent", "Broker", "BrokerAccess", "Messages", "Terminal", arguments]),
        module(
            "AssistantCommands",
            [
                "Assistant", "AssistantPage", "AssistantProcesses", "AssistantScheduler", "AuditLog", "Enclave",
                "KeyService", "Terminal", arguments, lifecycle, logging,
            ]),
        module("AuditCommands", ["AuditLog", "Terminal", arguments]),
        module("BackupCommands", ["Backup", "Broker", "BrokerStore", "Terminal", arguments]),
        module(
            "HouseholdCommands",
            [
                "ApprovalPage", "Automation", "BankScript", "Broker", "BrokerStore", "DefaultBank", "DeviceTrust",
                "KeyVault", "MockBank", "Phone", "PhoneStore", "QRCode", "ScriptCommands", "Terminal", arguments,
            ]),
        module("ScheduleCommands", ["Broker", "BrokerStore", "HouseholdCommands", "Messages", "Terminal", arguments]),
        module("ArchiveCommands", ["Archive", "FileKinds", "Terminal", "Transactions", arguments]),
        .executableTarget(
            name: "countersign",
            dependencies: ground + [
                "AgentCommands", "Archive", "ArchiveCommands", "AssistantCommands", "AssistantDemo", "AuditCommands",
                "BackupCommands", "CWipingAllocator", "DiagnosisCommands", "FileKinds", "HouseholdCommands",
                "ScheduleCommands", "ScriptCommands", "Terminal", "Automation", "HTMLAutomation", "BankScript",
                "Broker", "BrokerStore", "Agent", "ApprovalPage", "Notifications", "Phone", "PhoneDesk", "PhoneStore",
                "KeyVault", "SecondFactor", "QRCode", "Messages", "Signer", "DeviceTrust", "AuditLog", "DefaultBank",
                "MockBank", arguments, logging, lifecycle,
            ], swiftSettings: strict),
        .executableTarget(
            name: "torture",
            dependencies: ground + [
                "Automation", "BankScript", "HTMLAutomation", "AuditLog", "Broker", "CurlClient", "DefaultBank",
                "Inbox", "KeyVault", "Agent", "Archive", "AssistantDemo", "MockGoogle", "LoopbackSockets", "Messages",
                "MockBank", "Phone", "PhoneStore", "Signer", arguments, crypto, database, lifecycle, logging,
            ], path: "Tests/Torture", swiftSettings: strict),

        module("LocatorCases", path: "Tests/LocatorCases", ["Selectors"]),
        module("TestSupport", path: "Tests/TestSupport", []),
        module(
            "LoopbackBroker", path: "Tests/LoopbackBroker",
            [
                "Broker", "CurlClient", "Inbox", "LoopbackSockets", "Messages", "Signer", "TestSupport", database,
                lifecycle, logging,
            ]),
        module("LoopbackSockets", path: "Tests/LoopbackSockets", []),
        module("LoopbackSite", path: "Tests/LoopbackSite", [nioCore, nioPosix]),
        module("LoopbackTLS", path: "Tests/LoopbackTLS", [crypto, x509, nioSSL]),

        tests("Secrets"),
        tests("JSON"),
        tests("Encodings"),
        tests("Files"),
        tests("Clocks"),
        tests("TextMatching"),
        tests("Selectors"),
        tests("KeyVault", [crypto]),
        module("LoopbackNitro", path: "Tests/LoopbackNitro", ["LoopbackSockets", crypto, x509]),
        tests("AttestedKeys", ["LoopbackNitro", crypto, cryptoExtras, x509]),
        module(
            "LoopbackKMS", path: "Tests/LoopbackKMS",
            ["LoopbackServer", "TestSupport", hummingbird, x509, crypto, cryptoExtras, nioCore]),
        tests("AmazonKeys", ["CurlClient", "LoopbackKMS", "LoopbackNitro"]),
        tests("ProcessSockets"),
        tests("AssistantProcesses", ["AttestedKeys"]),
        module("LoopbackPostgres", path: "Tests/LoopbackPostgres", ["TestSupport"]),
        tests("AssistantStore", ["LoopbackPostgres", database]),
        tests(
            "AssistantMail",
            [
                "AssistantNotices", "AssistantState", "AssistantStore", "Connectors", "CurlClient", "MockGoogle",
                "Notifications",
            ]),
        tests(
            "AssistantBriefs",
            [
                "Agent", "AssistantMail", "AssistantNotices", "AssistantProcesses", "AssistantState", "AssistantStore",
                "AssistantWork", "Connectors", "Messages", "Notifications", logging,
            ]),
        tests(
            "AssistantWork",
            [
                "AssistantNotices", "AssistantProcesses", "AssistantStore", "Connectors", "CurlClient",
                "LoopbackPostgres", "MockGoogle", "Notifications", "ProcessSockets", logging,
            ]),
        tests(
            "AssistantReminders",
            [
                "AssistantBriefs", "AssistantNotices", "AssistantProcesses", "AssistantState", "AssistantStore",
                "AssistantWork", "Connectors", "CurlClient", "LoopbackPostgres", "LoopbackPush", "LoopbackSockets",
                "Notifications", "ProcessSockets", logging,
            ]),
        tests(
            "Assistant",
            [
                "Agent", "AssistantBriefs", "AssistantMail", "AssistantNotices", "AssistantProcesses",
                "AssistantReminders", "AssistantState", "AssistantStore", "AssistantWork", "AttestedKeys", "Connectors",
                "CurlClient", "Enclave", "KeyService", "LoopbackKMS", "LoopbackNitro", "LoopbackPage",
                "LoopbackPostgres", "LoopbackSockets", "Messages", "MockGoogle", "Notifications", "ProcessSockets",
                hummingbird, lifecycle, logging, crypto, cryptoExtras,
            ]),
        tests("PageServing", [hummingbird, mustache, nioCore]),
        tests("AssistantPage", ["Assistant", "PageServing", hummingbird, mustache, logging]),
        tests(
            "CurlClient",
            ["LoopbackSockets", "LoopbackTLS", hummingbird, hummingbirdTLS, crypto, nioCore, nioPosix, nioTLS, nioSSL]),
        tests("WebURL"),
        tests("DOM"),
        tests("StrictXML"),
        tests("HTMLEngine", ["LocatorCases", hummingbird]),
        tests("BankScript", ["Messages", "ScriptReview"]),
        tests("ScriptReview", ["BankScript", "Messages", "Selectors"]),
        module("TestServices", path: "Tests/TestServices", ["Automation"]),
        tests("Automation", ["HTMLAutomation", "TestServices", "MockBank", "DefaultBank"], excluding: ["Golden"]),
        tests("HTMLAutomation", ["MockBank"]),
        tests(
            "BrowserAutomation",
            [
                "CurlClient", "DOM", "LocatorCases", "Automation", "BankScript", "DefaultBank", "HTMLEngine",
                "HTMLAutomation", "LoopbackSite", "LoopbackSockets", "MockBank", "ScriptTesting", "Selectors",
                "TestServices", "WebURL", hummingbird, nioCore, nioPosix, nioHTTP1, nioWebSocket,
            ]),
        example("ExampleBank", ["BankScript"]),
        example("MessageGateway", ["Automation", "Secrets"]),
        example("StatementFetcher", ["Automation", "BankScript", "HTMLAutomation", "MessageGateway", "Secrets"]),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "Automation", "BankScript", "ExampleBank", "MessageGateway", "MockBank", "StatementFetcher",
                "TestServices",
            ], swiftSettings: strict),
        module(
            "RecordedVisits", path: "Tests/RecordedVisits",
            [
                "Authoring", "Automation", "BankScript", "CurlClient", "DefaultBank", "HTMLAutomation", "HTMLEngine",
                "MockBank", "TestServices",
            ]),
        tests("Authoring", ["RecordedVisits", "TestServices", "MockBank", "DefaultBank", crypto]),
        tests("Drafting", ["BrowserAutomation", "RecordedVisits", "TestServices", "MockBank", "DefaultBank", crypto]),
        tests("Messages"),
        tests("Signer", ["Messages"]),
        tests("Inbox", ["BadFiles"]),
        tests("QRCode"),
        tests("SecondFactor"),
        tests("DeviceTrust", ["Messages", crypto]),
        tests("AuditLog"),
        module("LoopbackServer", path: "Tests/LoopbackServer", [hummingbird, logging, nioCore, nioPosix]),
        module("LoopbackTelegram", path: "Tests/LoopbackTelegram", ["LoopbackServer", hummingbird, nioCore]),
        tests("BrokerStore", ["AuditLog", "DeviceTrust", "LoopbackBroker", "Messages", "Signer", database]),
        tests("Transactions"),
        module("BadFiles", path: "Tests/BadFiles", ["CZlib", "FileKinds"]),
        tests("FileKinds", ["BadFiles", "CZlib"]),
        tests("Archive", ["BadFiles", "FileKinds", crypto]),
        tests("Backup", ["Archive", "AuditLog", "BrokerStore", "Broker", "LoopbackBroker", "Messages", database]),
        module("LoopbackPaperless", path: "Tests/LoopbackPaperless", ["LoopbackServer", hummingbird, nioCore]),
        module("LoopbackReceiver", path: "Tests/LoopbackReceiver", ["LoopbackServer", hummingbird, nioCore]),
        tests("Paperless", ["LoopbackPaperless", crypto]),
        tests("AgentCommands", ["Agent", "Messages", "Terminal"]),
        tests("AuditCommands", ["AuditLog", "Terminal", database]),
        tests(
            "HouseholdCommands",
            [
                "Automation", "BankScript", "Broker", "BrokerStore", "DeviceTrust", "KeyVault", "LoopbackBroker",
                "Messages", "Phone", "PhoneStore", "Terminal",
            ]),
        tests("ScheduleCommands", ["Broker", "BrokerStore", "LoopbackBroker", "Messages"]),
        tests("ArchiveCommands", ["Archive"]),
        module(
            "LoopbackPush", path: "Tests/LoopbackPush",
            ["CurlClient", "LoopbackServer", "LoopbackTLS", hummingbird, hummingbirdTLS, nioCore]),
        module(
            "LoopbackAPNs", path: "Tests/LoopbackAPNs",
            ["CurlClient", "LoopbackServer", "LoopbackTLS", hummingbird, hummingbirdHTTP2, crypto, nioCore]),
        tests(
            "Notifications",
            [
                "LoopbackAPNs", "LoopbackBroker", "LoopbackPush", "LoopbackReceiver", "LoopbackTLS", "LoopbackTelegram",
                "CurlClient", crypto,
            ]),
        tests(
            "AssistantNotices",
            [
                "AssistantProcesses", "AssistantState", "AssistantStore", "CurlClient", "LoopbackAPNs",
                "LoopbackPostgres", "LoopbackPush", "Notifications", crypto, logging,
            ]),
        tests(
            "Broker",
            [
                "Agent", "BrokerStore", "Notifications", "LoopbackBroker", "LoopbackSockets", "LoopbackTLS",
                "CurlClient", "AuditLog", "Inbox", "Messages", "Signer", "DeviceTrust", hummingbird, database, logging,
                crypto,
            ]),
        tests(
            "Outgoing",
            [
                "Broker", "BrokerStore", "LoopbackBroker", "LoopbackPaperless", "LoopbackReceiver", "Messages",
                "Notifications", "Paperless", database,
            ]),
        tests("WebAuthn", ["LoopbackPage", crypto]),
        tests("Connectors", ["CurlClient", "MockGoogle"]),
        tests("MockGoogle"),
        tests("ServerLimits", [nioCore]),
        tests("BrokerAccess", ["CurlClient", "LoopbackSockets", "Messages", "Signer"]),
        tests("Agent", ["LoopbackBroker", "Broker", "CurlClient", "Inbox", "Messages", "Signer", crypto]),
        module(
            "LoopbackPhone", path: "Tests/LoopbackPhone",
            [
                "Phone", "PhoneStore", "Messages", "Automation", "BankScript", "CurlClient", "DeviceTrust", "KeyVault",
                "LoopbackServer", "LoopbackTLS", "Selectors", "Signer", "TestSupport", hummingbird, hummingbirdTLS,
                crypto,
            ]),
        tests("PhoneStore", ["Messages", database]),
        tests(
            "Phone",
            [
                "PhoneStore", "Authoring", "HTMLAutomation", "LoopbackPhone", "LoopbackTLS", "SecondFactor",
                "DeviceTrust", hummingbird, crypto, database,
            ]),
        module(
            "LoopbackPage", path: "Tests/LoopbackPage",
            ["ApprovalPage", "CurlClient", "LoopbackPhone", "Phone", "PhoneStore", crypto]),
        tests(
            "ApprovalPage",
            [
                "LoopbackBroker", "LoopbackPage", "LoopbackPhone", "LoopbackPush", "LoopbackSockets", "Notifications",
                "PageServing", "Phone", "PhoneStore", "AuditLog", "CurlClient", "DeviceTrust", "KeyVault", "QRCode",
                "SecondFactor", "WebAuthn", mustache, crypto, x509,
            ]),
        tests(
            "PhoneDesk",
            [
                "ApprovalPage", "Automation", "KeyVault", "LoopbackPage", "LoopbackPhone", "Phone", "PhoneStore",
                "Terminal",
            ]),
        tests("DefaultBank", ["MockBank", "Automation"]),
        tests("MockBank", ["CurlClient", crypto]),
        tests("ScriptTesting", ["Authoring", "Automation", "BankScript", "HTMLAutomation", "MockBank"]),
        .testTarget(
            name: "SecurityTests",
            dependencies: ground + [
                "Agent", "ApprovalPage", "AuditLog", "Authoring", "Automation", "BankScript", "Broker", "BrokerAccess",
                "BrokerStore", "Notifications", "BrowserAutomation", "CurlClient", "DefaultBank", "DeviceTrust",
                "HTMLAutomation", "HTMLEngine", "Inbox", "KeyVault", "LoopbackBroker", "LoopbackPage", "LoopbackPhone",
                "LoopbackSite", "LoopbackSockets", "LoopbackTLS", "LoopbackTelegram", "Messages", "MockBank", "Phone",
                "PhoneStore", "SecondFactor", "Signer", "TestServices", "TestSupport", hummingbird, database, crypto,
                logging, nioCore, nioPosix,
            ], swiftSettings: strict),
        tests(
            "countersign",
            [
                "Agent", "Archive", "AssistantProcesses", "AssistantStore", "AttestedKeys", "Authoring", "Automation",
                "BrowserAutomation", "HTMLAutomation", "LoopbackPostgres", "MockBank", "MockGoogle", "ProcessSockets",
                "Broker", "BrokerStore", "Notifications", "Phone", "PhoneStore", "ApprovalPage", "CurlClient", crypto,
                nioCore, nioPosix, nioSSL, "DeviceTrust", "QRCode", "LoopbackPage", "LoopbackPhone", "LoopbackBroker",
                "LoopbackPush", "Messages", "LoopbackSockets", "LoopbackTLS", "LoopbackTelegram", database,
            ], excluding: ["Upgrade/0.1.0"]),
        tests("Terminal"),
        tests("DiagnosisCommands", ["KeyVault", "LoopbackSockets", "LoopbackTLS"]),
        tests(
            "ScriptCommands",
            [
                "Automation", "BankScript", "BrowserAutomation", "Drafting", "HTMLAutomation", "DefaultBank", crypto,
                "MockBank", "Terminal", "TestServices",
            ], excluding: ["Mistakes"]),
    ],
    swiftLanguageModes: [.v6]
)

// The fuzzer is a package of its own, and it also reads with modules that are part of no product.
if Context.environment["COUNTERSIGN_FUZZER"] != nil {
    package.products.append(
        .library(
            name: "FuzzedModules",
            targets: [
                "AssistantIdentity", "AssistantMail", "AssistantProcesses", "AssistantReminders", "AssistantStore",
                "AttestedKeys", "BrowserAutomation", "Connectors", "Encodings", "FileKinds", "Notifications",
                "TextMatching", "Transactions", "WebAuthn",
            ]))
}
