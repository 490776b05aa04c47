import Encodings
import Hummingbird
import Messages

/// The description of the broker's API (OpenAPI 3.1), `Resources/openapi.json`.
///
/// It is written by hand, because it is a promise to the authors of phones and agents. Tests compare it with the routes
/// and their answers. The file does not list the kinds of documents, so that a new kind need not touch it.
enum OpenAPIDocument {
    /// Returns the description as the broker serves it: the schemas `Kind` and `MediaType` list the kinds of documents.
    static func json() throws(JSONError) -> JSONValue {
        let kinds = DocumentKind.allCases
        // Kinds may share a media type, and an enumeration names each value once (JSON Schema, Validation, section 6.1.2).
        let types = kinds.indices.filter { at in !kinds[..<at].contains { $0.mediaType == kinds[at].mediaType } }
        return try written().listing(kinds.map(\.rawValue), in: "Kind")
            .listing(types.map { kinds[$0].mediaType }, in: "MediaType")
    }

    /// Returns the description as the file has it.
    static func written() throws(JSONError) -> JSONValue { try JSONReader.read(PackageResources.openapi_json) }
}

extension JSONValue {
    /// Returns the description with the values that a schema of its components allows.
    fileprivate func listing(_ values: [String], in schema: String) -> JSONValue {
        setting(.array(values.map { .string($0) }), at: ["components", "schemas", schema, "enum"])
    }

    /// Returns an object whose member at the end of a path of names is the value.
    private func setting(_ value: JSONValue, at path: ArraySlice<String>) -> JSONValue {
        guard let name = path.first else { return value }
        var members = objectValue ?? [:]
        members[name] = (members[name] ?? [:]).setting(value, at: path.dropFirst())
        return .object(members)
    }
}

/// Serves the description at `/openapi.json`.
struct OpenAPIRoute: Sendable {
    private let document: JSONValue

    init() throws(JSONError) {
        document = try OpenAPIDocument.json()
    }

    func addRoute(to router: some RouterMethods<BrokerContext>) {
        router.get("openapi.json") { _, _ in Response.json(document) }
    }
}
