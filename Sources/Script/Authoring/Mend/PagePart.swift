import Encodings
import HTMLEngine
import Markup
import Secrets

/// A link, a button or a field of a page, with what tells it from others when its name changes.
struct PagePart {
    enum Kind: Sendable {
        case link, button, field
    }

    let element: Element
    let kind: Kind
    /// Its name for a person.
    let name: String
    /// The name that it is submitted under; empty for a link.
    let submissionName: String
    let id: String
    /// `text`, `password`, `submit` and so on; empty for a link.
    let type: String
    let autocomplete: String
    /// The address of a link, or of the form of a field or a button.
    let destination: Destination?
    /// The only button of its form.
    let isOnlyButton: Bool
    /// The names of the parts before and after it.
    var neighbours: Set<String> = []

    /// Returns the parts of a page that a person can use, in document order.
    static func all(of document: Document, origins: [String]) -> [PagePart] {
        let outline = PageOutline(document)
        var parts: [PagePart] = []
        let links = Dictionary(outline.links.map { ($0.element, $0) }) { first, _ in first }
        let forms = outline.forms
        for form in forms {
            let place = form.action.map { Destination(method: form.method, url: $0, origins: origins) }
            for field in form.fields where !field.isHidden {
                parts.append(
                    PagePart(
                        element: field.element, kind: .field, name: field.label, submissionName: field.name,
                        id: field.element[attribute: "id"] ?? "", type: field.type,
                        autocomplete: field.element[attribute: "autocomplete"] ?? "", destination: place,
                        isOnlyButton: false))
            }
        }
        for element in document.controlsToPress {
            if let link = links[element] {
                parts.append(
                    PagePart(
                        element: element, kind: .link, name: link.label, submissionName: "",
                        id: element[attribute: "id"] ?? "", type: "", autocomplete: "",
                        destination: Destination(method: "GET", url: link.url, origins: origins), isOnlyButton: false))
                continue
            }
            let form = forms.first { $0.buttons.contains { $0.element == element } }
            // A button with a target of its own goes where its form does not.
            let isPlain = !element.has("formaction")
            parts.append(
                PagePart(
                    element: element, kind: element.name == "a" ? .link : .button, name: element.accessibleName,
                    submissionName: element[attribute: "name"] ?? "", id: element[attribute: "id"] ?? "",
                    type: element[attribute: "type"] ?? "submit", autocomplete: "",
                    destination: form.flatMap { form in
                        isPlain ? form.action.map { Destination(method: form.method, url: $0, origins: origins) } : nil
                    },
                    isOnlyButton: form?.buttons.count == 1))
        }
        for index in parts.indices {
            let around = [index - 1, index + 1].filter(parts.indices.contains).map { parts[$0].name }
            parts[index].neighbours = Set(around)
        }
        return parts
    }

    /// True if a script may hold the name: it reads back as the same text, and nothing in it is filled in, hidden or masked.
    var hasUsableName: Bool { Self.isUsable(name) }

    static func isUsable(_ name: String) -> Bool {
        !name.isEmpty && name.count <= 80 && name == name.inLine() && !name.contains("{{") && !name.contains("}}")
            && !name.hasPrefix("$") && !name.contains(Secret.mask) && !name.contains("•")
    }
}

extension PagePart {
    /// Returns how much this part is like one of the old page, from 0 to 1, by all that both have.
    func likeness(to old: PagePart) -> Double {
        var sum = 0.0
        var most = 0.0
        func count(_ value: Double, of weight: Double) {
            sum += value * weight
            most += weight
        }
        count(Self.nameLikeness(old.name, name), of: 3)
        count(old.kind == kind ? 1 : 0, of: 1)
        if !old.submissionName.isEmpty || !submissionName.isEmpty {
            count(old.submissionName == submissionName ? 1 : 0, of: 3)
        }
        if !old.id.isEmpty, !id.isEmpty { count(old.id == id ? 1 : 0, of: 2) }
        if old.kind == .field {
            count(old.type == type ? 1 : 0, of: 1)
            if !old.autocomplete.isEmpty { count(old.autocomplete == autocomplete ? 1 : 0, of: 1) }
        }
        if let there = old.destination {
            count(destination.map { $0.likeness(to: there) } ?? 0, of: old.kind == .link ? 4 : 2)
        }
        if old.isOnlyButton { count(isOnlyButton ? 1 : 0, of: 2) }
        count(old.neighbours.isDisjoint(with: neighbours) ? 0 : 1, of: 1)
        return sum / most
    }

    /// Returns how much a name is like another, or like a part's whose name nothing else is known of.
    static func nameLikeness(_ left: String, _ right: String) -> Double {
        max(Similarity.of(left, right), MendWords.meanTheSame(left, right) ? 0.9 : 0)
    }
}

extension Destination {
    /// Returns 1 for the same place, and less for a place beside it, such as another document of one list.
    fileprivate func likeness(to other: Destination) -> Double {
        guard method == other.method, originIndex == other.originIndex else { return 0 }
        if path == other.path { return query == other.query ? 1 : 0.85 }
        guard path.count == other.path.count, path.count > 1, path.dropLast() == other.path.dropLast() else { return 0 }
        return 0.7
    }
}
