import Clocks
import Foundation
import TestSupport
import Testing

@Suite("A shell completes")
struct ShellCompletionTests {
    @Test("months, settings and banks without a broker, and nothing where only a broker knows")
    func values() async throws {
        let folder = try TemporaryFolder()
        let shell = ShellCompletion(environment: ["HOME": folder.url.path])
        #expect(try await shell.values(of: "request", "last") == ["last-month"])
        let months = try await shell.values(of: "request", "--from", "20")
        let last = try #require(MonthYear.current(at: Date(), in: .current).previous)
        #expect(months.count == 24 && months.contains("\(last)"))
        #expect(try await shell.values(of: "config", "set", "BROKER_LA") == ["BROKER_LANGUAGE"])
        #expect(try await shell.values(of: "up", "--bank", "mo") == ["mock", "monzo"])
        #expect(try await shell.values(of: "agent", "receipt", "get", "").isEmpty)
        #expect(try await shell.values(of: "request", "--bank", "").isEmpty)
    }
}
