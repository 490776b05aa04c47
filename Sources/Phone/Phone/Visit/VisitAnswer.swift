import Automation
import Encodings
import Machine
import Secrets

/// The answer to a call between the phone and the process that visits a bank: a value, or the error that took its place.
enum VisitAnswer {
    /// An error of another type than those that cross whole: its words.
    struct Told: Error, Sendable, CustomStringConvertible {
        let description: String
    }

    private static let longestWords = 20_000

    static func message(
        _ work: () async throws -> CallLine.Message
    ) async -> CallLine.Message {
        do {
            let message = try await work()
            return CallLine.Message(["value": message.json], pieces: message.pieces)
        } catch let failure as RunFailure {
            return CallLine.Message(["failure": failure.visitJSON])
        } catch is CancellationError {
            return CallLine.Message(["cancelled": true])
        } catch {
            return CallLine.Message(["error": .string(String("\(error)".prefix(longestWords)))])
        }
    }

    /// Returns the value of an answer.
    ///
    /// - Throws: the error that took its place; ``CallLine/Nonsense`` for any other message.
    static func value(_ message: CallLine.Message) throws -> CallLine.Message {
        if let value = message.json["value"] { return CallLine.Message(value, pieces: message.pieces) }
        if let failure = RunFailure(visitJSON: message.json["failure"]) { throw failure }
        if message.json["cancelled"] == true { throw CancellationError() }
        if let words = message.json.visitText("error", longestWords) { throw Told(description: words) }
        throw CallLine.Nonsense("an answer is a value or an error")
    }
}

extension CallLine.Message {
    /// A message with a secret; nil is a message without one.
    init(secret: Secret?) {
        self.init(.null, pieces: secret.map { [$0.withUnsafeBytes { Array($0) }] } ?? [])
    }

    /// Takes the secret out, and overwrites its piece.
    mutating func takeSecret() -> Secret? {
        guard !pieces.isEmpty else { return nil }
        let secret = Secret(bytes: pieces[0])
        pieces[0].wipe()
        return secret
    }
}
