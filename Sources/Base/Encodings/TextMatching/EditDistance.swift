/// Returns the Levenshtein distance between two texts, in characters.
package func editDistance(_ left: some Collection<Character>, _ right: some Collection<Character>) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, b) in right.enumerated() {
            let above = row[j + 1]
            row[j + 1] = min(above + 1, row[j] + 1, diagonal + (a == b ? 0 : 1))
            diagonal = above
        }
    }
    return row[right.count]
}

/// Returns how many slips of a typist lie between two texts: like ``editDistance(_:_:)``, but two neighbours that changed places
/// count as one slip (optimal string alignment).
private func slips(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var rows = [Array(0...right.count)]
    for (i, a) in left.enumerated() {
        var row = [i + 1]
        for (j, b) in right.enumerated() {
            var cost = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a == b ? 0 : 1))
            if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { cost = min(cost, rows[i - 1][j - 1] + 1) }
            row.append(cost)
        }
        rows.append(row)
    }
    return rows[left.count][right.count]
}

/// Returns the word closest to one that was not understood, or nil when none is close enough to be a likely typo.
package func nearest(to word: String, among words: some Sequence<String>) -> String? {
    let ranked = words.map { ($0, slips(word.lowercased(), $0.lowercased())) }.min { $0.1 < $1.1 }
    // Two slips in two letters leave nothing of the word.
    guard let (best, distance) = ranked, distance <= (word.count < 3 ? 1 : max(2, word.count / 3)) else { return nil }
    return best
}
