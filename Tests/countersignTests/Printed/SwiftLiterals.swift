/// The string literals of Swift source. An interpolation is a ``gap``, and literals that a “+” joins are one text.
struct SwiftLiterals {
    /// The mark in place of a part that only a running program knows.
    static let gap: Character = "\u{1A}"

    /// A literal's texts: several where an interpolation chooses between two of them.
    struct Literal {
        let line: Int
        let texts: [String]
    }

    static func all(in source: String) -> [Literal] {
        var reader = SwiftLiterals(bytes: Array(source.utf8))
        reader.readCode(from: 0, isInterpolation: false)
        var line = 1
        var place = 0
        return reader.found.sorted { $0.start < $1.start }.map { piece in
            line += reader.bytes[place..<piece.start].count { $0 == UInt8(ascii: "\n") }
            place = piece.start
            return Literal(line: line, texts: piece.texts.map { String(decoding: $0, as: UTF8.self) })
        }
    }

    private struct Piece {
        let start: Int
        var texts: [[UInt8]]
        /// The last byte of the code before it, and the first one after it; 0 for none.
        let before: UInt8
        var after: UInt8 = 0
    }

    private static let gapByte: UInt8 = 0x1A
    /// More texts of one literal than these say nothing new.
    private static let mostTexts = 32

    private let bytes: [UInt8]
    private var found: [Piece] = []

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func has(_ text: StaticString, at place: Int) -> Bool {
        guard place + text.utf8CodeUnitCount <= bytes.count else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[place + $0] == text.utf8Start[$0] }
    }

    /// Returns the number of “#” before a quotation mark that opens a literal here; nil where none opens.
    private func hashes(at place: Int) -> Int? {
        var end = place
        while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
        return end < bytes.count && bytes[end] == UInt8(ascii: "\"") ? end - place : nil
    }

    /// Reads code up to the end of the file, or to the parenthesis that ends an interpolation.
    ///
    /// - Returns: the place behind it, and the texts that an interpolation can have.
    @discardableResult
    private mutating func readCode(from start: Int, isInterpolation: Bool) -> (end: Int, texts: [[UInt8]]) {
        var place = start
        var depth = 0
        var last: UInt8 = 0
        var piece: Piece?
        var between: [UInt8] = []
        // Literals outside of any call or list: only these can be the interpolation's whole value.
        var outer: [Piece] = []

        func isJoint(_ code: [UInt8]) -> Bool {
            code.count > 2 && code.first == UInt8(ascii: "+") && code.last == UInt8(ascii: "+")
                && code.allSatisfy {
                    $0 > 0x2A && $0 != UInt8(ascii: ",") || $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: ")")
                }
        }
        func product(_ left: [[UInt8]], _ right: [[UInt8]], _ glue: [UInt8] = []) -> [[UInt8]] {
            Array(left.flatMap { one in right.map { one + glue + $0 } }.prefix(Self.mostTexts))
        }
        func finished(_ piece: Piece) -> Piece {
            var piece = piece
            piece.after = between.first ?? 0
            if piece.after == UInt8(ascii: "+") { piece.texts = piece.texts.map { $0 + [Self.gapByte] } }
            return piece
        }
        func finish() {
            guard let ended = piece.map(finished) else { return }
            found.append(ended)
            if depth == 0 { outer.append(ended) }
            piece = nil
        }

        while place < bytes.count {
            let byte = bytes[place]
            if has("//", at: place) {
                while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
            } else if has("/*", at: place) {
                while place < bytes.count, !has("*/", at: place) { place += 1 }
                place += 2
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#"), let hashes = hashes(at: place) {
                let opening = place
                let (end, texts) = readLiteral(from: place, hashes: hashes)
                if let known = piece, between == [UInt8(ascii: "+")] || isJoint(between) {
                    piece?.texts = product(known.texts, texts, between.count == 1 ? [] : [Self.gapByte])
                } else {
                    finish()
                    piece = Piece(start: opening, texts: texts, before: last)
                }
                between = []
                last = UInt8(ascii: "\"")
                place = end
            } else {
                place += 1
                guard byte != UInt8(ascii: " "), byte != UInt8(ascii: "\n") else { continue }
                switch byte {
                case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
                    if piece != nil, between.first != UInt8(ascii: "+") { finish() }
                    depth += 1
                case UInt8(ascii: ")") where depth == 0 && isInterpolation:
                    finish()
                    return (place, Self.choices(outer))
                case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                    if piece != nil, between.first != UInt8(ascii: "+") {
                        between.append(byte)
                        finish()
                    }
                    depth -= 1
                default: break
                }
                between.append(byte)
                last = byte
            }
        }
        finish()
        return (place, [[Self.gapByte]])
    }

    /// The values of `condition ? "one" : "other"`, and of nothing else.
    private static func choices(_ literals: [Piece]) -> [[UInt8]] {
        let chosen = literals.filter {
            [UInt8(ascii: "?"), UInt8(ascii: ":")].contains($0.before) && [0, UInt8(ascii: ":")].contains($0.after)
        }
        return chosen.flatMap(\.texts) + (chosen.count == 2 ? [] : [[gapByte]])
    }

    private mutating func readLiteral(from start: Int, hashes: Int) -> (end: Int, texts: [[UInt8]]) {
        var place = start + hashes
        let isLong = has("\"\"\"", at: place)
        place += isLong ? 3 : 1
        let closing = [UInt8](repeating: UInt8(ascii: "\""), count: isLong ? 3 : 1) + marks(hashes)
        let escape = [UInt8(ascii: "\\")] + marks(hashes)
        var texts: [[UInt8]] = [[]]
        while place < bytes.count {
            if bytes[place...].starts(with: closing) { return (place + closing.count, texts) }
            if bytes[place] == UInt8(ascii: "\\"), bytes[place...].starts(with: escape) {
                place += escape.count
                guard place < bytes.count else { break }
                if bytes[place] == UInt8(ascii: "(") {
                    let (end, values) = readCode(from: place + 1, isInterpolation: true)
                    texts = Array(texts.flatMap { text in values.map { text + $0 } }.prefix(Self.mostTexts))
                    place = end
                    continue
                }
                let character = bytes[place]
                place += 1
                switch character {
                case UInt8(ascii: "\n"):
                    while place < bytes.count, bytes[place] == UInt8(ascii: " ") { place += 1 }
                case UInt8(ascii: "u"):
                    while place < bytes.count, bytes[place] != UInt8(ascii: "}") { place += 1 }
                    place += 1
                case UInt8(ascii: "n"): for index in texts.indices { texts[index].append(UInt8(ascii: "\n")) }
                default: for index in texts.indices { texts[index].append(character) }
                }
                continue
            }
            // A quotation mark of a regular expression opens nothing.
            if bytes[place] == UInt8(ascii: "\n"), !isLong { return (place, texts) }
            for index in texts.indices { texts[index].append(bytes[place]) }
            place += 1
        }
        return (place, texts)
    }

    private func marks(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: "#"), count: count) }
}
