import Encodings
import Markup
import Selectors

// Codes that a page takes in pieces: a row of fields with one character each, which it moves through while a person types.

extension Page {
    /// Returns the fields of the pieces that a locator names: by the group's name, by its first field, or one by one.
    ///
    /// Each locator finds one of them, in the page's order. It holds while the page keeps its fields.
    ///
    /// - Returns: an empty array for a usual field, and where the page has not two or more fields for pieces there.
    package func characterFields(of locator: Locator) throws -> [Locator] {
        let parts = try parts(of: locator)
        guard parts.count > 1 else { return [] }
        let inputs = try document.elements(.css("input"))
        return parts.compactMap { part in inputs.firstIndex(of: part).map { Locator.css("input").nth($0 + 1) } }
    }

    private func parts(of locator: Locator) throws -> [Element] {
        let found = try elements(locator)
        switch found.count {
        case 0: return try group(named: locator)?.characterFields ?? []
        case 1 where found[0].isForOneCharacter:
            let around = found[0].ancestors.first { $0.characterFields.count > 1 }
            return around?.characterFields ?? []
        case 1: return found[0].controlType == .none ? found[0].characterFields : []
        default:
            // Several fields of one name may belong to several codes.
            switch locator.target {
            case .css, .xpath: return found.allSatisfy(\.isForOneCharacter) ? found : []
            default: return []
            }
        }
    }

    private func group(named locator: Locator) throws -> Element? {
        guard case .field(let name) = locator.target, locator.nth == nil else { return nil }
        let scope = try locator.scope.first.map { try document.element($0) } ?? document.root
        let groups = scope?.descendants.filter { element in
            let role = element[attribute: "role"]?.lowercased()
            return (element.tag == .fieldset || role == "group") && !element.isHidden
                && element.characterFields.count > 1
        }
        let named = try name.matching(groups ?? [], of: locator) { $0.names }
        guard named.isEmpty else { return named.count == 1 ? named[0] : nil }
        // A block without a name: the text before it says what the fields are for.
        let blocks = (scope?.descendants.filter { $0.isBlock && $0.characterFields.count > 1 } ?? []).innermost
        let titled = try name.matching(blocks, of: locator) { [$0.textBefore].compactMap(\.self) }
        return titled.count == 1 ? titled[0] : nil
    }
}

extension Element {
    /// True for a field that holds one character, such as a digit of a code.
    fileprivate var isForOneCharacter: Bool {
        tag == .input && controlType.isTypable && takesOneCharacter && !isHidden && !isDisabled
    }

    /// True if an attribute says that one character is all that the field takes.
    private var takesOneCharacter: Bool {
        if self[attribute: "maxlength"] == "1" { return true }
        // A page whose script moves on after each digit may have only the picture of such a field.
        guard !has("maxlength") else { return false }
        if self[attribute: "size"] == "1" || self[attribute: "max"] == "9" { return true }
        return ["[0-9]", "[0-9]{1}", "\\d", "\\d{1}", "^[0-9]$"].contains(self[attribute: "pattern"] ?? "")
    }

    /// The text of the nearest line before the element; nil where a control stands between.
    fileprivate var textBefore: String? {
        var here = self
        while let parent = here.parent {
            for node in here.nodes(before: 10) {
                switch node {
                case .text(let text) where text.foldingSpace.isEmpty: continue
                case .text(let text): return text.foldingSpace
                case .element(let element):
                    if element.isOutOfReach || element.text.isEmpty && !element.holdsSomethingToUse { continue }
                    return element.isSomethingToUse || element.holdsSomethingToUse ? nil : element.text
                }
            }
            if parent.tag == .body { return nil }
            here = parent
        }
        return nil
    }

    /// The fields for one character inside the element; none where it has other fields to type into beside them.
    fileprivate var characterFields: [Element] {
        let typable = descendants.filter { $0.controlType.isTypable && !$0.isHidden }
        return typable.allSatisfy(\.isForOneCharacter) ? typable : []
    }
}
