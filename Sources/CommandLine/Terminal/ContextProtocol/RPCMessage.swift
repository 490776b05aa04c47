import Encodings

/// A message of JSON-RPC 2.0 as the Model Context Protocol restricts it: no batches; IDs are strings or integers.
package enum RPCMessage: Sendable {
    case request(id: JSONValue, method: String, params: JSONValue)
    case notification(method: String, params: JSONValue)
    /// An answer. This server never sends requests, so it expects none.
    case response

    /// - Throws: ``RPCError``.
    package init(_ json: JSONValue) throws(RPCError) {
        guard case .object(let members) = json, members["jsonrpc"] == "2.0" else {
            throw .invalidRequest("a message is one object with “jsonrpc”: “2.0”")
        }
        let params = members["params"] ?? [:]
        guard case .string(let method)? = members["method"] else {
            guard members["result"] != nil || members["error"] != nil else {
                throw .invalidRequest("“method” is missing")
            }
            self = .response
            return
        }
        guard params.objectValue != nil else { throw .invalidRequest("“params” must be an object") }
        guard let id = members["id"] else {
            self = .notification(method: method, params: params)
            return
        }
        guard id.stringValue != nil || id.intValue != nil else {
            throw .invalidRequest("“id” must be a string or an integer")
        }
        self = .request(id: id, method: method, params: params)
    }
}

/// An error of the protocol. An error inside a tool is the tool's result instead.
package struct RPCError: Error, Sendable, Hashable {
    package let code: Int
    package let message: String
    package var data: JSONValue?

    package init(code: Int, message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    package static func parse(_ message: String) -> RPCError { RPCError(code: -32700, message: message) }
    package static func invalidRequest(_ message: String) -> RPCError { RPCError(code: -32600, message: message) }
    package static func unknownMethod(_ name: String) -> RPCError {
        RPCError(code: -32601, message: "unknown method “\(name.inLine(limit: 80))”")
    }
    package static func invalidParams(_ message: String) -> RPCError { RPCError(code: -32602, message: message) }

    /// The 2026-07-28 schema's `UnsupportedProtocolVersionError`.
    package static func unsupportedVersion(_ requested: String) -> RPCError {
        RPCError(
            code: -32022, message: "protocol version “\(requested.inLine(limit: 40))” is not supported",
            data: [
                "requested": .string(requested),
                "supported": .array(ProtocolVersion.allCases.map { .string($0.rawValue) }),
            ])
    }

    /// - Parameter id: nil when the request's ID could not be read.
    package func response(to id: JSONValue?) -> JSONValue {
        var error: [String: JSONValue] = ["code": .number(Double(code)), "message": .string(message)]
        if let data { error["data"] = data }
        var members: [String: JSONValue] = ["jsonrpc": "2.0", "error": .object(error)]
        if let id { members["id"] = id }
        return .object(members)
    }
}
