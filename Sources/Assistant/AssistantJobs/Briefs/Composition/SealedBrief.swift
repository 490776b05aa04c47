import Encodings
import Foundation
import Secrets

/// A brief as the database keeps it: sealed, and bound to its id.
package enum SealedBrief {
    /// Returns the id of the brief of one delivery. It is the same when the delivery is repeated after a crash, and cannot
    /// be guessed.
    static func id(of job: UUID, due: Date, _ keys: StateKeys) -> UUID {
        let text = "\(job.uuidString) \(Int(due.timeIntervalSince1970))"
        var bytes = Array(keys.digest(text, for: "brief").prefix(16))
        // A UUID of version 8 (RFC 9562, section 5.8).
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Base16.encode(bytes)
        let ends = [8, 12, 16, 20, 32]
        let parts = zip([0] + ends, ends).map { start, end in
            String(Array(digits)[start..<end])
        }
        guard let id = UUID(uuidString: parts.joined(separator: "-")) else {
            preconditionFailure("32 hexadecimal digits are a UUID")
        }
        return id
    }

    static func seal(_ brief: Brief, _ id: UUID, _ keys: StateKeys) throws -> [UInt8] {
        try keys.seal(Secret(brief.json.compactText()), as: binding(id))
    }

    package static func open(_ sealed: [UInt8], _ id: UUID, _ keys: StateKeys) throws -> JSONValue {
        try JSONReader.read(keys.open(sealed, as: binding(id)).revealed())
    }

    private static func binding(_ id: UUID) -> String { "brief \(id.uuidString)" }
}
