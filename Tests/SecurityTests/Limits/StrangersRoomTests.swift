import Foundation
import TestSupport
import Testing

@Suite("The table of what strangers can fill")
struct StrangersRoomTests {
    @Test("is the page of the documentation; COUNTERSIGN_WRITE_GOLDEN=1 writes it")
    func page() throws {
        let file = Repository.file("docs/limits.md")
        if ProcessInfo.processInfo.environment["COUNTERSIGN_WRITE_GOLDEN"] == "1" {
            try Data(StrangersRoom.page.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == StrangersRoom.page)
    }

    @Test("names tests that are there")
    func tests() throws {
        for room in StrangersRoom.all {
            let text = try String(contentsOf: Repository.file("Tests/\(room.test.file)"), encoding: .utf8)
            #expect(
                text.contains("@Test(\"\(room.test.words)") || text.contains("\"\(room.test.words)\""), "\(room.what)")
        }
    }
}
