import Encodings

extension Base64URL {
    /// Decodes a JSON text; nil for any other value, and for text that is not strict Base64URL.
    package static func decode(_ value: JSONValue?) -> [UInt8]? {
        value?.stringValue.flatMap { decode($0) }
    }
}
