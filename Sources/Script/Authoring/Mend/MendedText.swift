import BankScript

/// A script's file with only the changed steps written anew, so that comments and the author's spelling stay.
package struct MendedText: Sendable, Hashable {
    package let text: String
    /// True if the whole file had to be written anew, without its comments.
    package let isRewritten: Bool

    /// - Parameters:
    ///   - source: the file's text.
    ///   - original: the script that was read from it.
    package init(_ mended: MendedScript, of original: BankScript, source: String) {
        if let patched = Self.patched(mended.script, original, source),
            (try? BankScript(yaml: patched, file: ""))?.digest == mended.script.digest
        {
            (text, isRewritten) = (patched, false)
        } else {
            (text, isRewritten) = (mended.script.yaml(), true)
        }
    }

    private static func patched(_ mended: BankScript, _ original: BankScript, _ source: String) -> String? {
        var lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // A step's number is its place in the walk, and its line is that in the file.
        let steps = original.stepsByNumber.enumerated().map {
            (number: $0.offset + 1, line: $0.element.number, step: $0.element.step)
        }
        let changed = Set(
            steps.filter { step in
                let now = mended.steps(numbered: step.number)
                if let before = step.step.action.as(WhenStep.self), now.count == 1,
                    let after = now[0].action.as(WhenStep.self)
                {
                    return before.condition != after.condition
                }
                return Step.yaml(now) != Step.yaml([step.step])
            }.map(\.line))
        for line in changed.sorted(by: >) {
            guard lines.indices.contains(line - 1) else { return nil }
            let margin = lines[line - 1].prefix { $0 == " " }.count
            guard lines[line - 1].dropFirst(margin).hasPrefix("- ") else { return nil }
            var end = line
            while end < lines.count, lines[end].contains(where: { $0 != " " }),
                lines[end].prefix(while: { $0 == " " }).count > margin
            {
                end += 1
            }
            let new = steps.filter { $0.line == line }.flatMap { mended.steps(numbered: $0.number) }
            let written =
                new.isEmpty
                ? [] : Step.yaml(new).split(separator: "\n").map { String(repeating: " ", count: margin) + $0 }
            lines.replaceSubrange((line - 1)..<end, with: written)
        }
        return lines.joined(separator: "\n")
    }
}
