import Messages

/// The kinds of files that banks offer as documents.
package enum FileKind: String, Sendable, Hashable, CaseIterable, Comparable {
    case pdf
    case csv
    /// OFX 1 and 2, which is also what QFX and Money files are.
    case ofx
    /// CAMT.053 statements, CAMT.052 reports and CAMT.054 notifications.
    case camt
    /// MT940 statements and MT942 reports.
    case mt940
    case qif
    case xlsx
    case zip
    /// One page, which is kept without its scripts.
    case html
    /// The answer of a bank's interface, as the bank gave it.
    case json

    /// The kind of file that documents of a kind are.
    package init(_ kind: DocumentKind) {
        switch kind {
        case .pdf: self = .pdf
        case .csv: self = .csv
        case .ofx: self = .ofx
        case .camt: self = .camt
        case .mt940: self = .mt940
        case .qif: self = .qif
        case .xlsx: self = .xlsx
        case .html: self = .html
        case .json: self = .json
        }
    }

    /// The kind of a document; nil for an archive, which holds documents.
    package var document: DocumentKind? { DocumentKind(rawValue: rawValue) }

    /// The media type (RFC 6838) of files of this kind.
    package var mediaType: String { document?.mediaType ?? "application/zip" }

    /// The ending of file names, without the full stop.
    package var fileExtension: String { document?.fileExtension ?? rawValue }

    /// The kind with its article, for sentences.
    package var words: String {
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
        case .json: "a JSON file"
        }
    }

    package static func < (left: FileKind, right: FileKind) -> Bool { left.rawValue < right.rawValue }
}
