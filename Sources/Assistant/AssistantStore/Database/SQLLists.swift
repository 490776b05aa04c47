/// Lists in statements that are about several rows.
enum SQLLists {
    /// Returns places for values, such as `$3, $4, $5`.
    ///
    /// - Parameter first: the number of the first place.
    static func places(_ count: Int, from first: Int = 1) -> String {
        (first..<first + count).map { "$\($0)" }.joined(separator: ", ")
    }

    /// Returns places for rows of values, such as `($1, $2), ($3, $4)`. Both databases call the columns of
    /// `VALUES` `column1`, `column2` and so on.
    static func rows(_ count: Int, of columns: Int, from first: Int = 1) -> String {
        (0..<count).map { "(\(places(columns, from: first + $0 * columns)))" }.joined(separator: ", ")
    }

    /// Splits elements into rounds in which each key occurs once. The elements of one key keep their order.
    static func rounds<Element, Key: Hashable>(_ elements: [Element], by key: (Element) -> Key) -> [[Element]] {
        var rounds: [[Element]] = []
        var counts: [Key: Int] = [:]
        for element in elements {
            let round = counts[key(element), default: 0]
            counts[key(element)] = round + 1
            if round == rounds.count { rounds.append([]) }
            rounds[round].append(element)
        }
        return rounds
    }
}
