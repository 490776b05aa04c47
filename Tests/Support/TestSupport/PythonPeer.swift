import Encodings
import Foundation
import Machine
import Secrets
import Testing

/// A program of `Tests/Peers` that answers lines of JSON with lines of JSON: a party that was written from the published
/// text alone.
package final class PythonPeer: Sendable {
    private let process: RunningProgram

    /// Starts `device_trust.py`, a phone and a broker that pair, or another script with the same argument: the file with the
    /// list of confirmation words.
    package init(_ script: String = "device_trust.py") throws {
        let python = try #require(Peers.python, "COUNTERSIGN_PEERS is not set")
        let words = Repository.file("Sources/Protocol/DeviceTrust/Pairing/ConfirmationWords.swift")
        process = try RunningProgram(
            [python.path, Peers.script(script).path, words.path], environment: nil, in: nil, input: .written,
            errors: .shown)
    }

    /// Sends one line and reads one.
    package func ask(_ question: JSONValue) throws -> JSONValue {
        try process.write((question.compactText() + "\n").utf8)
        return try JSONReader.read(try #require(process.line(), "the peer has ended"))
    }

    package func end() {
        process.endInput()
        process.end()
    }
}
