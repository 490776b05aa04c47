import CLibXML2

/// A text's UTF-8, for comparison with libxml2's strings, which end with a NUL.
struct ByteString {
    private let bytes: [xmlChar]

    init(_ text: String) {
        bytes = Array(text.utf8) + [0]
    }

    var count: Int { bytes.count - 1 }
    var isEmpty: Bool { count == 0 }

    func equals(_ text: UnsafePointer<xmlChar>) -> Bool { xmlStrEqual(text, bytes) == 1 }

    /// Returns whether a text begins with it.
    func begins(_ text: UnsafePointer<xmlChar>) -> Bool { xmlStrncmp(text, bytes, Int32(count)) == 0 }

    func ends(_ text: UnsafePointer<xmlChar>) -> Bool {
        let length = text.spelling.count
        return length >= count && equals(text + (length - count))
    }

    func isContained(in text: UnsafePointer<xmlChar>) -> Bool { xmlStrstr(text, bytes) != nil }

    /// Returns whether it is one of a text's words, separated by ASCII white space.
    func isWord(of text: UnsafePointer<xmlChar>) -> Bool {
        var position = text
        while true {
            while position.pointee.isASCIISpace { position += 1 }
            guard position.pointee != 0 else { return false }
            let start = position
            while position.pointee != 0, !position.pointee.isASCIISpace { position += 1 }
            if start.distance(to: position) == count, xmlStrncmp(start, bytes, Int32(count)) == 0 { return true }
        }
    }
}

extension xmlChar {
    /// ASCII whitespace (Infra Standard, section 4.6).
    fileprivate var isASCIISpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0C || self == 0x0D }
}
