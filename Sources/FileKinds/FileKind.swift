/// The kinds of files that banks offer as documents.
public enum FileKind: String, Sendable, Hashable, CaseIterable, Comparable {
    case pdf
    case csv
    /// OFX 1 and 2, which is also what QFX and Money files are.
    case ofx
    /// CAMT.053 statements and CAMT.052 reports.
    case camt
    /// MT940 statements and MT942 reports.
    case mt940
    case qif
    case xlsx
    case zip
    /// One page, which is kept without its scripts.
    case html

    /// The media type (RFC 6838) of files of this kind.
    public var mediaType: String {
        switch self {
        case .pdf: "application/pdf"
        case .csv: "text/csv"
        case .ofx: "application/x-ofx"
        case .camt: "application/xml"
        case .mt940: "text/plain"
        case .qif: "application/x-qif"
        case .xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        case .zip: "application/zip"
        case .html: "text/html"
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

    /// The kind with its article, for sentences.
    public var words: String {
        switch self {
        case .pdf: "a PDF"
        case .csv: "a CSV file"
        case .ofx: "an OFX file"
        case .camt: "a CAMT file"
        case .mt940: "an MT940 file"
        case .qif: "a QIF file"
        case .xlsx: "a spreadsheet (XLSX)"
        case .zip: "a ZIP archive"
        case .html: "an HTML page"
        }
    }

    public static func < (left: FileKind, right: FileKind) -> Bool { left.rawValue < right.rawValue }
}
