import CurlClient
import Foundation

/// What a browser sends when a form is submitted (HTML standard, section 4.10.21.3).
struct Submission {
    let url: WebURL
    let method: String
    let body: [UInt8]?
    let contentType: String?

    init(of form: Element, submitter: Element?, state: FormState, base: WebURL) throws {
        let encoding = Self.encoding(of: form)
        func attribute(_ own: String, _ name: String) -> String? {
            submitter?[attribute: own] ?? form[attribute: name]
        }
        try state.checkComplete(form, submitter: submitter)
        let list = EntryList(of: form, submitter: submitter, state: state, encoding: encoding)
        let action = attribute("formaction", "action").flatMap { $0.isEmpty ? nil : $0 }
        let target =
            try action.map { try WebURL(parsing: $0, base: base, encoding: form.document.encoding.queryEncoding) }
            ?? base
        let method = attribute("formmethod", "method")?.lowercased() ?? "get"
        guard method != "dialog" else {
            throw FormError(message: "the form belongs to a dialog, which only JavaScript opens")
        }
        guard method == "post" else {
            guard !list.holdsSecret else {
                throw FormError(
                    message: "the form would put a secret into the address (its method is GET); nothing was sent")
            }
            url = target.replacing(query: String(decoding: list.urlEncoded(encoding), as: UTF8.self))
            self.method = "GET"
            body = nil
            contentType = nil
            return
        }
        url = target
        self.method = "POST"
        switch attribute("formenctype", "enctype")?.lowercased() {
        case "multipart/form-data":
            let boundary = "----countersign" + UUID().uuidString.replacing("-", with: "")
            body = list.multipart(encoding, boundary: boundary)
            contentType = "multipart/form-data; boundary=\(boundary)"
        case "text/plain":
            body = list.plainText(encoding)
            contentType = "text/plain"
        default:
            body = list.urlEncoded(encoding)
            contentType = "application/x-www-form-urlencoded"
        }
    }

    private static func encoding(of form: Element) -> CharacterEncoding {
        form[attribute: "accept-charset"]?.words.lazy.compactMap { CharacterEncoding(label: String($0)) }.first
            ?? form.document.encoding
    }
}
