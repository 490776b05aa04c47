import CurlClient
import JSON
import Secrets

/// A JSON exchange inside a session.
public struct JSONRequest: Sendable {
    public var method: String
    /// Resolved against the current page.
    public var reference: String
    public var headers: [(name: String, value: FieldValue)]
    public var body: JSONBody?

    public init(
        method: String = "GET", reference: String, headers: [(name: String, value: FieldValue)] = [],
        body: JSONBody? = nil
    ) {
        self.method = method
        self.reference = reference
        self.headers = headers
        self.body = body
    }
}

/// JSON with secrets among its leaves.
public indirect enum JSONBody: Sendable {
    case field(FieldValue)
    case number(Double)
    case bool(Bool)
    case null
    case array([JSONBody])
    case object([String: JSONBody])

    /// The value, its secrets revealed: for the wire alone.
    var revealed: JSONValue {
        switch self {
        case .field(let value): .string(value.revealed)
        case .number(let number): .number(number)
        case .bool(let bool): .bool(bool)
        case .null: .null
        case .array(let items): .array(items.map(\.revealed))
        case .object(let members): .object(members.mapValues(\.revealed))
        }
    }
}

public struct JSONResponse: Sendable {
    public var status: Int
    public var headers: [HTTPHeader]
    /// Nil when the answer is no JSON.
    public var json: JSONValue?

    /// The values that a JSONPath (RFC 9535) selects; none when the answer is no JSON.
    ///
    /// - Throws: ``JSONPathError``.
    public func values(_ path: String) throws(JSONPathError) -> [JSONValue] {
        let path = try JSONPath(path)
        guard let json else { return [] }
        return try path.values(in: json)
    }
}
