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

/// Returns the word closest to one that was not understood, or nil when none is close enough to be a likely typo.
package func nearest(to word: String, among words: some Sequence<String>) -> String? {
    let ranked = words.map { ($0, editDistance(word.lowercased(), $0.lowercased())) }.min { $0.1 < $1.1 }
    guard let (best, distance) = ranked, distance <= max(2, word.count / 3) else { return nil }
    return best
}
