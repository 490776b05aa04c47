import BrokerStore
import Foundation
import GRDB
import Secrets
import Signer
import Testing

@testable import Broker

@Suite("A stolen phone's vault and a copy of the broker's database", .timeLimit(.minutes(3)))
struct StolenDatabaseTests {
    @Test("the default phone's secret opens nothing in the database")
    func sharedSecret() async throws {
        let broker = try AttackedBroker()
        try await broker.run(try configuration(broker)) { broker in _ = try await AttackedPhone(broker) }
        let stolen = Sealing(try broker.secret)
        #expect(throws: StoreError.self) { try Self.openDevice(broker, stolen) }
        let file = SealingFile(besideDatabase: broker.database).file
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("a database that was sealed with the shared secret is sealed anew at the broker's start")
    func earlier() async throws {
        let broker = try AttackedBroker()
        try await broker.run { broker in _ = try await AttackedPhone(broker) }
        #expect(throws: Never.self) { try Self.openDevice(broker, Sealing(broker.secret)) }
        try await broker.run(try configuration(broker)) { _ in }
        #expect(throws: StoreError.self) { try Self.openDevice(broker, Sealing(broker.secret)) }
    }

    @Test("after a reseal the stolen sealing secret opens nothing, and the phones stay paired")
    func reseal() async throws {
        let broker = try AttackedBroker()
        let phone = PhoneBox()
        try await broker.run(try configuration(broker)) { broker in
            phone.value = try await AttackedPhone(broker)
            await #expect(throws: StoreError.self, "while it runs") { try await broker.administration().reseal() }
        }
        let own = SealingFile(besideDatabase: broker.database)
        let stolen = try #require(try own.sealing())
        #expect(try await broker.administration().reseal() == .file(own.file))
        #expect(throws: StoreError.self) { try Self.openDevice(broker, stolen) }
        try await broker.run(try configuration(broker)) { _ in
            let answer = try await #require(phone.value).send("GET", "/phone/requests/pending")
            #expect(answer.status == 200)
        }
    }

    @Test("a reseal that was killed at any point leaves a database that opens", arguments: [false, true])
    func killed(isSealed: Bool) async throws {
        let broker = try AttackedBroker()
        try await broker.run(try configuration(broker)) { broker in _ = try await AttackedPhone(broker) }
        let own = SealingFile(besideDatabase: broker.database)
        let old = try #require(try own.sealing())
        try own.prepare()
        if isSealed {
            let new = try #require(try own.interrupted())
            try SealedColumns(database: broker.administration().database).reseal(from: old, to: new)
        }
        try await broker.run(try configuration(broker)) { _ in }
        #expect(throws: Never.self) { try Self.openDevice(broker, #require(try own.sealing())) }
    }

    private static func openDevice(_ broker: AttackedBroker, _ sealing: Sealing) throws {
        let (id, sealed) = try DatabaseQueue(path: broker.database.path).read { db in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT id, secret_sealed FROM devices"))
            return (row["id"] as String, row["secret_sealed"] as Data)
        }
        _ = try sealing.open(sealed, as: "device/\(id)/secret")
    }

    /// The configuration that the variables make.
    private func configuration(_ broker: AttackedBroker) throws -> BrokerConfiguration {
        var configuration = try broker.configuration
        configuration.sealingFile = SealingFile(besideDatabase: broker.database)
        return configuration
    }
}

private final class PhoneBox: @unchecked Sendable {
    var value: AttackedPhone?
}
