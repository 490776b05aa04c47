import AssistantProcesses
import Foundation
import TestSupport
import Testing

@testable import AssistantJobs

@Suite("Settings of the broker") struct BrokerSettingsTests {
    private static let user = "6f2c1a34-0000-4000-8000-000000000001"

    static let settings: [([String: String], String?)] = [
        (["ASSISTANT_BROKER_USERS": user], nil),
        (["ASSISTANT_SIGNUP": "closed"], nil),
        (["ASSISTANT_SIGNUP": "open", "ASSISTANT_BROKER_USERS": "\(user), \(user)"], nil),
        ([:], "ASSISTANT_BROKER_USERS is missing"), (["ASSISTANT_SIGNUP": "open"], "ASSISTANT_BROKER_USERS is missing"),
        (["ASSISTANT_BROKER_USERS": "ann"], "“ann”, which is not the id of a user"),
        (["ASSISTANT_BROKER_USERS": user, "ASSISTANT_BROKER_URL": "http://x.example"], "must begin with https://"),
        (["ASSISTANT_BROKER_USERS": user, "ASSISTANT_BROKER_TOKEN_FILE": ""], "countersign agent add assistant"),
        (["ASSISTANT_BROKER_USERS": user, "ASSISTANT_STATEMENT_SCHEDULE": "daily"], "ASSISTANT_STATEMENT_SCHEDULE"),
        (["ASSISTANT_BROKER_USERS": user, "ASSISTANT_STATEMENT_SCHEDULE": "monthly 3 08:00 Europe/Vienna"], nil),
    ]

    @Test("are read, or refused with the name of the variable", arguments: settings)
    func read(_ more: [String: String], _ problem: String?) throws {
        let folder = try TemporaryFolder()
        let file = folder.appending("token")
        try Data("a-token-of-the-assistants-own-agent\n".utf8).write(to: file)
        chmod(file.path, 0o600)
        let right = ["ASSISTANT_BROKER_URL": "http://127.0.0.1:8765", "ASSISTANT_BROKER_TOKEN_FILE": file.path]
        var reader = SettingsReader(right.merging(more) { $1 })
        let settings = BrokerSettings(&reader)
        do {
            try reader.finish()
            #expect(problem == nil && settings != nil)
        } catch {
            #expect(problem.map { error.description.contains($0) } == true, "\(error)")
        }
    }

    @Test("without an address nothing is set up")
    func none() throws {
        var reader = SettingsReader([:])
        #expect(BrokerSettings(&reader) == nil)
        try reader.finish()
    }
}
