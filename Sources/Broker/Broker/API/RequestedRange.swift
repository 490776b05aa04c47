/// The part of a representation that a request asks for (RFC 9110, section 14).
enum RequestedRange: Sendable, Equatable {
    case whole
    case part(Range<Int>)
    /// No byte of the range is there.
    case unsatisfiable

    /// Reads the header field `Range`. A range that is not understood, or several ranges at once, ask for the whole, as section
    /// 14.2 allows.
    ///
    /// - Parameter size: the representation's size in bytes.
    init(_ field: String?, of size: Int) {
        self = .whole
        guard let field, let equals = field.firstIndex(of: "="),
            field[..<equals].lowercased() == "bytes"
        else { return }
        let ends = field[field.index(after: equals)...].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else { return }
        switch (first, last) {
        case (nil, nil): return
        case (nil, let count?):
            self = count == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - count)..<size)
        case (let first?, let last):
            guard first <= last ?? first else { return }
            self = first < size ? .part(first..<min(last ?? size - 1, size - 1) + 1) : .unsatisfiable
        }
    }

    /// Returns nil for a text that is not a number, and a nil number for an empty one.
    private static func number(_ text: Substring) -> Int?? {
        if text.isEmpty { return .some(nil) }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        // A number that is too large means the last byte.
        return .some(Int(text) ?? .max - 1)
    }
}
