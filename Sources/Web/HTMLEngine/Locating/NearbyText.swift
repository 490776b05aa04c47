import Encodings
import Markup

/// The text beside a field that no attribute names: on old pages it stands in the cell, the row or the block of the field,
/// before it, or after a box to check.
///
/// A wrong name could send a secret into the wrong field, so a text counts only where nothing else can be meant: no other
/// control stands between, the text is one block of its own, and the field is alone in its block.
struct NearbyText {
    private enum Direction { case before, after }

    /// A longer text is a paragraph.
    private static let longest = 100
    /// The most nodes to look at on each level, which bounds the time for a page of nameless fields.
    private static let farthest = 50

    private let field: Element
    /// True to read pictures by their alternative texts: a name may be drawn.
    private var readsPictures = false

    /// - Returns: nil when no text is clearly the field's.
    static func name(of field: Element) -> String? {
        guard field.isA(.field) else { return nil }
        var nearby = NearbyText(field: field)
        let isBox = field.controlType == .checkbox || field.controlType == .radio
        if isBox, let name = nearby.text(.after) { return name }
        if let name = nearby.text(.before) { return name }
        guard !isBox else { return nil }
        if let name = nearby.floatingLabel { return name }
        nearby.readsPictures = true
        return nearby.text(.before)
    }

    /// The label after the field in a block of its own, which a style sheet draws over the field until it is filled.
    private var floatingLabel: String? {
        guard let block = field.parent, !block.endsNearbyText, block.isAloneWith(field),
            let label = field.nodes(after: Self.farthest).lazy.compactMap(\.element).first,
            label.tag == .label || label.tag == .span, !label.isOutOfReach, !label.holdsControl,
            !names(another: label)
        else { return nil }
        return said([label.text], .after) ?? nil
    }

    private func words(of element: Element) -> String {
        guard readsPictures else { return element.text }
        return element.tag == .img ? element[attribute: "alt"] ?? "" : element.nameFromContent()
    }

    private func text(_ direction: Direction) -> String? {
        var here = field
        var run: [String] = []
        while let parent = here.parent {
            for node in direction == .before ? here.nodes(before: Self.farthest) : here.nodes(after: Self.farthest) {
                switch node {
                case .text(let text): run.append(text)
                case .element(let element):
                    if element.isOutOfReach { continue }
                    // What the text before another control names is not this field's.
                    if element.holdsControl {
                        if let name = said(run, direction) { return name }
                        return direction == .before && parent.tag == .tr ? cellAbove(here, in: parent) : nil
                    }
                    guard element.isBlock else {
                        if names(another: element) { return nil }
                        run.append(words(of: element))
                        continue
                    }
                    if let name = said(run, direction) { return name }
                    // A cell of its own may have the colon.
                    guard words(of: element).contains(where: { $0.isLetter || $0.isNumber }) else { continue }
                    // The heading of a form says what all of it is for.
                    let isHeading = element.tag.isHeading && (parent.endsNearbyText || !parent.isAloneWith(field))
                    let isName = element.isOneBlock && !isHeading && !names(another: element)
                    return isName ? said([words(of: element)], direction) ?? nil : nil
                }
            }
            if let name = said(run, direction) { return parent.isInsideAnotherLabel(than: field) ? nil : name }
            if parent.tag == .tr {
                if direction == .before, let name = cellAbove(here, in: parent) { return name }
                // A table around the field alone only places it.
                guard let table = parent.ancestors.first(where: { $0.tag == .table }), table.text.isEmpty,
                    table.isAloneWith(field)
                else { return nil }
                here = table
                continue
            }
            guard !parent.endsNearbyText, parent.isAloneWith(field) else { return nil }
            here = parent
        }
        return nil
    }

    /// - Parameter run: the texts of one line, the nearest first.
    /// - Returns: the name that they are, nil inside for a text too long for a name; nil when they say nothing.
    private func said(_ run: [String], _ direction: Direction) -> String?? {
        let text = (direction == .before ? run.reversed() : run).joined().foldingSpace
        guard text.contains(where: { $0.isLetter || $0.isNumber }) else { return nil }
        return .some(text.count <= Self.longest ? text : nil)
    }

    private func names(another element: Element) -> Bool {
        ([element] + element.descendants).contains { $0.tag == .label && ($0.labeledControl ?? field) != field }
    }

    /// Returns the cell above, in a row that has only texts and as many cells.
    private func cellAbove(_ cell: Element, in row: Element) -> String? {
        let cells = row.children
        guard let column = cells.firstIndex(of: cell), cells.count > 1, let above = row.previous, above.tag == .tr,
            !above.holdsControl, cells.allSatisfy({ $0.holdsControl || $0.text.isEmpty })
        else { return nil }
        let texts = above.children
        guard texts.count == cells.count, texts.allSatisfy({ !$0.has("colspan") }) else { return nil }
        return said([words(of: texts[column])], .before) ?? nil
    }
}

extension Element {
    /// True if it is a control that a person sees, or holds one.
    fileprivate var holdsControl: Bool { ([self] + descendants).contains { $0.isSeenControl } }

    private var isSeenControl: Bool { (isA(.field) || isA(.button)) && !isOutOfReach }

    /// True if all of its text stands in one line or cell.
    fileprivate var isOneBlock: Bool {
        switch tag {
        case .td, .th, .dt, .label, .legend: return true
        default:
            let whole = text
            return descendants.allSatisfy { !$0.isBlock || $0.isOutOfReach || $0.text.isEmpty || $0.text == whole }
        }
    }

    /// True if the field is the only one to type into or choose from.
    fileprivate func isAloneWith(_ field: Element) -> Bool {
        !descendants.contains { other in
            other != field && (other.controlType.isTypable || other.controlType == .select) && !other.isOutOfReach
                && other.isA(.field)
        }
    }

    /// True if a text beyond it is not about a field in it.
    fileprivate var endsNearbyText: Bool {
        switch tag {
        case .form, .fieldset, .table, .tbody, .thead, .tfoot, .body, .html, .dialog, .li, .main, .section, .article:
            true
        default: false
        }
    }

    fileprivate func isInsideAnotherLabel(than field: Element) -> Bool {
        ([self] + ancestors).contains { $0.tag == .label && ($0.labeledControl ?? field) != field }
    }

    /// The names that a locator may use: those of attributes, or else the text beside a field.
    var namesAsSeen: [String] {
        let names = names
        guard names.isEmpty, let name = NearbyText.name(of: self) else { return names }
        return [name]
    }

    /// The name that a person knows it by; empty without one.
    package var nameAsSeen: String { namesAsSeen.first ?? "" }

    /// The text beside a field that has neither a label nor an attribute instead of one. An empty label names nothing, nor does
    /// a reference to an element that is not there.
    var nameBeside: String? {
        guard labels.allSatisfy({ $0.nameFromContent(without: self).isEmpty }),
            (self[attribute: "aria-label"] ?? "").foldingSpace.isEmpty, nameByReference.isEmpty
        else { return nil }
        return NearbyText.name(of: self)
    }
}
