import Foundation
import Phone
import Secrets
import Terminal

/// The connection to the broker, as a person answers for it during `phone setup`.
struct SetupAnswers {
    private var address: String
    private var token: Secret
    private var sharedSecret: Secret
    private var inbox: String

    /// Takes options and variables, and asks for the rest.
    ///
    /// - Throws: ``CommandFailure`` when an answer is missing and no person is at a terminal.
    init(broker: String?, inbox: String?, environment: [String: String]) throws {
        address = try broker ?? PhoneQuestions.asked("The broker's address (http://127.0.0.1:8765):", "--broker")
        token = try Self.secret(environment["PHONE_API_TOKEN"], "PHONE_API_TOKEN", "The phone's token:")
        sharedSecret = try Self.secret(
            environment["BROKER_PHONE_SHARED_SECRET"], "BROKER_PHONE_SHARED_SECRET", "The shared secret:")
        self.inbox = try Self.path(inbox ?? PhoneQuestions.asked("The synced inbox folder:", "--inbox"))
    }

    /// - Throws: `PhoneError` naming the invalid answer.
    func connection() throws -> PhoneConnection {
        try PhoneConnection(brokerURL: address, token: token, sharedSecret: sharedSecret, inbox: inbox)
    }

    /// Asks again for the answers that failed a check. An empty answer keeps the one before.
    ///
    /// - Throws: ``CommandFailure`` at the end of the input.
    mutating func correct(_ subjects: [SetupCheck.Subject]) throws {
        for subject in subjects {
            switch subject {
            case .broker:
                address = try Self.line("The broker's address", keeping: address)
                token = try Self.secret("The phone's token", keeping: token)
            case .sharedSecret:
                sharedSecret = try Self.secret("The broker's BROKER_PHONE_SHARED_SECRET", keeping: sharedSecret)
            case .inbox: inbox = try Self.path(Self.line("The synced inbox folder", keeping: inbox))
            }
        }
    }

    private static let end = CommandFailure("the input has ended; nothing was written")

    private static func line(_ question: String, keeping old: String) throws -> String {
        guard let answer = Asking.line("\(question) (empty for \(old)):") else { throw end }
        return answer.isEmpty ? old : answer
    }

    private static func secret(_ question: String, keeping old: Secret) throws -> Secret {
        guard let answer = Asking.secret("\(question) (empty to keep it):") else { throw end }
        return answer.isEmpty ? old : answer
    }

    private static func path(_ folder: String) -> String {
        URL(filePath: TypedPath.expanded(folder)).standardizedFileURL.path
    }

    private static func secret(_ given: String?, _ name: String, _ question: String) throws -> Secret {
        if let given, !given.isEmpty { return Secret(given) }
        guard Asking.isPossible else { throw CommandFailure("\(name) is not set", status: 2) }
        guard let typed = Asking.secret(question), !typed.isEmpty else { throw CommandFailure("no answer was given") }
        return typed
    }
}
