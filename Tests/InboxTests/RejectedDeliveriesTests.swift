import Foundation
import TestSupport
import Testing

@testable import Inbox

@Suite("Refused deliveries") struct RejectedDeliveriesTests {
    @Test(
        "the oldest go when there are too many, or too many bytes",
        arguments: [
            (4, 1 << 20, ["c.manifest.json", "c.pdf", "d.manifest.json", "d.pdf"]),
            (100, 2500, ["d.manifest.json", "d.pdf"]),
        ])
    func limits(_ most: Int, _ mostBytes: Int, _ expected: [String]) throws {
        let folder = try TemporaryFolder()
        let kept = folder.appending("rejected")
        var removed = 0
        let rejected = RejectedDeliveries(folder: kept, most: most, mostBytes: mostBytes)
        for (age, name) in zip((1...4).reversed(), ["a", "b", "c", "d"]) {
            let paths = InboxPaths(manifest: "\(name).manifest.json", in: folder.url)
            for file in [paths.pdf, paths.manifest] { try Data(count: 1000).write(to: file) }
            removed += rejected.take(paths).discarded
            // Times of files may be as coarse as the clock's tick.
            for file in try FileManager.default.contentsOfDirectory(atPath: kept.path)
            where file.hasSuffix("-\(name).pdf") || file.hasSuffix("-\(name).manifest.json") {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -60 * Double(age))],
                    ofItemAtPath: kept.appending(path: file).path)
            }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: kept.path)
        #expect(removed == 8 - expected.count, "each is counted")
        #expect(names.map { String($0.split(separator: "-")[1]) }.sorted() == expected)
        #expect(folder.names == ["rejected"])
    }

    @Test("what cannot be removed is counted, and what was not there is not")
    func remaining() throws {
        let folder = try TemporaryFolder()
        let rejected = RejectedDeliveries(folder: folder.appending("rejected"))
        let paths = InboxPaths(manifest: "a.manifest.json", in: folder.url)
        try Data("{".utf8).write(to: paths.manifest)
        #expect(rejected.take(paths) == RejectedDeliveries.Losses())
        try FileManager.default.createDirectory(at: paths.manifest, withIntermediateDirectories: false)
        #expect(rejected.take(paths).remaining == 1)
    }
}
