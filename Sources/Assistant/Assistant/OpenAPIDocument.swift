import Encodings

/// The description of the assistant's API (OpenAPI 3.1), `Resources/openapi.json`. It is written by hand, because it is a
/// promise to the authors of apps. Tests compare it with the routes.
package enum OpenAPIDocument {
    package static func json() throws(JSONError) -> JSONValue { try JSONReader.read(PackageResources.openapi_json) }
}
