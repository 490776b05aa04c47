import Encodings
import Foundation
import TestSupport
import Testing

@testable import AssistantJobs

@Suite("Sealed briefs and subjects") struct SealedBriefTests {
    @Test("a delivery has one id, which cannot be guessed without the key")
    func ids() throws {
        let folders = [try TemporaryFolder(), try TemporaryFolder()]
        let keys = try folders.map { try StateKeys(in: $0.appending("state")) }
        let job = UUID()
        let due = Date(timeIntervalSince1970: 1_800_000_000)
        let id = SealedBrief.id(of: job, due: due, keys[0])
        #expect(id == SealedBrief.id(of: job, due: due, keys[0]))
        #expect(id != SealedBrief.id(of: job, due: due.addingTimeInterval(86_400), keys[0]))
        #expect(id != SealedBrief.id(of: UUID(), due: due, keys[0]))
        #expect(id != SealedBrief.id(of: job, due: due, keys[1]))
        #expect(id.uuidString.dropFirst(14).first == "8")
    }

    @Test("opens under its own id only, and its text is not in what is stored")
    func sealed() throws {
        let folder = try TemporaryFolder()
        let keys = try StateKeys(in: folder.appending("state"))
        let brief = Brief(
            meetings: [Brief.Meeting(title: "Canary of a sealed brief", start: .distantPast, end: .distantPast)],
            free: [], urgentMail: [], statements: [], consents: [])
        let id = UUID()
        let sealed = try SealedBrief.seal(brief, id, keys)
        #expect(try SealedBrief.open(sealed, id, keys) == brief.json)
        #expect(throws: (any Error).self) { try SealedBrief.open(sealed, UUID(), keys) }
        #expect(Data(sealed).range(of: Data("Canary".utf8)) == nil)
    }
}
