import Foundation
import TestServers
import TestSupport
import Testing

@testable import AssistantStore

/// The databases that the conformance tests run against.
enum StoreKind: String, Sendable, CustomTestStringConvertible {
    case sqlite = "SQLite"
    case postgres = "PostgreSQL"

    /// Both, or SQLite alone where PostgreSQL is not installed; ``PostgresTests`` are then skipped visibly.
    static let all: [StoreKind] = LoopbackPostgres.programs == nil ? [.sqlite] : [.sqlite, .postgres]

    var testDescription: String { rawValue }
}

/// An empty database of a test's own, and the moment at which it begins.
struct OpenedStore {
    static let start = Date(timeIntervalSince1970: 1_800_000_000.123)

    let database: AssistantDatabase
    let url: String
    private let folder: TemporaryFolder?

    init(_ kind: StoreKind) async throws {
        switch kind {
        case .sqlite:
            let folder = try TemporaryFolder()
            self.folder = folder
            url = "sqlite:\(folder.appending("assistant.db").path)"
        case .postgres:
            folder = nil
            url = try await LoopbackPostgres.makeDatabase()
        }
        database = try await AssistantDatabase.open(url)
    }

    /// Makes a user whose identity is one byte, repeated.
    func user(_ byte: UInt8 = 1) async throws -> UUID {
        let admission = try await database.users.admit(
            [UInt8](repeating: byte, count: 32), .open, timeZone: "Europe/Vienna", at: Self.start)
        guard case .new(let id) = admission else { throw AssistantStoreError(.other, "\(admission)") }
        return id
    }

    func session(of user: UUID, refresh: [UInt8] = [1]) async throws -> StoredSession {
        try await database.sessions.begin(
            user, deviceID: "phone", refreshDigest: refresh, expires: Self.start + 3600,
            recording: NewAuditEvent("SIGN_IN"), at: Self.start)
    }
}

extension Date {
    static func + (date: Date, seconds: Int) -> Date { date.addingTimeInterval(TimeInterval(seconds)) }
}
