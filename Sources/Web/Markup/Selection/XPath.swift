import CLibXML2
import Foundation

/// An XPath expression that cannot be evaluated.
public struct XPathError: Error, Sendable, Hashable, CustomStringConvertible {
    public let expression: String
    public let message: String

    public var description: String { "XPath “\(expression)”: \(message)" }
}

extension Document {
    /// Discards libxml2's own messages; ``XPathError`` has better ones.
    private static let isSilenced: Bool = {
        xmlSetStructuredErrorFunc(nil) { _, _ in }
        return true
    }()

    /// Returns the elements that an XPath 1.0 expression selects, in document order.
    ///
    /// - Throws: ``XPathError`` when the expression is invalid, does not select elements, or takes too long.
    public func select(xpath expression: String, in scope: Element? = nil) throws(XPathError) -> [Element] {
        _ = Self.isSilenced
        guard let context = xmlXPathNewContext(pointer) else {
            throw XPathError(expression: expression, message: "out of memory")
        }
        defer { xmlXPathFreeContext(context) }
        context.pointee.error = { _, _ in }
        context.pointee.opLimit = 10_000_000
        if let scope { xmlXPathSetContextNode(scope.node, context) }
        guard let result = xmlXPathEvalExpression(expression, context) else {
            throw XPathError(expression: expression, message: Self.message(context.pointee.lastError.code))
        }
        defer { xmlXPathFreeObject(result) }
        guard result.pointee.type == XPATH_NODESET else {
            throw XPathError(expression: expression, message: "it gives a text, number or boolean; elements are needed")
        }
        guard let nodes = result.pointee.nodesetval else { return [] }
        return (0..<Int(nodes.pointee.nodeNr)).compactMap { index in
            guard let node = nodes.pointee.nodeTab[index], node.pointee.type == XML_ELEMENT_NODE else { return nil }
            return Element(node, in: self)
        }
    }

    private static func message(_ code: Int32) -> String {
        let codes: [(xmlParserErrors, String)] = [
            (XML_XPATH_UNFINISHED_LITERAL_ERROR, "a quote is not closed"),
            (XML_XPATH_START_LITERAL_ERROR, "a quote was expected"),
            (XML_XPATH_VARIABLE_REF_ERROR, "“$” is not followed by a name"),
            (XML_XPATH_UNDEF_VARIABLE_ERROR, "variables are not supported here"),
            (XML_XPATH_UNKNOWN_FUNC_ERROR, "it calls a function that XPath 1.0 does not have"),
            (XML_XPATH_UNCLOSED_ERROR, "a bracket is not closed"),
            (XML_XPATH_INVALID_PREDICATE_ERROR, "a condition in “[…]” cannot be read"),
            (XML_XPATH_INVALID_ARITY, "a function has the wrong number of arguments"),
        ]
        return codes.first { Int32($0.0.rawValue) == code }?.1 ?? "it cannot be read as XPath 1.0"
    }
}
