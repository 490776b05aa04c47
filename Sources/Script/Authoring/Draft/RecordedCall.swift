import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine

/// A request that the script of a recorded page made, with its answer.
struct RecordedCall {
    let exchange: Exchange
    let index: Int
    var sent: JSONValue?
    var answer: JSONValue?
    /// Requests that repeat this one until the answer changes.
    var polls: [Exchange] = []
}

extension Exchange {
    /// The JSON object or list that was sent.
    var jsonSent: JSONValue? { Self.json(requestBody) }

    /// The form that was sent; nil for another body.
    var formSent: [FormFields.Field]? {
        guard jsonSent == nil, let requestBody, !requestBody.isEmpty,
            requestHeader("content-type")?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
        else { return nil }
        return FormFields(urlEncoded: String(decoding: requestBody, as: UTF8.self)).fields
    }

    /// The names of the form's fields or of the JSON object's members.
    var sentNames: [String] {
        jsonSent?.objectValue?.keys.sorted() ?? formSent?.map(\.name) ?? []
    }

    var jsonAnswer: JSONValue? {
        mediaType?.hasSuffix("json") == true ? Self.json(responseBody) : nil
    }

    private static func json(_ body: [UInt8]?) -> JSONValue? {
        guard let body, let value = try? JSONReader.read(body, limits: JSONLimits(size: max(body.count, 1))),
            value.objectValue != nil || value.arrayValue != nil
        else { return nil }
        return value
    }
}
