/// The order of one account's statements: by the days of their balances, then by the chain of balances, then as in the file.
enum StatementOrder {
    static func sorted(_ statements: [Statement]) -> [Statement] {
        // The day of the first booking is not the order: a back-dated value is older than the statement that has it.
        let byDay = statements.enumerated().sorted { left, right in
            let first = key(left.element)
            let second = key(right.element)
            return first == second ? left.offset < right.offset : first.lexicographicallyPrecedes(second)
        }.map(\.element)
        var result: [Statement] = []
        var rest = byDay[...]
        while let first = rest.first {
            let day = key(first)
            let run = rest.prefix { key($0) == day }
            result += chained(Array(run), after: result.last { !$0.isInterim }?.closing?.amount)
            rest = rest.dropFirst(run.count)
        }
        return result
    }

    /// Puts the statements of one day behind one another where one opens with what another closes with: a path through
    /// all of them (Hierholzer's algorithm). Those without such a path stay as in the file.
    private static func chained(_ statements: [Statement], after last: Amount?) -> [Statement] {
        guard statements.count > 1, statements.allSatisfy({ $0.opening != nil && $0.closing != nil }) else {
            return statements
        }
        let openings = statements.map(\.opening!.amount)
        let closings = statements.map(\.closing!.amount)
        var open: [Amount: [Int]] = [:]
        // How many more statements open with an amount than close with it.
        var surplus: [Amount: Int] = [:]
        for index in statements.indices.reversed() {
            open[openings[index], default: []].append(index)
            surplus[openings[index], default: 0] += 1
            surplus[closings[index], default: 0] -= 1
        }
        var result: [Int] = []
        var left = Set(statements.indices)
        var start = last.flatMap { open[$0] == nil ? nil : $0 }
        while let any = left.min() {
            let head = left.filter { (surplus[openings[$0]] ?? 0) > 0 }.min() ?? any
            var path: [Int] = []
            var stack: [(amount: Amount, index: Int?)] = [(start ?? openings[head], nil)]
            start = nil
            while let top = stack.last {
                if let next = open[top.amount]?.popLast() {
                    stack.append((closings[next], next))
                } else {
                    if let index = top.index { path.append(index) }
                    stack.removeLast()
                }
            }
            path.reverse()
            left.subtract(path)
            let isChain = zip(path, path.dropFirst()).allSatisfy { closings[$0] == openings[$1] }
            result += isChain ? path : path.sorted()
        }
        return result.map { statements[$0] }
    }

    private static func key(_ statement: Statement) -> [Int] {
        [
            statement.opening?.day ?? statement.from, statement.closing?.day ?? statement.to,
        ].map { day in day.map { $0.monthNumber * 32 + $0.day } ?? 0 }
    }
}
