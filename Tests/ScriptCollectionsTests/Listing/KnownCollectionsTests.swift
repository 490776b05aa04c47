import Foundation
import ScriptCollections
import Testing

@Suite("A collection's name")
struct KnownCollectionsTests {
    @Test(
        "that is a path touches nothing of the phone's folder, whatever is done with it",
        arguments: ["..", ".", "", "mine/", "../phone", "a/b", "collections.json", "Collections.JSON"])
    func unsafe(name: String) async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "phone-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: home) }
        let kept = ["vault.json", "collections/mine/root.json", "collections/collections.json"].map {
            home.appending(path: $0)
        }
        for file in kept {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("[]".utf8).write(to: file)
        }
        let keeper = CollectionKeeper(home: home)
        let collection = KnownCollection(name: name, kind: .folder, place: home.path)
        await #expect(throws: CollectionError.self) { try await keeper.add(collection, root: nil) }
        #expect(throws: CollectionError.self) { try keeper.remove(collection) }
        for file in kept { #expect(FileManager.default.fileExists(atPath: file.path), "\(file.path)") }
    }
}
