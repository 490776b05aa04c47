extension JSONPath {
    /// The functions of RFC 9535, section 2.4, with their types.
    enum Function: String, Sendable, Hashable, CaseIterable {
        case length, count, match, search, value

        enum ParameterType { case value, nodes }

        var parameters: [ParameterType] {
            switch self {
            case .length: [.value]
            case .count, .value: [.nodes]
            case .match, .search: [.value, .value]
            }
        }

        /// True for a function whose result is a condition, not a value to compare.
        var isLogical: Bool { self == .match || self == .search }
    }
}

extension JSONPathEvaluation {
    /// Returns the value of a function; nil is the standard's Nothing.
    mutating func value(of call: JSONPath.FunctionCall, at node: JSONValue) throws(JSONPathError) -> JSONValue? {
        switch call.function {
        case .length:
            switch try operand(call.arguments[0], at: node) {
            case .string(let text): return .number(Double(text.unicodeScalars.count))
            case .array(let items): return .number(Double(items.count))
            case .object(let members): return .number(Double(members.count))
            default: return nil
            }
        case .count: return .number(Double(try nodes(of: call.arguments[0], at: node).count))
        case .value:
            let nodes = try nodes(of: call.arguments[0], at: node)
            return nodes.count == 1 ? nodes[0] : nil
        case .match, .search: return nil
        }
    }

    /// Returns the result of a function that is a condition.
    mutating func holds(_ call: JSONPath.FunctionCall, at node: JSONValue) throws(JSONPathError) -> Bool {
        guard call.function.isLogical,
            case .string(let text)? = try operand(call.arguments[0], at: node),
            case .string(let pattern)? = try operand(call.arguments[1], at: node)
        else { return false }
        if expressions[pattern] == nil { expressions[pattern] = .some(IRegexp(pattern)) }
        guard let expression = expressions[pattern] ?? nil else { return false }
        do {
            return call.function == .match
                ? try expression.matches(text, within: &time) : try expression.isFound(in: text, within: &time)
        } catch {
            throw JSONPathError(path: query, offset: 0, message: "“\(pattern.prefix(60))”: \(error)")
        }
    }

    private mutating func nodes(of argument: JSONPath.Operand, at node: JSONValue) throws(JSONPathError) -> [JSONValue]
    {
        guard case .query(let query) = argument else { return [] }
        return try nodes(of: query, at: node)
    }
}
