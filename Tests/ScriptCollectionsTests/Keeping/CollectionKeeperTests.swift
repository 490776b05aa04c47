import Foundation
import ScriptCollections
import TestSupport
import Testing

@Suite("A phone's collections")
struct CollectionKeeperTests {
    @Test("are searched in turn, so that one with many names hides no other")
    func turns() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let keeper = CollectionKeeper(home: folder.appending("home"))
        for (name, count) in [("aaa", 60), ("bbb", 1), ("ccc", 2)] {
            let place = folder.appending(name)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for number in 0..<count {
                let text = MadeCollection.script.replacing("bank: north", with: "bank: north-\(name)-\(number)")
                try Data(text.utf8).write(to: place.appending(path: "\(number).yaml"))
            }
            let added = try await keeper.add(
                KnownCollection(name: name, kind: .folder, place: place.path), root: nil)
            #expect(added.count == count)
        }
        let found = try keeper.search("northern", most: 10)
        #expect(found.count == 10)
        #expect(found.prefix(4).map(\.0.name) == ["aaa", "bbb", "ccc", "aaa"])
        #expect(found.filter { $0.0.name == "ccc" }.count == 2)
        #expect(Set(found.map(\.1.bankID)).count == 10)
    }
}
