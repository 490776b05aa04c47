import BankScript
import Encodings
import HTMLEngine
import Markup
import WebURL

/// Decides whether the page that a step failed on is one that a mend may look at.
struct PageJudgement {
    let script: BankScript
    /// The pages of the old recording.
    let oldPages: [PageSight]

    /// - Parameters:
    ///   - page: the page before the step in the new recording.
    ///   - old: the page before the same step in the old recording.
    /// - Throws: ``MendRefusal`` for a page that shows trouble, asks for the password again, is another bank's, or has a
    ///   form that goes elsewhere.
    func check(_ page: PageSight, insteadOf old: PageSight) throws(MendRefusal) {
        let title = page.document.title.inLine(limit: 80)
        guard page.status < 400 else {
            throw MendRefusal(
                .errorPage, "the bank answered \(page.status) with “\(title)”: wait, and run the script again")
        }
        let oldWords = old.document.title + " " + Self.headline(of: old.document)
        if let word = MendWords.trouble(in: page.document.title + " " + Self.headline(of: page.document)),
            MendWords.trouble(in: oldWords) == nil
        {
            throw MendRefusal(
                .errorPage,
                "“\(title)” says “\(word)”: it shows trouble at the bank or with the account, not a new layout")
        }
        let outline = PageOutline(page.document)
        let named = script.origins.compactMap { try? Origin(parsing: $0) }
        if let form = outline.forms.first(where: { !Self.goes($0.action, to: named) }) {
            throw MendRefusal(
                .foreignForm,
                "a form of “\(title)” goes to \((form.action ?? "nowhere").inLine(limit: 120)), which the script does not name"
            )
        }
        guard shares(page) else {
            throw MendRefusal(
                .anotherBank,
                "“\(title)” has almost nothing in common with the pages of the old recording: it is another bank's, or wholly "
                    + "new; record a visit: countersign script record URL")
        }
        func hasPassword(_ outline: PageOutline) -> Bool {
            outline.forms.contains { $0.fields.contains { $0.type == "password" && !$0.isHidden } }
        }
        if hasPassword(outline), !hasPassword(PageOutline(old.document)) {
            throw MendRefusal(
                .signInAgain,
                "“\(title)” asks for the password, where the old recording did not: the sign-in was refused, or the session ended"
            )
        }
    }

    /// Returns whether a form goes to one of the origins.
    private static func goes(_ action: String?, to origins: [Origin]) -> Bool {
        guard let action, let url = try? URLRecord(parsing: action), let origin = Origin(of: url) else { return false }
        return origins.contains(origin)
    }

    static func headline(of document: Document) -> String {
        PageOutline(document).headings.first?.text ?? ""
    }

    /// Returns whether the page has some of the words that all old pages have: the bank's name, its footer, its menu.
    private func shares(_ page: PageSight) -> Bool {
        var common: Set<String>?
        for old in oldPages {
            let words = Self.words(of: old.document)
            common = common?.intersection(words) ?? words
        }
        guard let common, !common.isEmpty else { return true }
        return Double(common.intersection(Self.words(of: page.document)).count) / Double(common.count) >= 0.3
    }

    /// Words of fewer letters are in every page of a language.
    private static let shortest = 5

    private static func words(of document: Document) -> Set<String> {
        Set(
            (document.title + " " + document.text).lowercased().split { !$0.isLetter }.map(String.init)
                .filter { $0.count >= shortest })
    }
}
