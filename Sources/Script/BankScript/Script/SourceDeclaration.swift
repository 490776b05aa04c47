import Messages

/// A way to a bank's documents that is not its pages: a protocol, which a plug-in speaks. It takes the place of steps.
///
/// ```yaml
/// bank: musterbank
/// name: Musterbank
/// source: fints
/// at: https://fints.musterbank.example/fints
/// bank code: "12345678"
/// fetch: [pdf, camt]
/// ```
public struct SourceDeclaration: Sendable, Hashable {
    public var source: SourceName
    /// The address of the bank's server. The run contacts no other origin than its own.
    public var address: String
    /// The source's settings beside the address, by the names of ``SourceRule/settings``.
    public var settings: [String: String]
    /// The kinds of documents to fetch.
    public var kinds: [DocumentKind]

    public init(_ source: SourceName, at address: String, settings: [String: String], fetching kinds: [DocumentKind]) {
        self.source = source
        self.address = address
        self.settings = settings
        self.kinds = Set(kinds).sorted()
    }

    /// The origin of the address: scheme, host and port, as far as it has them.
    var origin: String {
        guard let scheme = address.firstRange(of: "://") else { return address }
        return String(address[..<scheme.upperBound] + address[scheme.upperBound...].prefix { !"/?#".contains($0) })
    }

    /// Returns the declaration for the same server at another origin.
    func served(at origin: String) -> SourceDeclaration {
        var copy = self
        copy.address = origin + address.dropFirst(self.origin.count)
        return copy
    }
}

/// The name of a source of documents, as a bank's file gives it.
public struct SourceName: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    /// - Parameter rawValue: a plug-in's name, see ``PluginName``.
    public init?(rawValue: String) {
        guard PluginName.isValid(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(standard name: String) { rawValue = name }

    /// The bank's pages, which a script's steps walk through. A script without `source` has it.
    public static let web = SourceName(standard: "web")
    /// FinTS 3.0 with PIN and TAN.
    public static let fints = SourceName(standard: "fints")
    /// The sources of this project's own program.
    public static let standard = [web, fints]
}

extension BankScript {
    /// A bank whose documents come from a source that is not its pages.
    ///
    ///     let bank = BankScript(
    ///         "musterbank", named: "Musterbank",
    ///         from: SourceDeclaration(
    ///             .fints, at: "https://fints.musterbank.example/fints", settings: ["bank code": "12345678"],
    ///             fetching: [.pdf, .camt]))
    public init(
        _ id: String, named name: String, from declaration: SourceDeclaration, pins: [String: [String]] = [:],
        isForTesting: Bool = false, credentials: [String] = Self.usualCredentials, source: String? = #fileID
    ) {
        self.init(
            id: id, name: name, origins: [declaration.origin], pins: pins, isForTesting: isForTesting,
            credentials: credentials, steps: [], source: source)
        documentSource = declaration
    }

    /// True if one visit can fetch several documents.
    public var fetchesSeveral: Bool { documentSource != nil || !forEachPeriod.isEmpty }

    /// True if a request may choose among the customer's accounts.
    public var listsAccounts: Bool { documentSource != nil || accounts != nil }
}
