import Foundation
import Selectors

extension TextMatch {
    /// What is looked for, as words.
    var words: String {
        switch self {
        case .name(let text), .exact(let text), .regex(let text): text
        }
    }

    /// Those whose texts match. By name, exact matches push out those that only contain it.
    ///
    /// - Parameter prefersExact: false where the texts are long, as a row's is.
    func matching(
        _ elements: [Element], of locator: Locator, prefersExact: Bool = true, _ texts: (Element) -> [String]
    ) throws(LocatorError) -> [Element] {
        switch self {
        case .name(let text):
            let wanted = text.foldingSpace.lowercased()
            guard !wanted.isEmpty else { return [] }
            var exact: [Element] = []
            var containing: [Element] = []
            for element in elements {
                let offered = texts(element).map { $0.lowercased() }
                if offered.contains(wanted) { exact.append(element) }
                if offered.contains(where: { $0.containsWords(wanted) }) { containing.append(element) }
            }
            return prefersExact && !exact.isEmpty ? exact : containing
        case .exact(let text):
            let wanted = text.foldingSpace
            return elements.filter { texts($0).contains(wanted) }
        case .regex(let pattern):
            let expression: NSRegularExpression
            do {
                expression = try NSRegularExpression(pattern: pattern)
            } catch {
                throw LocatorError(
                    kind: .invalid, locator: locator, candidates: [],
                    message: "“\(pattern)” is not a regular expression")
            }
            return elements.filter { element in
                texts(element).contains { text in
                    expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
                }
            }
        }
    }
}

extension String {
    /// Contains the text and does not cut a number or word at its ends: “January 2026” is not in “January 20265”.
    fileprivate func containsWords(_ wanted: String) -> Bool {
        var rest = self[...]
        while let range = rest.firstRange(of: wanted) {
            let before = range.lowerBound > startIndex ? self[index(before: range.lowerBound)] : " "
            let after = range.upperBound < endIndex ? self[range.upperBound] : " "
            let cutsNumber =
                (before.isNumber && wanted.first!.isNumber) || (after.isNumber && wanted.last!.isNumber)
            if !cutsNumber { return true }
            rest = rest[range.upperBound...]
        }
        return false
    }
}

/// How alike two texts are.
enum Similarity {
    /// 0…1, by shared pairs of letters (Dice's coefficient).
    static func of(_ left: String, _ right: String) -> Double {
        let left = pairs(left)
        let right = pairs(right)
        guard !left.isEmpty, !right.isEmpty else { return 0 }
        return 2 * Double(left.intersection(right).count) / Double(left.count + right.count)
    }

    private static func pairs(_ text: String) -> Set<String> {
        let letters = Array(text.lowercased().prefix(200)).filter { $0.isLetter || $0.isNumber }
        return Set(zip(letters, letters.dropFirst()).map { String([$0, $1]) })
    }
}
