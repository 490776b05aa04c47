/// A JSON value whose texts have a type of their own: templates in a script, or secrets on their way to the wire.
public indirect enum JSONBody<Text> {
    case value(Text)
    case number(Double)
    case bool(Bool)
    case null
    case array([JSONBody])
    case object([String: JSONBody])

    /// Returns the same tree with every text transformed.
    public nonisolated(nonsending) func map<Other>(
        _ transform: nonisolated(nonsending) (Text) async throws -> Other
    ) async rethrows -> JSONBody<Other> {
        switch self {
        case .value(let text): return .value(try await transform(text))
        case .number(let number): return .number(number)
        case .bool(let bool): return .bool(bool)
        case .null: return .null
        case .array(let items):
            var result: [JSONBody<Other>] = []
            for item in items { result.append(try await item.map(transform)) }
            return .array(result)
        case .object(let members):
            var result: [String: JSONBody<Other>] = [:]
            for (name, member) in members { result[name] = try await member.map(transform) }
            return .object(result)
        }
    }

    /// The texts, in no particular order.
    public var leaves: [Text] {
        switch self {
        case .value(let text): [text]
        case .number, .bool, .null: []
        case .array(let items): items.flatMap(\.leaves)
        case .object(let members): members.values.flatMap(\.leaves)
        }
    }

    /// Returns the JSON value, with every text turned into a string.
    public func jsonValue(_ string: (Text) throws -> String) rethrows -> JSONValue {
        switch self {
        case .value(let text): .string(try string(text))
        case .number(let number): .number(number)
        case .bool(let bool): .bool(bool)
        case .null: .null
        case .array(let items): .array(try items.map { try $0.jsonValue(string) })
        case .object(let members): .object(try members.mapValues { try $0.jsonValue(string) })
        }
    }
}

extension JSONBody: Sendable where Text: Sendable {}
extension JSONBody: Equatable where Text: Equatable {}
extension JSONBody: Hashable where Text: Hashable {}
