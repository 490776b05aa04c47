import Encodings
import Foundation
import Selectors

extension TextMatch {
    /// The wanted text.
    var words: String {
        switch self {
        case .name(let text), .exact(let text), .regex(let text): text
        }
    }

    /// Returns the candidates with a text that matches. By name, exact matches displace those that only contain the
    /// name.
    ///
    /// - Parameter texts: returns a candidate's texts, with white space folded.
    func matching<Candidate>(
        _ elements: some Sequence<Candidate>, of locator: Locator, _ texts: (Candidate) -> [String]
    ) throws(LocatorError) -> [Candidate] {
        switch self {
        case .name(let text):
            let wanted = text.foldingSpace.loweringCase
            guard !wanted.isEmpty else { return [] }
            let bare = wanted.withoutLabelEnding
            let mayFit = roughly
            var exact: [Candidate] = []
            var containing: [Candidate] = []
            for element in elements {
                var isContaining = false
                let isExact = texts(element).contains { text in
                    guard mayFit(text) else { return false }
                    let offered = text.loweringCase
                    if offered == wanted || offered.withoutLabelEnding == bare { return true }
                    isContaining = isContaining || exact.isEmpty && offered.containsWords(wanted)
                    return false
                }
                if isExact {
                    exact.append(element)
                } else if isContaining {
                    containing.append(element)
                }
            }
            if exact.isEmpty, containing.isEmpty { return elements.filter(lookingLike: wanted, texts) }
            return exact.isEmpty ? containing : exact
        case .exact(let text):
            let wanted = text.foldingSpace
            return elements.filter { texts($0).contains(wanted) }
        case .regex(let pattern):
            let expression: NSRegularExpression
            do {
                expression = try NSRegularExpression(pattern: pattern)
            } catch {
                throw LocatorError(invalid: locator, "“\(pattern)” is not a regular expression")
            }
            var time = MatchingTime()
            do {
                let found = try elements.filter { element in
                    try texts(element).contains { try time.firstMatch(of: expression, in: $0) != nil }
                }
                // A pattern for any name means one without a name, too: a link that is an icon.
                guard found.isEmpty, try time.firstMatch(of: expression, in: "") != nil else { return found }
                return elements.filter { texts($0).isEmpty }
            } catch {
                throw LocatorError(
                    invalid: locator, "“\(pattern)” takes too long to try on this page; write it more plainly")
            }
        }
    }
}

extension Sequence {
    /// Returns the candidates with a text that looks like the wanted one, though it is written otherwise: with a dash for a
    /// hyphen, for example.
    fileprivate func filter(lookingLike wanted: String, _ texts: (Element) -> [String]) -> [Element] {
        let isPlain = !wanted.mayLookDifferent
        let wanted = wanted.asSeen
        let bare = wanted.withoutLabelEnding
        var exact: [Element] = []
        var containing: [Element] = []
        for element in self {
            let seen = texts(element).compactMap { isPlain && !$0.mayLookDifferent ? nil : $0.asSeen }
            if seen.contains(where: { $0.withoutLabelEnding == bare }) {
                exact.append(element)
            } else if seen.contains(where: { $0.containsWords(wanted) }) {
                containing.append(element)
            }
        }
        return exact.isEmpty ? containing : exact
    }
}

extension String {
    /// Returns whether the text contains another one in lower case, or one that looks like it.
    func contains(looking wanted: String) -> Bool {
        if loweringCase.containsEquivalent(of: wanted) { return true }
        guard mayLookDifferent || wanted.mayLookDifferent else { return false }
        return asSeen.containsEquivalent(of: wanted.asSeen)
    }

    /// The text without the colon or asterisk that often ends a label.
    var withoutLabelEnding: Substring {
        guard let last = utf8.last, last == 0x3A || last == 0x2A || last == 0x20 else { return self[...] }
        let end = self[...].lastIndex { !":* ".contains($0) }
        return end.map { self[...$0] } ?? self[...]
    }

    /// Returns whether it contains a text without cutting a number at either end: "May 2026" is not in "May 20265".
    func containsWords(_ wanted: String) -> Bool {
        let length = wanted.utf8.count
        var offset = 0
        while let start = firstOffset(of: wanted, from: offset) {
            let first = utf8.index(startIndex, offsetBy: start)
            let end = utf8.index(first, offsetBy: length)
            let before = first > startIndex ? self[index(before: first)] : " "
            let after = end < endIndex ? self[end] : " "
            let cutsNumber =
                (before.isNumber && wanted.first?.isNumber == true) || (after.isNumber && wanted.last?.isNumber == true)
            if !cutsNumber { return true }
            offset = start + 1
        }
        return false
    }
}
