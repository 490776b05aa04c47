extension JSONPathParser {
    /// `logical-or-expr`.
    mutating func condition() throws(JSONPathError) -> JSONPath.Condition {
        var alternatives = [try conjunction()]
        while takeOperator("||") { alternatives.append(try conjunction()) }
        return alternatives.count == 1 ? alternatives[0] : .any(alternatives)
    }

    private mutating func conjunction() throws(JSONPathError) -> JSONPath.Condition {
        var conditions = [try basic()]
        while takeOperator("&&") { conditions.append(try basic()) }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func takeOperator(_ symbol: String) -> Bool {
        let start = position
        skipSpace()
        guard take(symbol) else {
            position = start
            return false
        }
        skipSpace()
        return true
    }

    /// `basic-expr`: in parentheses, a comparison, or a test.
    private mutating func basic() throws(JSONPathError) -> JSONPath.Condition {
        let isNegated = take("!")
        if isNegated { skipSpace() }
        if current == "(" {
            let inner = try nested { (parser) throws(JSONPathError) in
                parser.position += 1
                parser.skipSpace()
                let inner = try parser.condition()
                parser.skipSpace()
                guard parser.take(")") else { throw parser.error("expected “)”, not \(parser.seen)") }
                return inner
            }
            return isNegated ? .not(inner) : inner
        }
        let start = position
        let left = try operand()
        let afterLeft = position
        skipSpace()
        if let comparison = comparison() {
            guard !isNegated else { throw error("“!” stands before a test or “(”, not before a comparison", at: start) }
            try checkComparable(left, at: start)
            skipSpace()
            let rightStart = position
            let right = try operand()
            try checkComparable(right, at: rightStart)
            return .comparison(left, comparison, right)
        }
        position = afterLeft
        let test = try test(left, at: start)
        return isNegated ? .not(test) : test
    }

    private func test(_ operand: JSONPath.Operand, at start: Int) throws(JSONPathError) -> JSONPath.Condition {
        switch operand {
        case .query(let query): return .exists(query)
        case .function(let call) where call.function.isLogical: return .test(call)
        case .function(let call):
            throw error("\(call.function)() gives a value, which has to be compared with another", at: start)
        case .literal: throw error("a literal is not a condition; compare it with something", at: start)
        }
    }

    private func checkComparable(_ operand: JSONPath.Operand, at start: Int) throws(JSONPathError) {
        switch operand {
        case .literal: return
        case .query(let query):
            guard query.isSingular else {
                throw error("a query that may select several nodes cannot be compared; name one node", at: start)
            }
        case .function(let call):
            guard !call.function.isLogical else {
                throw error("\(call.function)() is true or false by itself and is not compared", at: start)
            }
        }
    }

    private mutating func comparison() -> JSONPath.Comparison? {
        for symbol in ["==", "!=", "<=", ">=", "<", ">"] where take(symbol) {
            return JSONPath.Comparison(rawValue: symbol)
        }
        return nil
    }

    private mutating func operand() throws(JSONPathError) -> JSONPath.Operand {
        guard let scalar = current else { throw error("the filter ends too early") }
        switch scalar {
        case "'", "\"": return .literal(.string(try string()))
        case "@", "$":
            position += 1
            return .query(JSONPath.Query(isAbsolute: scalar == "$", segments: try segments()))
        case "-", "0"..."9": return .literal(.number(try number()))
        default: return try word()
        }
    }

    /// Reads a function's name, or `true`, `false` or `null`.
    private mutating func word() throws(JSONPathError) -> JSONPath.Operand {
        let start = position
        let word = takeWhile { $0 == "_" || $0.isASCIILetter || $0.isASCIIDigit }
        if current == "(" {
            guard let function = JSONPath.Function(rawValue: word) else {
                let known = JSONPath.Function.allCases.map(\.rawValue).joined(separator: ", ")
                throw error("unknown function “\(word)”; the functions are \(known)", at: start)
            }
            return .function(
                JSONPath.FunctionCall(function: function, arguments: try arguments(of: function, at: start)))
        }
        switch word {
        case "true": return .literal(.bool(true))
        case "false": return .literal(.bool(false))
        case "null": return .literal(.null)
        default:
            position = start
            throw error("expected “@”, “$”, a literal, a function or “(”, not \(seen)")
        }
    }

    private mutating func arguments(
        of function: JSONPath.Function, at start: Int
    ) throws(JSONPathError) -> [JSONPath.Operand] {
        let arguments = try nested { (parser) throws(JSONPathError) in
            parser.position += 1
            var arguments: [(operand: JSONPath.Operand, offset: Int)] = []
            parser.skipSpace()
            if parser.take(")") { return arguments }
            repeat {
                parser.skipSpace()
                let offset = parser.position
                arguments.append((try parser.operand(), offset))
                parser.skipSpace()
            } while parser.take(",")
            guard parser.take(")") else { throw parser.error("expected “,” or “)”, not \(parser.seen)") }
            return arguments
        }
        guard arguments.count == function.parameters.count else {
            throw error(
                "\(function)() takes \(function.parameters.count) argument(s), not \(arguments.count)", at: start)
        }
        for (parameter, argument) in zip(function.parameters, arguments) {
            switch parameter {
            case .value: try checkComparable(argument.operand, at: argument.offset)
            case .nodes:
                guard case .query = argument.operand else {
                    throw error("\(function)() takes a query", at: argument.offset)
                }
            }
        }
        return arguments.map(\.operand)
    }

    private mutating func number() throws(JSONPathError) -> Double {
        let start = position
        var written = take("-") ? "-" : ""
        let whole = takeWhile(\.isASCIIDigit)
        written += whole
        var isWellFormed = whole == "0" || (!whole.isEmpty && !whole.hasPrefix("0"))
        if take(".") {
            let fraction = takeWhile(\.isASCIIDigit)
            written += "." + fraction
            isWellFormed = isWellFormed && !fraction.isEmpty
        }
        if take("e") || take("E") {
            written += "e"
            if take("-") { written += "-" } else { _ = take("+") }
            let exponent = takeWhile(\.isASCIIDigit)
            written += exponent
            isWellFormed = isWellFormed && !exponent.isEmpty
        }
        guard isWellFormed, let number = Double(written), number.isFinite else {
            throw error("this is not a JSON number", at: start)
        }
        return number
    }
}
