import Automation
import HTMLEngine
import Markup
import Selectors

/// A page of the HTML engine as it was at one moment.
package struct HTMLPageSnapshot: PageSnapshot {
    package let document: Document
    package let status: Int
    package let url: String
    package let title: String
    /// The elements that the locator found.
    package let matches: [Element]
    /// The values that were filled in since the page came.
    private let filled: FilledForms
    package var picture: PagePicture?

    package init(_ page: Page, filled: FilledForms, outlining locator: Locator?) {
        document = page.document
        status = page.status
        url = page.url
        title = page.title
        self.filled = filled
        matches = locator.flatMap { try? page.elements($0) } ?? []
    }

    package var matchCount: Int { matches.count }

    package func sanitised(keepingDigits keepsDigits: Bool) -> String {
        SanitisedPage(document, mask: Mask(keepsDigits: keepsDigits), outlining: matches, filled: filled).html
    }
}
