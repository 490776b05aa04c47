import Synchronization

/// The kind of a document that a request can ask for: one that ships, or one that is plugged in.
public struct DocumentKind: RawRepresentable, Sendable {
    /// The name in messages and scripts, and on the command line, such as `pdf`.
    public let rawValue: String
    /// The media type (RFC 6838) of the files.
    public let mediaType: String
    /// The ending of file names, without the full stop.
    public let fileExtension: String

    /// Names a kind that a plug-in brings. Only a program with that plug-in accepts it.
    ///
    /// - Parameters:
    ///   - name: a small letter, then small letters, digits and hyphens, 40 characters at most. No other kind has it.
    ///   - mediaType: the type that no other kind has, such as `application/vnd.mybank.export`.
    ///   - fileExtension: 1 to 10 small letters and digits that no other kind has.
    public init(_ name: String, mediaType: String, fileExtension: String) {
        (rawValue, self.mediaType, self.fileExtension) = (name, mediaType, fileExtension)
    }

    /// Returns the kind with a name; nil for a name that no kind of this program has.
    public init?(rawValue: String) {
        guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    /// Returns the kind with the name that a program once kept: another one may have had a plug-in that this one lacks.
    package static func kept(_ name: String) -> DocumentKind {
        DocumentKind(rawValue: name) ?? DocumentKind(name, mediaType: "application/octet-stream", fileExtension: name)
    }

    /// Returns the first of some kinds whose plug-in this program lacks; nil when it has them all.
    package static func lacked(among kinds: [DocumentKind]) -> DocumentKind? {
        kinds.first { DocumentKind(rawValue: $0.rawValue) == nil }
    }

    /// Returns the kind with the name that another program tells, which may have a plug-in that this one lacks. Nil for what no
    /// kind can be called, so that a list shows no words of a stranger's.
    package static func told(_ name: String) -> DocumentKind? { PluginName.isValid(name) ? kept(name) : nil }
}

extension DocumentKind {
    public static let pdf = DocumentKind("pdf", mediaType: "application/pdf", fileExtension: "pdf")
    public static let csv = DocumentKind("csv", mediaType: "text/csv", fileExtension: "csv")
    /// OFX 1 and 2.
    public static let ofx = DocumentKind("ofx", mediaType: "application/x-ofx", fileExtension: "ofx")
    /// CAMT.053 statements, CAMT.052 reports and CAMT.054 notifications.
    public static let camt = DocumentKind("camt", mediaType: "application/xml", fileExtension: "xml")
    /// MT940 statements and MT942 reports.
    public static let mt940 = DocumentKind("mt940", mediaType: "text/plain", fileExtension: "sta")
    public static let qif = DocumentKind("qif", mediaType: "application/x-qif", fileExtension: "qif")
    public static let xlsx = DocumentKind(
        "xlsx", mediaType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", fileExtension: "xlsx")
    /// One page, which is kept without its scripts.
    public static let html = DocumentKind("html", mediaType: "text/html", fileExtension: "html")
    /// The answer of a bank's interface, as the bank gave it.
    public static let json = DocumentKind("json", mediaType: "application/json", fileExtension: "json")
}

extension DocumentKind: CaseIterable {
    /// The kinds that ship.
    public static let standard: [DocumentKind] = [.pdf, .csv, .ofx, .camt, .mt940, .qif, .xlsx, .html, .json]

    private static let known = Mutex(standard)

    /// Every kind of this program: the ones that ship, then the ones that are plugged in.
    public static var allCases: [DocumentKind] { known.withLock(\.self) }

    /// Adds the kinds of plug-ins to those that ship. Called once, at the start of a program.
    package static func plug(_ kinds: [DocumentKind]) { known.withLock { $0 = standard + kinds } }
}

extension DocumentKind: Hashable, Comparable, CustomStringConvertible {
    public var description: String { rawValue }

    public static func == (left: DocumentKind, right: DocumentKind) -> Bool { left.rawValue == right.rawValue }

    public static func < (left: DocumentKind, right: DocumentKind) -> Bool { left.rawValue < right.rawValue }

    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
