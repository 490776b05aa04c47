import AssistantProcesses
import BrokerClient
import Clocks
import Foundation
import Secrets

/// The broker that the assistant asks for statements, and for whom.
package struct BrokerSettings: Sendable {
    package var url: String
    /// The token of the assistant's own agent at the broker.
    package var token: Secret
    /// The users for whom the broker may be asked; nil for every user.
    package var users: Set<UUID>?
    /// The times at which last month's statements are offered; nil for mail alone.
    package var schedule: Recurrence?

    package init(url: String, token: Secret) {
        self.url = url
        self.token = token
    }

    /// Reads `ASSISTANT_BROKER_URL`, `ASSISTANT_BROKER_TOKEN_FILE`, `ASSISTANT_BROKER_USERS` and
    /// `ASSISTANT_STATEMENT_SCHEDULE`.
    ///
    /// - Returns: nil when no broker is set up.
    package init?(_ reader: inout SettingsReader) {
        guard reader.value("ASSISTANT_BROKER_URL") != nil else { return nil }
        let url = reader.address("ASSISTANT_BROKER_URL", otherwise: "")
        let token = reader.secret(inFile: "ASSISTANT_BROKER_TOKEN_FILE")
        if reader.value("ASSISTANT_BROKER_TOKEN_FILE") == nil {
            reader.add(
                "ASSISTANT_BROKER_TOKEN_FILE is missing; make a token with: countersign agent add assistant")
        }
        let users = Self.users(&reader)
        if users == nil, reader.value("ASSISTANT_SIGNUP") != "closed" {
            reader.add(
                "ASSISTANT_BROKER_USERS is missing: new users may come, so name the users who may ask your broker; "
                    + "GET /v1/privacy/export tells a user's id")
        }
        let schedule = Self.schedule(&reader)
        guard let token else { return nil }
        self.init(url: url, token: token)
        self.users = users
        self.schedule = schedule
    }

    package func client(authorities: URL?) -> AgentClient {
        AgentClient(baseURL: url, token: token, authority: authorities)
    }

    private static func users(_ reader: inout SettingsReader) -> Set<UUID>? {
        guard let text = reader.value("ASSISTANT_BROKER_USERS") else { return nil }
        var users: Set<UUID> = []
        for item in text.split(separator: ",") {
            if let id = UUID(uuidString: item.trimmingCharacters(in: .whitespaces)) {
                users.insert(id)
            } else {
                reader.add("ASSISTANT_BROKER_USERS has “\(item)”, which is not the id of a user")
            }
        }
        return users
    }

    private static func schedule(_ reader: inout SettingsReader) -> Recurrence? {
        guard let text = reader.value("ASSISTANT_STATEMENT_SCHEDULE") else { return nil }
        do throws(RecurrenceError) {
            return try Recurrence(text)
        } catch {
            reader.add("ASSISTANT_STATEMENT_SCHEDULE: \(error)")
            return nil
        }
    }
}
