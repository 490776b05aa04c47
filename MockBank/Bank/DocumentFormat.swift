/// A format in which the bank offers a month's transactions.
enum DocumentFormat: String, CaseIterable {
    case pdf, csv, ofx, camt, mt940, qif, xlsx, html, zip

    /// The text of its link.
    var label: String {
        switch self {
        case .camt: "CAMT.053"
        case .html: "Page"
        case .zip: "Everything"
        default: rawValue.uppercased()
        }
    }

    var mediaType: String {
        switch self {
        case .pdf: "application/pdf"
        // Banks often give a wrong or a vague type.
        case .csv: "application/octet-stream"
        case .ofx: "application/x-ofx"
        case .camt: "application/xml"
        case .mt940, .qif: "text/plain"
        case .xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        case .html: "text/html; charset=utf-8"
        case .zip: "application/zip"
        }
    }

    var fileEnding: String {
        switch self {
        case .camt: "xml"
        case .mt940: "sta"
        default: rawValue
        }
    }
}
