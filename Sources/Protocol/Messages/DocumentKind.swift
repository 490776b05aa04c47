/// The kind of a document that a request can ask for.
public enum DocumentKind: String, Sendable, Hashable, CaseIterable, Comparable {
    case pdf
    case csv
    /// OFX 1 and 2.
    case ofx
    /// CAMT.053 statements, CAMT.052 reports and CAMT.054 notifications.
    case camt
    /// MT940 statements and MT942 reports.
    case mt940
    case qif
    case xlsx
    /// One page, which is kept without its scripts.
    case html
    /// The answer of a bank's interface, as the bank gave it.
    case json

    /// The media type (RFC 6838) of the files.
    public var mediaType: String {
        switch self {
        case .pdf: "application/pdf"
        case .csv: "text/csv"
        case .ofx: "application/x-ofx"
        case .camt: "application/xml"
        case .mt940: "text/plain"
        case .qif: "application/x-qif"
        case .xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        case .html: "text/html"
        case .json: "application/json"
        }
    }

    /// The ending of file names, without the full stop.
    public var fileExtension: String {
        switch self {
        case .camt: "xml"
        case .mt940: "sta"
        default: rawValue
        }
    }

    public static func < (left: DocumentKind, right: DocumentKind) -> Bool { left.rawValue < right.rawValue }
}
