import Encodings
import Foundation

/// A call of one process to another: `{"id", "method", "params"}`.
package struct ProcessCall: Sendable, Hashable {
    static let longestName = 128

    package let id: String
    package let method: String
    package let params: JSONValue
    /// The user who runs the calling process.
    package let user: UInt32

    /// Reads a frame.
    ///
    /// - Throws: ``ProcessSocketError/malformed(_:)``.
    init(_ frame: [UInt8], by user: UInt32, limit: Int) throws(ProcessSocketError) {
        let json = try Self.json(frame, limit: limit)
        guard let members = json.objectValue, Set(members.keys).isSubset(of: ["id", "method", "params"]),
            let id = members["id"]?.stringValue, let method = members["method"]?.stringValue,
            (1...Self.longestName).contains(id.utf8.count), (1...Self.longestName).contains(method.utf8.count)
        else { throw .malformed("a call has an id, a method and params, and nothing else") }
        let params = members["params"] ?? [:]
        guard params.objectValue != nil else { throw .malformed("the params of a call are an object") }
        self.id = id
        self.method = method
        self.params = params
        self.user = user
    }

    static func json(_ frame: [UInt8], limit: Int) throws(ProcessSocketError) -> JSONValue {
        do {
            return try JSONReader.read(frame, limits: JSONLimits(depth: 8, size: limit))
        } catch {
            throw .malformed("a frame is not JSON: \(error)")
        }
    }

    /// Reads a parameter that names something by its UUID, in the usual form of 36 characters.
    package func id(_ name: String) throws(ProcessRefusal) -> UUID {
        guard let id = params[name]?.stringValue.flatMap(UUID.init(uuidString:)) else {
            throw ProcessRefusal("INVALID_FIELD", "“\(name)” must be a UUID")
        }
        return id
    }
}

/// The answer to a call: `{"id", "result"}` or `{"id", "error": {"code", "message"}}`.
enum ProcessAnswer {
    static func frame(_ id: String, _ outcome: Result<JSONValue, ProcessRefusal>) -> [UInt8] {
        switch outcome {
        case .success(let result):
            (["id": .string(id), "result": result] as JSONValue).compactBytes()
        case .failure(let refusal):
            ([
                "id": .string(id), "error": ["code": .string(refusal.code), "message": .string(refusal.message)],
            ] as JSONValue).compactBytes()
        }
    }

    /// Reads the answer to the call with this id.
    static func result(of frame: [UInt8], to id: String, limit: Int) throws(ProcessSocketError) -> JSONValue {
        let json = try ProcessCall.json(frame, limit: limit)
        guard json["id"]?.stringValue == id else { throw .malformed("an answer has another id than its call") }
        if let error = json["error"] {
            guard let code = error["code"]?.stringValue, let message = error["message"]?.stringValue else {
                throw .malformed("an error has a code and a message")
            }
            throw .refused(code: code, message: message)
        }
        guard let result = json["result"] else { throw .malformed("an answer has a result or an error") }
        return result
    }
}
