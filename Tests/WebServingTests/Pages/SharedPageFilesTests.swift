import Foundation
import TestSupport
import Testing
import WebServing

@Suite("The files that all pages have")
struct SharedPageFilesTests {
    private static let folder = Repository.file("Sources/Serving/WebServing/Resources")

    @Test("the build embeds every file as it is in the folder")
    func embedded() throws {
        let texts = [
            "base.css": SharedPageFiles.style, "calls.js": SharedPageFiles.calls, "shell.js": SharedPageFiles.worker,
        ]
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(names) == Set(texts.keys).union(SharedPageFiles.pictures.keys))
        for (name, text) in texts {
            #expect(
                try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8) == text + "\n", "\(name)")
        }
        for (name, picture) in SharedPageFiles.pictures {
            #expect(try Data(contentsOf: Self.folder.appending(path: name)) == Data(picture.bytes), "\(name)")
        }
    }
}
