/// Estimates, without parsing, how deep and how large a page's tree will be.
enum ParseGuard {
    /// Elements that have no content, or that the parser closes by itself where the next one begins.
    private static let uncounted: Set<String> = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
        "p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "thead", "tbody", "tfoot", "colgroup", "html",
        "head", "body", "rp", "rt",
    ]
    private static let rawText: Set<String> = ["script", "style", "textarea", "title", "xmp", "iframe", "noembed"]

    static func check(_ bytes: [UInt8], _ limits: DocumentLimits) throws(DocumentError) {
        guard bytes.count <= limits.size else {
            throw DocumentError(
                code: .tooLarge, message: "the page has \(bytes.count) bytes; the size limit is \(limits.size)")
        }
        var scan = TagScan(bytes: bytes)
        var depth = 0
        var elements = 0
        while let tag = scan.next() {
            guard !tag.isEnd else {
                if !uncounted.contains(tag.name) { depth = max(0, depth - 1) }
                continue
            }
            elements += 1
            guard elements <= limits.elements else {
                throw DocumentError(
                    code: .tooManyElements,
                    message: "the page has more elements than the element limit of \(limits.elements)")
            }
            if rawText.contains(tag.name) {
                scan.skip(pastEndOf: tag.name)
            } else if !uncounted.contains(tag.name) {
                depth += 1
                guard depth <= limits.depth else {
                    throw DocumentError(
                        code: .tooDeep, message: "the page nests deeper than the depth limit of \(limits.depth)")
                }
            }
        }
    }
}

/// The tags of a page in order, comments left out.
private struct TagScan {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func next() -> (name: String, isEnd: Bool)? {
        while let open = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = open + 1
            if bytes[position...].starts(with: "!--".utf8) {
                skipComment()
                continue
            }
            let isEnd = position < bytes.count && bytes[position] == UInt8(ascii: "/")
            if isEnd { position += 1 }
            guard position < bytes.count, bytes[position].isLetter else { continue }
            let start = position
            while position < bytes.count, position - start < 32, !bytes[position].endsTagName { position += 1 }
            return (String(decoding: bytes[start..<position], as: UTF8.self).lowercased(), isEnd)
        }
        return nil
    }

    private mutating func skipComment() {
        position += 3
        while position < bytes.count {
            guard let dash = bytes[position...].firstIndex(of: UInt8(ascii: "-")) else {
                position = bytes.count
                return
            }
            position = dash + 1
            if bytes[dash...].starts(with: "-->".utf8) {
                position = dash + 3
                return
            }
        }
    }

    mutating func skip(pastEndOf name: String) {
        let wanted = Array("</\(name)".utf8)
        while let open = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = open
            let candidate = bytes[position...].prefix(wanted.count)
            if candidate.count == wanted.count, zip(candidate, wanted).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) { return }
            position += 1
        }
        position = bytes.count
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
    fileprivate var endsTagName: Bool { self == 0x3E || self == 0x2F || self <= 0x20 }
}
