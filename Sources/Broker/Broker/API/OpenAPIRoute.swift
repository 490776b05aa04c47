import Encodings
import Hummingbird

/// The description of the broker's API (OpenAPI 3.1), `Resources/openapi.json`.
///
/// It is written by hand, because it is a promise to the authors of phones and agents. Tests compare it with the routes
/// and their answers.
enum OpenAPIDocument {
    static func json() throws(JSONError) -> JSONValue { try JSONReader.read(PackageResources.openapi_json) }
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
