import Encodings
import TestSupport

extension Vectors {
    static func json(_ path: String) throws -> JSONValue {
        try JSONReader.read(data(path), limits: JSONLimits(depth: 64, size: 4 << 20))
    }

    static func bytes(hex: String) -> [UInt8] {
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }
}
