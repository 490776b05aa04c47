import Foundation

@testable import HTMLEngine
@testable import Markup
@testable import Secrets
@testable import Selectors
@testable import WebURL

/// Parses a page, selects elements, and submits its forms.
///
/// The first line of the input is the text to find and to type, the rest is the page.
func fuzzPage(_ input: [UInt8]) {
    let end = input.firstIndex(of: UInt8(ascii: "\n")) ?? 0
    let words = String(decoding: input[..<end], as: UTF8.self)
    let page = Array(input[end...])
    // Without a content type, the page's bytes determine its encoding.
    for type in ["text/html; charset=utf-8", nil] {
        guard let document = try? Document.parse(page, contentType: type, url: "https://bank.example/a?b#c") else {
            continue
        }
        select(words, in: document)
        locate(words, in: document)
        for form in document.forms.prefix(4) { submit(form, typing: words) }
        let outline = PageOutline(document)
        promise(outline.forms.count == document.forms.count, "an outline has the page's forms")
    }
}

private func select(_ words: String, in document: Document) {
    let all = (try? document.select(css: "*")) ?? []
    promise(all.map(\.node) == document.root.map { [$0.node] + ElementsBelow($0.node) }, "`*` is every element")
    let found = (try? document.select(css: words)) ?? []
    promise(Set(found).isSubset(of: all) && Set(found).count == found.count, "a selection is of the page")
    if let scope = found.first { _ = try? document.select(css: words, in: scope) }
    let nodes = (try? document.select(xpath: words)) ?? []
    promise(Set(nodes).isSubset(of: all), "an XPath's elements are the page's")
}

private func locate(_ words: String, in document: Document) {
    let locators: [Locator] = [
        .field(.name(words)), .button(.name(words)), .link(.name(words)), .row(.name(words)),
        .cell(header: .name(words)), .text(.exact(words)), .heading(.name(words)),
    ]
    for locator in locators {
        do throws(LocatorError) {
            let element = try document.element(locator)
            promise(!element.isHidden, "a locator finds what a person sees")
        } catch {
            promise(!error.description.isEmpty, "an error says what it is")
        }
    }
}

private func submit(_ form: Element, typing words: String) {
    var state = FormState()
    let controls = form.ownedControls
    for control in controls.prefix(16) {
        promise(control.formOwner == form, "a form owns the controls that it is the owner of")
        try? state.fill(control, with: .text(words))
        try? state.check(control, true)
        try? state.choose(.name(words), in: control, locator: .css("*"))
    }
    guard let url = try? URLRecord(parsing: form.document.url) else { fatalError("a page's own URL is one") }
    let buttons = [nil] + controls.filter(\.isSubmitButton).prefix(3).map(Optional.some)
    for button in buttons {
        let list = EntryList(of: form, submitter: button, state: state, encoding: form.document.encoding)
        _ = list.urlEncoded(form.document.encoding)
        _ = list.multipart(form.document.encoding, boundary: "boundary")
        _ = list.plainText(form.document.encoding)
        guard let submission = try? Submission(of: form, submitter: button, state: state, url: url, base: url) else {
            continue
        }
        let text = submission.url.description
        promise((try? URLRecord(parsing: text))?.description == text, "a form goes to what is a URL")
    }
    state.reset(form)
}
