import Broker
import Encodings
import Foundation
import GRDB
import Storage
import TestSupport
import Testing

@Suite("broker audit", .timeLimit(.minutes(4)))
struct BrokerAuditCommandTests {
    @Test("fails loudly on a broken chain, filters, exports, and makes checkpoints")
    func audit() async throws {
        let broker = try BrokerProcess()
        let serving = try await broker.start()
        serving.signal(SIGTERM)
        #expect(try await serving.status() == 0)
        let environment = broker.environment

        let listed = try await Program.run(["broker", "audit", "--type", "broker", "--json"], environment: environment)
        #expect(listed.status == 0)
        #expect(try JSONReader.read(String(listed.output.split(separator: "\n")[0]))["type"] == "broker.started")
        let none = try await Program.run(
            ["broker", "audit", "--until", "2020-01-01", "--json"], environment: environment)
        #expect(none.status == 0 && none.output.isEmpty)
        let severe = try await Program.run(
            ["broker", "audit", "--severity", "critical", "--json"], environment: environment)
        #expect(severe.status == 0 && severe.output.isEmpty)
        #expect(try await Program.run(["broker", "audit", "--since", "soon"], environment: environment).status == 2)
        let csv = try await Program.run(["broker", "audit", "export", "--format", "csv"], environment: environment)
        #expect(csv.output.hasPrefix("id,time,severity,type"))
        let verified = try await Program.run(["broker", "audit", "verify", "--json"], environment: environment)
        let checkpoint = try #require(try JSONReader.read(verified.output)["checkpoint"]?.stringValue)
        #expect(verified.status == 0)
        let later = try await Program.run(
            ["broker", "audit", "verify", "--checkpoint", checkpoint], environment: environment)
        #expect(later.status == 0)
        let viewed = try await Program.run(["broker", "audit", "--type", "audit", "--json"], environment: environment)
        #expect(viewed.output.contains("audit.viewed") && viewed.output.contains("audit.exported"))

        try await DatabaseQueue(path: broker.database.path).write { db in
            try db.execute(
                sql: "DROP TRIGGER audit_log_never_changes; UPDATE audit_log SET event_type = 'x' WHERE id = 1")
        }
        for arguments in [[], ["--json"], ["verify"], ["verify", "--json"]] {
            let broken = try await Program.run(["broker", "audit"] + arguments, environment: environment)
            #expect(broken.status == 1, "\(arguments)")
            #expect((broken.output + broken.errors).contains("record 1"), "\(arguments)")
        }
    }
}
