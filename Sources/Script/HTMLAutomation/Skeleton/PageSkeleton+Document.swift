import Automation
import Encodings
import HTMLEngine
import Markup
import Secrets

extension PageSkeleton {
    /// Takes the skeleton of a page.
    ///
    /// - Parameter texts: the texts of the script, folded by ``folded(_:)``. A part with such a name keeps it. Of other names only the
    ///   words of ``BankingVocabulary`` are kept, because a link may be called after a person or an account.
    package init(_ document: Document, knowing texts: Set<String>) {
        var parts: [Part] = []
        func add(_ kind: Kind, _ element: Element, _ name: @autoclosure () -> String) {
            // A row of a table or a list holds what is the person's.
            guard parts.count < Self.mostParts, element.row == nil else { return }
            let name = name()
            let isUsed = texts.contains(Self.folded(name))
            guard let kept = isUsed ? name.inLine(limit: Self.longestName) : Self.masked(name) else { return }
            parts.append(Part(kind, kept, isUsed: isUsed))
        }
        for form in PageOutline(document).forms {
            for field in form.fields where !field.isHidden { add(.field, field.element, field.label) }
        }
        for element in document.controlsToPress.prefix(Self.mostControls) {
            add(element.name == "a" ? .link : .button, element, element.accessibleName)
        }
        self.init(title: Self.masked(document.title) ?? "", parts: parts)
    }

    private static let longestName = 80
    /// The most links and buttons that are looked at. A page of thousands costs no more than one of so many.
    private static let mostControls = 600
    private static let gap = "…"

    /// Returns a name with a gap for each word that may be a person's; nil when nothing is left of it, or when it holds a number.
    private static func masked(_ name: String) -> String? {
        let name = name.inLine(limit: longestName)
        guard !name.contains(where: \.isNumber), Redactor.redact(name) == name else { return nil }
        var pieces: [String] = []
        for token in name.split(whereSeparator: \.isWhitespace) {
            let words = token.lowercased().split { !$0.isLetter }
            // A single letter is an article (l'année) or an ending (bank's).
            let isKept = words.allSatisfy { $0.count == 1 || BankingVocabulary.contains($0) }
            if isKept { pieces.append(String(token)) } else if pieces.last != gap { pieces.append(gap) }
        }
        let kept = pieces.contains { $0 != gap && $0.contains(where: \.isLetter) }
        return kept ? pieces.joined(separator: " ") : nil
    }
}
