import Automation
import Foundation
import TestSupport
import Testing

@testable import Terminal

@Suite("A picture of a bank's question at the terminal")
struct ShownPictureTests {
    @Test("is readable by its owner alone, and goes with the answer")
    func kept() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let shown = try ShownPicture(.init(bytes: [1, 2, 3], mediaType: "image/PNG; charset=binary"), in: folder.url)
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
        let file = folder.url.appending(path: try #require(names.first { $0.hasSuffix("/code.png") }))
        #expect(shown.words == "See \(file.path). ")
        #expect(try Data(contentsOf: file) == Data([1, 2, 3]))
        #expect(try mode(file) == 0o600)
        #expect(try mode(file.deletingLastPathComponent()) == 0o700)
        shown.remove()
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test(
        "is not written when a browser could run it", arguments: ["image/svg+xml", "text/html", "", "image/png/../x"])
    func refused(type: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let shown = try ShownPicture(.init(bytes: [1], mediaType: type), in: folder.url)
        #expect(shown.words.contains("not shown"))
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    private func mode(_ url: URL) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int)
    }
}
