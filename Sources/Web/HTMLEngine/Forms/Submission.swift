import Foundation
import Markup
import WebURL

/// The request of a form submission (HTML Standard, section 4.10.21.3).
struct Submission {
    let url: URLRecord
    let method: String
    let body: [UInt8]?
    let contentType: String?
    /// True if the body holds a secret.
    let holdsSecret: Bool

    /// - Parameters:
    ///   - submitter: the button; nil when the form is submitted without one.
    ///   - point: the place where an image button is pressed.
    ///   - url: the document's own URL, which an empty action means, whatever the base URL is.
    /// - Throws: ``FormError``, or ``URLParsingError`` for an invalid action.
    init(
        of form: Element, submitter: Element?, at point: ImagePoint = .corner, state: FormState,
        url documentURL: URLRecord, base: URLRecord, adding added: [EntryList.Entry] = []
    ) throws {
        let encoding = Self.encoding(of: form)
        let button = submitter.flatMap { $0.isSubmitButton ? $0 : nil }
        func attribute(_ own: String, _ name: String) -> String? {
            button?[attribute: own] ?? form[attribute: name]
        }
        try state.checkValidity(form, submitter: submitter)
        var list = EntryList(of: form, submitter: submitter, at: point, state: state, encoding: encoding)
        if !added.isEmpty { list = EntryList(list.entries + added) }
        let action = attribute("formaction", "action") ?? ""
        let target =
            action.isEmpty
            ? documentURL : try URLRecord(parsing: action, base: base, encoding: form.document.encoding.queryEncoding)
        holdsSecret = list.holdsSecret
        switch attribute("formmethod", "method")?.lowercased() {
        case "post":
            url = target
            method = "POST"
            (body, contentType) = Self.content(of: list, attribute("formenctype", "enctype"), encoding)
        case "dialog":
            throw FormError(
                .noForm, "\(form.glimpse) closes a dialog and sends nothing; only JavaScript goes on from there")
        default:
            guard !holdsSecret else {
                throw FormError(
                    .secretInURL,
                    "\(form.glimpse) sends its fields in the address (its method is GET), where a secret must not be; "
                        + "nothing was sent. Look whether the page has another form, or use a JSON request")
            }
            url = target.replacing(query: String(decoding: list.urlEncoded(encoding), as: UTF8.self))
            method = "GET"
            body = nil
            contentType = nil
        }
    }

    private static func content(
        of list: EntryList, _ type: String?, _ encoding: CharacterEncoding
    ) -> (body: [UInt8], type: String) {
        switch type?.lowercased() {
        case "multipart/form-data":
            let boundary = "----countersign" + UUID().uuidString.replacing("-", with: "")
            return (list.multipart(encoding, boundary: boundary), "multipart/form-data; boundary=\(boundary)")
        case "text/plain": return (list.plainText(encoding), "text/plain")
        default: return (list.urlEncoded(encoding), "application/x-www-form-urlencoded")
        }
    }

    /// "Picking an encoding for the form" (section 4.10.21.4).
    private static func encoding(of form: Element) -> CharacterEncoding {
        guard let accepted = form[attribute: "accept-charset"] else { return form.document.encoding }
        return accepted.words.lazy.compactMap { CharacterEncoding(label: String($0)) }.first ?? .utf8
    }
}
