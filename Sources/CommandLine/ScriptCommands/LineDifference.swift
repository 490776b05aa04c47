/// The difference between two texts, line by line, with two lines around each change.
package struct LineDifference {
    /// Each begins with `-`, `+` or a space; `…` stands for lines that are the same.
    package let lines: [String]

    private static let context = 2

    package init(from before: String, to after: String) {
        func split(_ text: String) -> [String] {
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            if lines.last == "" { lines.removeLast() }
            return lines
        }
        let old = split(before)
        let new = split(after)
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var all: [(line: String, isChange: Bool)] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if left < old.count, removed.contains(left) {
                all.append(("-" + old[left], true))
                left += 1
            } else if right < new.count, inserted.contains(right) {
                all.append(("+" + new[right], true))
                right += 1
            } else {
                if left < old.count { all.append((" " + old[left], false)) }
                left += 1
                right += 1
            }
        }
        var shown: [String] = []
        for index in all.indices {
            let around = max(0, index - Self.context)...min(all.count - 1, index + Self.context)
            if around.contains(where: { all[$0].isChange }) {
                shown.append(all[index].line)
            } else if shown.last != "…" {
                shown.append("…")
            }
        }
        lines = shown
    }
}
