import Encodings
import Markup

// A list with each link above its month looks like one with each link below, where only the first link and the last
// month tell. To guess would give a person their neighbour's document.

extension FlatEntry {
    /// Returns whether the link of each entry may be above its head: a control like those between the heads comes
    /// before the first head, and none after the last.
    ///
    /// - Parameter heads: the places of the heads among the siblings, in order.
    static func mayFollowControls(_ heads: [Int], of siblings: [Element]) -> Bool {
        guard let first = heads.first, let last = heads.last, first < last else { return false }
        return ControlKind.mayPrecedeHeads(
            kinds(of: siblings[..<first]), kinds(of: siblings[first..<last]), kinds(of: siblings[last...]))
    }

    /// On a hostile page there are thousands.
    private static let mostKinds = 100

    private static func kinds(of elements: some Sequence<Element>) -> Set<ControlKind> {
        var kinds: Set<ControlKind> = []
        for element in elements where kinds.count < mostKinds {
            guard let control = element.firstControl else { continue }
            kinds.insert(ControlKind(tag: element.name, control: control, words: element.wordsBesideControls))
        }
        return kinds
    }
}

extension Element {
    /// The element itself, or the first in it, that a person can use.
    var firstControl: Element? { isSomethingToUse ? self : descendants.first(where: \.isSomethingToUse) }
}

extension Element.LinesOfBlock {
    /// The same as ``FlatEntry/mayFollowControls(_:of:)``, for lines that end in a break.
    static func mayFollowControls(_ heads: [Int], of lines: [Element.Line]) -> Bool {
        guard let first = heads.first, let last = heads.last, first < last else { return false }
        func kinds(_ lines: ArraySlice<Element.Line>) -> Set<ControlKind> {
            Set(
                lines.compactMap { line in
                    line.control.map {
                        let words = $0.text.isEmpty ? line.text : line.text.replacing($0.text, with: "").foldingSpace
                        return ControlKind(tag: "", control: $0, words: words)
                    }
                })
        }
        return ControlKind.mayPrecedeHeads(
            kinds(lines[..<first]), kinds(lines[first..<last]), kinds(lines[last...]))
    }
}

/// The words and the tag that the links of one list have in common.
private struct ControlKind: Hashable {
    private let tag: String
    private let words: String
    private let name: Set<String>

    init(tag: String, control: Element, words: String) {
        self.tag = tag
        self.words = words.loweringCase.filter { !$0.isNumber }
        name = Set(control.text.loweringCase.words.map(String.init))
    }

    static func mayPrecedeHeads(
        _ leading: Set<ControlKind>, _ between: Set<ControlKind>, _ trailing: Set<ControlKind>
    ) -> Bool {
        // Another document's words may be before one month's link, and a line such as “Terms” below the list.
        leading.contains { lead in between.contains { $0.isNamed(like: lead) } }
            && !trailing.contains { trail in
                between.union(leading).contains { $0.words == trail.words && $0.isNamed(like: trail) }
            }
    }

    /// Returns whether both may be links of one list. “Download April” and “Download March” are, and two pictures;
    /// “Back” and “Download” are not.
    private func isNamed(like other: ControlKind) -> Bool {
        tag == other.tag && (name == other.name || !name.isDisjoint(with: other.name))
    }
}
