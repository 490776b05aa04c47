import AssistantStore
import Crypto
import CurlClient
import Encodings
import Foundation
import Logging
import Notifications
import Secrets
import Synchronization
import TestServers
import TestSupport
import Testing

@testable import AssistantJobs

/// A database with users and their devices, the delivery of notices, and a fake of Apple's service.
struct NoticeStage: Sendable {
    enum Store: String, Sendable, CustomTestStringConvertible {
        case sqlite = "SQLite"
        case postgres = "PostgreSQL"

        static let all: [Store] = LoopbackPostgres.programs == nil ? [.sqlite] : [.sqlite, .postgres]
        var testDescription: String { rawValue }
    }

    /// Noon in Vienna.
    static let noon = Date(timeIntervalSince1970: 1_800_010_800)
    /// Three o'clock at night in Vienna: quiet, until seven.
    static let night = Date(timeIntervalSince1970: 1_800_064_800)
    static let morning = Date(timeIntervalSince1970: 1_800_079_200)

    let database: AssistantDatabase
    let keys: StateKeys
    let apns: FakeAPNs
    let delivery: NoticeDelivery
    let folder: TemporaryFolder
    let settings: NoticeSettings
    let databaseURL: String

    var held: HeldNotices { HeldNotices(delivery) }

    /// Runs `body` with everything, and closes it.
    static func run(
        _ store: Store = .sqlite, _ change: @escaping @Sendable (inout NoticeSettings) throws -> Void = { _ in },
        _ body: @escaping @Sendable (NoticeStage) async throws -> Void
    ) async throws {
        try await FakeAPNs.with { apns, address, authority in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let url =
                store == .sqlite
                ? "sqlite:\(folder.appending("assistant.db").path)" : try await LoopbackPostgres.makeDatabase()
            let database = try await AssistantDatabase.open(url)
            let keys = try StateKeys(in: folder.url)
            var settings = NoticeSettings()
            var client = try APNsConfiguration(
                key: Secret(apns.key.pemRepresentation), keyID: FakeAPNs.keyID, teamID: FakeAPNs.teamID,
                topic: FakeAPNs.topic)
            client.address = address
            settings.apns = client
            settings.authorities = authority
            try change(&settings)
            let delivery = try NoticeDelivery(
                settings, state: folder.url, database: database, keys: keys,
                logger: Logger(label: "notices") { _ in SwiftLogNoOpLogHandler() })
            try await body(
                NoticeStage(
                    database: database, keys: keys, apns: apns, delivery: delivery, folder: folder,
                    settings: settings, databaseURL: url))
            await delivery.close()
            await database.close()
        }
    }

    /// Makes a user in Vienna, whose quiet hours are from 22:00 to 07:00.
    func user(_ byte: UInt8 = 1) async throws -> UUID {
        let admission = try await database.users.admit(
            [UInt8](repeating: byte, count: 32), .open, timeZone: "Europe/Vienna", at: Self.noon)
        guard case .new(let id) = admission else { throw AssistantStoreError(.other, "\(admission)") }
        return id
    }

    /// Makes a user with one device of Apple's.
    func userWithPhone(_ byte: UInt8 = 1) async throws -> (user: UUID, token: String) {
        let user = try await user(byte)
        return (user, try await phone(of: user, byte: byte))
    }

    @discardableResult
    func phone(of user: UUID, _ name: String = "phone", byte: UInt8) async throws -> String {
        let token = Base16.encode([UInt8](repeating: byte, count: 32))
        let sealed = try keys.seal(Secret(token), as: PushAddress.binding(user, name))
        try await database.devices.put(name, of: user, .apns, .sandbox, sealedToken: sealed, at: Self.noon)
        return token
    }

    func wish(_ user: UUID, _ change: @escaping @Sendable (inout NotificationPreferences) -> Void) async throws {
        let isStored = try await database.notificationPreferences.change(
            of: user, recording: NewAuditEvent("PREFERENCES_CHANGED"), at: Self.noon
        ) { [keys] stored in
            var wanted = try NotificationPreferences(stored, of: user, keys)
            change(&wanted)
            try wanted.write(to: &stored, of: user, keys)
        }
        #expect(isStored)
    }

    func put(_ user: UUID, at now: Date, _ change: (inout Preferences) -> Void) async throws {
        var preferences = try #require(try await database.preferences.preferences(of: user))
        change(&preferences)
        _ = try await database.preferences.put(
            preferences, timeZone: preferences.timeZone, of: user, recording: NewAuditEvent("PREFERENCES_CHANGED"),
            at: now)
    }

    static func notice(
        _ kind: Notice.Kind = .meetingReminder, key: String = "meeting-1", at now: Date = noon,
        begins: Date? = nil, sender: String? = nil
    ) -> Notice {
        Notice(
            kind, title: "Meeting soon", text: "In 15 minutes",
            details: .init(title: "Budget with Ada", text: "09:30, room 4"), id: "id-\(key)",
            link: "alfred://meetings/\(key)", collapseKey: key, expires: now.addingTimeInterval(86_400), begins: begins,
            sender: sender)
    }
}
