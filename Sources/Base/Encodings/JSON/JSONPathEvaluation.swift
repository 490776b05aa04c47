/// The evaluation of a query on one document.
struct JSONPathEvaluation {
    /// The number of nodes that one query may visit. Without it, `$..*..*` on a large document would run for hours.
    private static let most = 1_000_000

    let document: JSONValue
    let query: String
    /// Compiled patterns; nil for an invalid I-Regexp.
    var expressions: [String: IRegexp?] = [:]
    /// The time budget for all expressions of the query.
    var time = MatchingTime()
    private var visited = 0

    init(document: JSONValue, query: String) {
        self.document = document
        self.query = query
    }

    mutating func apply(_ segments: [JSONPath.Segment], to node: JSONValue) throws(JSONPathError) -> [JSONValue] {
        var nodes = [node]
        for segment in segments {
            var next: [JSONValue] = []
            for node in nodes { try apply(segment, to: node, &next) }
            nodes = next
        }
        return nodes
    }

    private mutating func apply(
        _ segment: JSONPath.Segment, to node: JSONValue, _ result: inout [JSONValue]
    ) throws(JSONPathError) {
        try visit()
        for selector in segment.selectors { try apply(selector, to: node, &result) }
        guard segment.isDescendant else { return }
        for child in Self.children(of: node) { try apply(segment, to: child, &result) }
    }

    private mutating func visit() throws(JSONPathError) {
        visited += 1
        guard visited <= Self.most else {
            throw JSONPathError(
                path: query, offset: 0, message: "it visits more than \(Self.most) nodes; name more of the way")
        }
    }

    private static func children(of node: JSONValue) -> [JSONValue] {
        switch node {
        case .array(let items): items
        case .object(let members): members.sorted { $0.key < $1.key }.map(\.value)
        default: []
        }
    }

    private mutating func apply(
        _ selector: JSONPath.Selector, to node: JSONValue, _ result: inout [JSONValue]
    ) throws(JSONPathError) {
        switch (selector, node) {
        case (.name(let name), .object(let members)):
            if let value = members[name] { result.append(value) }
        case (.index(let index), .array(let items)):
            let index = index < 0 ? items.count + index : index
            if items.indices.contains(index) { result.append(items[index]) }
        case (.slice(let start, let end, let step), .array(let items)):
            Self.slice(items, start, end, step, &result)
        case (.wildcard, _): result += Self.children(of: node)
        case (.filter(let condition), _):
            for child in Self.children(of: node) where try holds(condition, at: child) { result.append(child) }
        default: break
        }
    }

    /// Section 2.3.4.2.2.
    private static func slice(
        _ items: [JSONValue], _ start: Int?, _ end: Int?, _ step: Int, _ result: inout [JSONValue]
    ) {
        func normalized(_ index: Int) -> Int { index >= 0 ? index : items.count + index }
        if step > 0 {
            let lower = min(max(normalized(start ?? 0), 0), items.count)
            let upper = min(max(normalized(end ?? items.count), 0), items.count)
            for index in stride(from: lower, to: upper, by: step) { result.append(items[index]) }
        } else if step < 0 {
            let upper = min(max(normalized(start ?? items.count - 1), -1), items.count - 1)
            let lower = min(max(end.map(normalized) ?? -1, -1), items.count - 1)
            for index in stride(from: upper, to: lower, by: step) { result.append(items[index]) }
        }
    }

    // MARK: Filters

    private mutating func holds(_ condition: JSONPath.Condition, at node: JSONValue) throws(JSONPathError) -> Bool {
        try visit()
        switch condition {
        case .any(let conditions):
            for condition in conditions where try holds(condition, at: node) { return true }
            return false
        case .all(let conditions):
            for condition in conditions where try !holds(condition, at: node) { return false }
            return true
        case .not(let condition): return try !holds(condition, at: node)
        case .exists(let query): return try !nodes(of: query, at: node).isEmpty
        case .test(let call): return try holds(call, at: node)
        case .comparison(let left, let comparison, let right):
            return Self.compare(try operand(left, at: node), comparison, try operand(right, at: node))
        }
    }

    mutating func nodes(of query: JSONPath.Query, at node: JSONValue) throws(JSONPathError) -> [JSONValue] {
        try apply(query.segments, to: query.isAbsolute ? document : node)
    }

    /// The operand's value; nil is the standard's Nothing, the value of a query that selects no node.
    mutating func operand(_ operand: JSONPath.Operand, at node: JSONValue) throws(JSONPathError) -> JSONValue? {
        switch operand {
        case .literal(let value): value
        case .query(let query): try nodes(of: query, at: node).first
        case .function(let call): try value(of: call, at: node)
        }
    }

    /// Section 2.3.5.2.2.
    private static func compare(_ left: JSONValue?, _ comparison: JSONPath.Comparison, _ right: JSONValue?) -> Bool {
        switch comparison {
        case .equal: isEqual(left, right)
        case .unequal: !isEqual(left, right)
        case .less: isLess(left, right)
        case .lessOrEqual: isLess(left, right) || isEqual(left, right)
        case .greater: isLess(right, left)
        case .greaterOrEqual: isLess(right, left) || isEqual(left, right)
        }
    }

    private static func isLess(_ left: JSONValue?, _ right: JSONValue?) -> Bool {
        switch (left, right) {
        case (.number(let left)?, .number(let right)?): left < right
        case (.string(let left)?, .string(let right)?): left.utf8.lexicographicallyPrecedes(right.utf8)
        default: false
        }
    }

    /// Compares scalar by scalar: in JSON, unlike Swift, a composed and a decomposed “é” are different strings.
    private static func isEqual(_ left: JSONValue?, _ right: JSONValue?) -> Bool {
        switch (left, right) {
        case (.string(let left)?, .string(let right)?): left.utf8.elementsEqual(right.utf8)
        case (.array(let left)?, .array(let right)?):
            left.count == right.count && zip(left, right).allSatisfy { isEqual($0, $1) }
        case (.object(let left)?, .object(let right)?):
            left.count == right.count
                && left.allSatisfy { name, value in right[name].map { isEqual(value, $0) } ?? false }
        default: left == right
        }
    }
}
