import DOM
import Foundation
import HTMLEngine
import Selectors

/// A page as it was at one moment, and what was looked for on it. It holds whatever the page holds: only what
/// ``sanitised(mask:)`` gives may be kept.
public struct PageSnapshot: Sendable {
    let document: Document
    let status: Int
    let url: String
    let title: String
    /// What the locator found.
    let matches: [Element]
    /// What was filled in since the page came.
    let filled: FilledForms

    init(_ page: Page, filled: FilledForms, outlining locator: Locator?) {
        document = page.document
        status = page.status
        url = page.url
        title = page.title
        self.filled = filled
        matches = locator.flatMap { try? page.elements($0) } ?? []
    }

    /// The page without scripts, the values that its fields came with, secrets, account numbers and amounts; what was
    /// filled in is shown, secrets as dots, and what was looked for is outlined.
    public func sanitised(mask: Mask = Mask()) -> SanitisedPage {
        SanitisedPage(document, mask: mask, outlining: matches, filled: filled)
    }
}
