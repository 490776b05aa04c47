import Foundation
import HTMLAutomation
import Secrets

/// The parts of a page's texts that a picture may show: neither digits of account numbers and amounts, nor secrets.
struct ShownTexts: Sendable, Hashable {
    /// A part of a text, in UTF-16 units as JavaScript counts them.
    struct Range: Sendable, Hashable {
        /// The position of the text in the page.
        var text: Int
        var start: Int
        var end: Int
    }

    /// The longest run of texts in which a secret is looked for: a page may break one into several elements.
    private static let longestRun = 12

    private(set) var ranges: [Range] = []

    /// - Parameter texts: the texts of a page in their order.
    init(of texts: [String], mask: Mask) {
        let spaced = texts.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        let hidden = Self.holdingSecrets(spaced)
        for (index, text) in texts.enumerated() where !hidden.contains(index) {
            ranges += Self.shown(of: text, masked: mask.text(text)).map {
                Range(text: index, start: $0.lowerBound, end: $0.upperBound)
            }
        }
    }

    /// Returns the parts that the mask leaves as they are; none when it changes the text's length.
    private static func shown(of text: String, masked: String) -> [Swift.Range<Int>] {
        let (all, left) = (Array(text.utf16), Array(masked.utf16))
        guard all.count == left.count else { return [] }
        var parts: [Swift.Range<Int>] = []
        var start: Int?
        for (index, unit) in all.enumerated() {
            if unit == left[index] {
                start = start ?? index
            } else if let begin = start {
                parts.append(begin..<index)
                start = nil
            }
        }
        if let start { parts.append(start..<all.count) }
        return parts
    }

    /// Returns the positions of the texts that hold a secret, or a part of one that is written across several texts.
    private static func holdingSecrets(_ texts: [String]) -> Set<Int> {
        var hidden: Set<Int> = []
        for (index, clean) in Redactor.redact(texts).enumerated() where clean != texts[index] { hidden.insert(index) }
        for separator in ["", " "] {
            // Most pages hold none across texts, so one look is enough.
            let rest = texts.indices.filter { !hidden.contains($0) }
            guard holdsSecret(rest.map { texts[$0] }, separator) else { continue }
            for start in rest.indices {
                for length in 2...longestRun where start + length <= rest.count {
                    let run = rest[start..<start + length]
                    guard holdsSecret(run.map { texts[$0] }, separator) else { continue }
                    // A shorter run begins later.
                    if !holdsSecret(run.dropFirst().map { texts[$0] }, separator) { hidden.formUnion(run) }
                    break
                }
            }
        }
        return hidden
    }

    private static func holdsSecret(_ texts: [String], _ separator: String) -> Bool {
        let text = texts.joined(separator: separator)
        return Redactor.redact(text) != text
    }
}
