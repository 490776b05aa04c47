import Hummingbird
import JSON

/// The description of the broker's API that it serves at `/openapi.json` (OpenAPI 3.1).
///
/// It is written by hand, since it is a promise to those who write a phone or an agent from it; that it is true to the
/// routes and to what they answer is tested.
public enum OpenAPIDocument {
    /// The whole document.
    ///
    /// - Throws: `JSONError` when one of its parts is not JSON.
    public static func json() throws(JSONError) -> JSONValue {
        var paths: [String: JSONValue] = [:]
        for part in [openPaths, agentPaths, phonePaths, devicePaths, pairingPaths] {
            paths.merge(try JSONReader.read(part).objectValue ?? [:]) { $1 }
        }
        guard case .object(var document) = try JSONReader.read(frame) else { return .null }
        document["paths"] = .object(paths)
        var components = try JSONReader.read(schemas).objectValue ?? [:]
        components.merge(try JSONReader.read(answers).objectValue ?? [:]) { $1 }
        var schemas = components["schemas"]?.objectValue ?? [:]
        schemas.merge(try JSONReader.read(deviceSchemas).objectValue ?? [:]) { $1 }
        components["schemas"] = .object(schemas)
        document["components"] = .object(components)
        return .object(document)
    }

    private static let frame = """
        {
          "openapi": "3.1.0",
          "info": {
            "title": "Countersign broker",
            "version": "1.2",
            "description": "Takes requests for bank statements from agents, and has a person's phone approve and run them. \
        Every answer is JSON in UTF-8. Bodies are I-JSON (RFC 7493) of at most 256 KiB and 64 levels; members that are not \
        named here are ignored. An error is {error_code, error_message}; where a request's state is \
        the reason, status names it.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" }
          },
          "servers": [{ "url": "/" }],
          "tags": [
            { "name": "agent", "description": "With the agent's token" },
            { "name": "phone", "description": "With a device's token" },
            { "name": "pairing", "description": "Without a token: for a device that has none yet" },
            { "name": "open", "description": "Without a token" }
          ]
        }
        """

    /// What needs no token. `/metrics` is for programs on the broker's own machine.
    private static let openPaths = """
        {
          "/healthz": { "get": {
            "tags": ["open"], "operationId": "health", "summary": "Whether the broker is well", "security": [],
            "responses": {
              "200": { "description": "It is", "content": { "application/json": { "schema": {
                "type": "object", "required": ["status"], "properties": { "status": { "const": "ok" } } } } } },
              "503": { "$ref": "#/components/responses/Unwell" },
              "500": { "$ref": "#/components/responses/Error" } } } },
          "/openapi.json": { "get": {
            "tags": ["open"], "operationId": "description", "summary": "This document", "security": [],
            "responses": {
              "200": { "description": "OpenAPI 3.1", "content": { "application/json": { "schema": {
                "type": "object", "required": ["openapi", "info", "paths"] } } } },
              "500": { "$ref": "#/components/responses/Error" } } } },
          "/metrics": { "get": {
            "tags": ["open"], "operationId": "metrics", "security": [],
            "summary": "Numbers for Prometheus; answered on the broker's own machine alone",
            "responses": {
              "200": { "description": "Prometheus text format", "content": { "text/plain": { "schema": {
                "type": "string" } } } },
              "404": { "$ref": "#/components/responses/NotFound" },
              "500": { "$ref": "#/components/responses/Error" } } } }
        }
        """
}

/// Serves the document.
struct OpenAPIRoute: Sendable {
    private let document: JSONValue

    init() throws(JSONError) {
        document = try OpenAPIDocument.json()
    }

    func addRoute(to router: some RouterMethods<BrokerContext>) {
        router.get("openapi.json") { _, _ in Response.json(document) }
    }
}
