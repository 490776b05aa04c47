import Encodings

/// Work on bytes of a stranger's making that needs nothing but these bytes.
///
/// It is a function of its input, so a process without any right can do it, and the process with the secrets only moves
/// bytes.
package protocol ConfinedTask: Sendable {
    /// The name by which the confined process is told its task.
    static var name: String { get }

    /// Loads what cannot be loaded later, such as libraries and the tables of converters.
    static func prepare()

    /// Does the work.
    ///
    /// - Parameter order: what to do with the bytes, as the asking process says it.
    static func perform(_ order: JSONValue, on bytes: [UInt8]) -> ConfinedAnswer
}

/// The result of a ``ConfinedTask``: facts, and pieces of bytes. Who gets it from another process trusts neither.
package struct ConfinedAnswer: Sendable, Hashable {
    package var facts: JSONValue
    package var pieces: [[UInt8]]

    package init(_ facts: JSONValue, pieces: [[UInt8]] = []) {
        self.facts = facts
        self.pieces = pieces
    }
}

/// The frames of a call and of its answer.
enum ConfinedFrames {
    /// The longest head of a call or of an answer, in bytes.
    static let longestHead = 16 << 20
    /// The longest piece, in bytes: an unpacked archive at its limit, and something over.
    static let longestPiece = 300 << 20
    static let mostPieces = 20_000
    /// The time for the rest of a frame once it has begun.
    static let pause = Duration.seconds(120)

    static func json(_ frame: [UInt8]) -> JSONValue? {
        try? JSONReader.read(frame, limits: JSONLimits(depth: 8, size: longestHead))
    }
}
