/// A media query list (Media Queries Level 4), judged for the screen of a desk: wide, and used with a mouse.
enum MediaQuery {
    /// In pixels, as the browser engine's window.
    private static let size = (width: 1280.0, height: 1024.0)

    /// Returns whether one of the queries holds. An empty list always does, and a feature that this does not know never.
    static func holds(_ list: String) -> Bool {
        let queries = list.lowercased().split(separator: ",")
        return queries.isEmpty || queries.contains(where: holds(one:))
    }

    private static func holds(one query: Substring) -> Bool {
        var conditions: [Substring] = []
        var types: [Substring] = []
        var rest = query
        while let open = rest.firstIndex(of: "("), let close = rest[open...].firstIndex(of: ")") {
            types += rest[..<open].split(whereSeparator: \.isWhitespace)
            conditions.append(rest[rest.index(after: open)..<close])
            rest = rest[rest.index(after: close)...]
        }
        types += rest.split(whereSeparator: \.isWhitespace)
        let isNegated = types.first == "not"
        // The words of a query with “or” are not taken apart further: it holds when one of its conditions does.
        let isAny = types.contains("or")
        types.removeAll { ["only", "not", "and", "or"].contains($0) }
        let isForScreen = types.allSatisfy { $0 == "screen" || $0 == "all" }
        let fits = isAny ? conditions.contains(where: fits) : conditions.allSatisfy(fits)
        return (isForScreen && fits) != isNegated
    }

    private static func fits(_ condition: Substring) -> Bool {
        if let range = range(condition) { return range }
        let sides = condition.split(separator: ":", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
        guard sides.count == 2 else {
            return ["color", "width", "height", "hover", "pointer", "grid"].contains(
                condition.filter { !$0.isWhitespace })
                && !condition.contains("grid")
        }
        let length = pixels(sides[1])
        switch sides[0] {
        case "min-width", "min-device-width": return length.map { size.width >= $0 } ?? false
        case "max-width", "max-device-width": return length.map { size.width <= $0 } ?? false
        case "min-height", "min-device-height": return length.map { size.height >= $0 } ?? false
        case "max-height", "max-device-height": return length.map { size.height <= $0 } ?? false
        case "orientation": return sides[1] == "landscape"
        case "hover", "any-hover": return sides[1] == "hover"
        case "pointer", "any-pointer": return sides[1] == "fine"
        default: return false
        }
    }

    /// Judges `width >= 600px` and the like; nil for a condition of another form.
    private static func range(_ condition: Substring) -> Bool? {
        let parts = condition.replacing(" ", with: "").split { "<>=".contains($0) }
        let signs = condition.replacing(" ", with: "").split { !"<>=".contains($0) }
        guard !signs.isEmpty, parts.count == signs.count + 1 else { return nil }
        let values = parts.map { $0 == "width" ? size.width : $0 == "height" ? size.height : pixels(String($0)) }
        for (index, sign) in signs.enumerated() {
            guard let left = values[index], let right = values[index + 1] else { return false }
            let holds =
                switch sign {
                case "<": left < right
                case "<=": left <= right
                case ">": left > right
                case ">=": left >= right
                default: left == right
                }
            if !holds { return false }
        }
        return true
    }

    /// Reads a length; a relative one is of the usual size of letters, 16 pixels.
    private static func pixels(_ text: String) -> Double? {
        for (unit, factor) in [("px", 1.0), ("rem", 16), ("em", 16)] where text.hasSuffix(unit) {
            return Double(text.dropLast(unit.count)).map { $0 * factor }
        }
        return text == "0" ? 0 : nil
    }
}
