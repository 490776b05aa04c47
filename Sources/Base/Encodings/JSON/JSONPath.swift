/// A JSONPath query (RFC 9535): names, indexes, slices, wildcards, filters, descendants, and the five functions of the
/// standard.
///
/// Members of an object are visited in the order of their names, so that a query always gives the same list.
package struct JSONPath: Sendable, Hashable {
    /// The query's source text.
    package let text: String
    let segments: [Segment]

    /// - Throws: ``JSONPathError`` with the offset of the first invalid character.
    package init(_ text: String) throws(JSONPathError) {
        var parser = JSONPathParser(text)
        segments = try parser.query()
        self.text = text
    }

    /// Returns the values of the selected nodes.
    ///
    /// - Throws: ``JSONPathError`` when the query visits more than a million nodes, or its expressions take too long.
    package func values(in document: JSONValue) throws(JSONPathError) -> [JSONValue] {
        var evaluation = JSONPathEvaluation(document: document, query: text)
        return try evaluation.apply(segments, to: document)
    }
}

extension JSONPath: CustomStringConvertible {
    package var description: String { text }
}

extension JSONPath {
    /// Section 2.5.
    struct Segment: Sendable, Hashable {
        var isDescendant: Bool
        var selectors: [Selector]

        /// Selects at most one node (section 2.3.5.1).
        var isSingular: Bool {
            guard !isDescendant, selectors.count == 1 else { return false }
            return switch selectors[0] {
            case .name, .index: true
            case .wildcard, .slice, .filter: false
            }
        }
    }

    /// Section 2.3.
    enum Selector: Sendable, Hashable {
        case name(String)
        case wildcard
        case index(Int)
        case slice(start: Int?, end: Int?, step: Int)
        case filter(Condition)
    }

    /// A query inside a filter.
    struct Query: Sendable, Hashable {
        /// `$`, else `@`.
        var isAbsolute: Bool
        var segments: [Segment]

        var isSingular: Bool { segments.allSatisfy(\.isSingular) }
    }

    /// A logical expression (section 2.3.5).
    indirect enum Condition: Sendable, Hashable {
        case any([Condition])
        case all([Condition])
        case not(Condition)
        case exists(Query)
        case comparison(Operand, Comparison, Operand)
        case test(FunctionCall)
    }

    enum Comparison: String, Sendable, Hashable {
        case equal = "=="
        case unequal = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    indirect enum Operand: Sendable, Hashable {
        case literal(JSONValue)
        case query(Query)
        case function(FunctionCall)
    }

    struct FunctionCall: Sendable, Hashable {
        var function: Function
        var arguments: [Operand]
    }
}
