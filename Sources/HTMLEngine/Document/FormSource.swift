import CGumbo
import CLibXML2
import Foundation

/// Which form each control was given by the parser, by the places where their tags stand in the source.
///
/// A parser keeps a pointer to the form that was opened last, until a `</form>`; a control that is made meanwhile is
/// that form's, wherever it stands in the tree (HTML Standard, sections 13.2.6.1, 13.2.6.4.7 and 4.10.18.3). So a form
/// that a table or a closed `div` left empty has controls all the same. Gumbo keeps no such owners.
struct FormSource {
    private let start: UnsafePointer<CChar>?
    /// Where `</form` stands, in order, and whether it is an end tag.
    private var ends: [(offset: Int, isTag: Bool)]
    private var forms: [(offset: Int, node: xmlNodePtr)] = []
    private var controls: [(offset: Int, node: xmlNodePtr)] = []

    init(_ text: UnsafeBufferPointer<CChar>) {
        start = text.baseAddress
        ends = Self.endTags(in: UnsafeRawBufferPointer(text)).map { ($0, true) }
    }

    private static func endTags(in bytes: UnsafeRawBufferPointer) -> [Int] {
        guard let base = bytes.baseAddress else { return [] }
        let wanted = Array("</form".utf8)
        var found: [Int] = []
        var position = 0
        while position + wanted.count < bytes.count,
            let open = memchr(base + position, Int32(UInt8(ascii: "<")), bytes.count - position)
        {
            let offset = base.distance(to: UnsafeRawPointer(open))
            position = offset + 1
            guard offset + wanted.count < bytes.count, bytes[offset + 1] == UInt8(ascii: "/"),
                (2..<wanted.count).allSatisfy({ bytes[offset + $0] | 0x20 == wanted[$0] })
            else { continue }
            let after = bytes[offset + wanted.count]
            if after <= 0x20 || after == UInt8(ascii: "/") || after == UInt8(ascii: ">") { found.append(offset) }
        }
        return found
    }

    /// Takes note of an element; what its own tag holds is no tag.
    mutating func note(_ node: UnsafeMutablePointer<GumboNode>, as made: xmlNodePtr) {
        let element = node.pointee.v.element
        note(opaque: element.original_tag)
        guard let tag = element.original_tag.data, let start else { return }
        switch element.tag {
        case GUMBO_TAG_FORM: forms.append((start.distance(to: tag), made))
        case GUMBO_TAG_INPUT, GUMBO_TAG_SELECT, GUMBO_TAG_TEXTAREA, GUMBO_TAG_BUTTON:
            controls.append((start.distance(to: tag), made))
        default: break
        }
    }

    /// Takes note of a piece of source in which no tag stands: a comment, a script, an attribute.
    mutating func note(opaque piece: GumboStringPiece) {
        guard !ends.isEmpty, let data = piece.data, let start else { return }
        let first = start.distance(to: data)
        var index = ends.partitioningIndex { $0.offset >= first }
        while index < ends.count, ends[index].offset < first + piece.length {
            ends[index].isTag = false
            index += 1
        }
    }

    /// The form of each control that was made while the parser's pointer was on one.
    var owners: [xmlNodePtr: xmlNodePtr] {
        guard !forms.isEmpty else { return [:] }
        var result: [xmlNodePtr: xmlNodePtr] = [:]
        let forms = forms.sorted { $0.offset < $1.offset }
        let tags = ends.filter(\.isTag)
        for control in controls {
            let after = forms.partitioningIndex { $0.offset > control.offset }
            guard after > 0 else { continue }
            let form = forms[after - 1]
            let end = tags.partitioningIndex { $0.offset > form.offset }
            if end == tags.count || tags[end].offset > control.offset { result[control.node] = form.node }
        }
        return result
    }
}

extension Array {
    /// The first index whose element fits, in an array where all that fit come last.
    fileprivate func partitioningIndex(_ fits: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if fits(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
