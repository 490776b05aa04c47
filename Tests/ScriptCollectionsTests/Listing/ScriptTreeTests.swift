import Encodings
import Foundation
import ScriptCollections
import TestSupport
import Testing

@Suite("A folder with scripts by a stranger")
struct ScriptTreeTests {
    private static let script = MadeCollection.script

    private func with(_ make: (URL) throws -> Void, check: (ScriptTree) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let site = folder.appending("site")
        try FileManager.default.createDirectory(at: site, withIntermediateDirectories: true)
        try Data(Self.script.utf8).write(to: site.appending(path: "north.yaml"))
        try make(site)
        try await check(ScriptTree(site))
    }

    @Test("lists the scripts, and says which files are not")
    func listed() async throws {
        func make(in site: URL) throws {
            try Data("bank: [".utf8).write(to: site.appending(path: "broken.yaml"))
            try Data("rows: []".utf8).write(to: site.appending(path: "north.test.yaml"))
            try Data(#"{"author": "Ada", "scripts": {"north.yaml": {"country": "GB"}}}"#.utf8)
                .write(to: site.appending(path: "collection.json"))
            try FileManager.default.createDirectory(
                at: site.appending(path: ".git/hooks"), withIntermediateDirectories: true)
        }
        try await with(
            make(in:),
            check: { tree in
                let (listed, refused) = try await tree.scripts()
                #expect(listed.map(\.bankID) == ["north"])
                #expect(listed.first?.country == "gb" && listed.first?.author == "Ada")
                #expect(refused.map(\.path) == ["broken.yaml"])
            })
    }

    @Test("reads the scripts of many tasks in the order of their paths, with a large file about them")
    func many() async throws {
        let numbers = (1000..<1620).map(String.init)
        func make(in site: URL) throws {
            var about: [String: JSONValue] = [:]
            for number in numbers {
                let isBroken = number.hasSuffix("7")
                let text = isBroken ? "bank: [" : Self.script.replacing("bank: north", with: "bank: bank-\(number)")
                try Data(text.utf8).write(to: site.appending(path: "\(number).yaml"))
                about["\(number).yaml"] = ["author": .string(String(repeating: "a", count: 2000) + number)]
            }
            let bytes = (["scripts": .object(about)] as JSONValue).compactBytes()
            #expect(bytes.count > 1 << 20)
            try Data(bytes).write(to: site.appending(path: "collection.json"))
        }
        try await with(
            make(in:),
            check: { tree in
                #expect(try tree.bytes("collection.json").count > 1 << 20, "as the maker of a collection reads it")
                let (listed, refused) = try await tree.scripts()
                let whole = numbers.filter { !$0.hasSuffix("7") }
                #expect(listed.map(\.bankID) == whole.map { "bank-\($0)" } + ["north"])
                #expect(listed.dropLast().allSatisfy { $0.author.hasSuffix($0.path.prefix(4)) })
                #expect(refused.map(\.path) == numbers.filter { $0.hasSuffix("7") }.map { "\($0).yaml" })
            })
    }

    @Test("reads nothing through a folder that became a link after it was listed")
    func replacedFolder() async throws {
        let elsewhere = try TemporaryFolder()
        defer { elsewhere.remove() }
        try Data(Self.script.utf8).write(to: elsewhere.appending("south.yaml"))
        func make(in site: URL) throws {
            let place = site.appending(path: "de")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try Data(Self.script.utf8).write(to: place.appending(path: "south.yaml"))
        }
        try await with(
            make(in:),
            check: { tree in
                #expect(try tree.paths().contains("de/south.yaml"))
                #expect(try tree.bytes("de/south.yaml") == Array(Self.script.utf8))
                let place = tree.folder.appending(path: "de")
                try FileManager.default.removeItem(at: place)
                try FileManager.default.createSymbolicLink(at: place, withDestinationURL: elsewhere.url)
                #expect {
                    _ = try tree.bytes("de/south.yaml")
                } throws: { ($0 as? CollectionError)?.kind == .hostileFolder }
            })
    }

    private static let hostile: [(String, @Sendable (URL) throws -> Void)] = [
        (
            "a link",
            {
                try FileManager.default.createSymbolicLink(
                    atPath: $0.appending(path: "link.yaml").path, withDestinationPath: "/etc/passwd")
            }
        ),
        (
            "a linked folder",
            {
                try FileManager.default.createSymbolicLink(
                    atPath: $0.appending(path: "de").path, withDestinationPath: "/etc")
            }
        ),
        ("a submodule", { try Data("[submodule]".utf8).write(to: $0.appending(path: ".gitmodules")) }),
        (
            "a checkout in the checkout",
            {
                try FileManager.default.createDirectory(
                    at: $0.appending(path: "de/.git"), withIntermediateDirectories: true)
            }
        ),
        ("a long name", { try Data().write(to: $0.appending(path: String(repeating: "n", count: 200) + ".yaml")) }),
        ("a case twin", { try Data().write(to: $0.appending(path: "North.yaml")) }),
        ("a name with a line feed", { try Data().write(to: $0.appending(path: "a\nb.yaml")) }),
        ("a name in other letters", { try Data().write(to: $0.appending(path: "nоrth.yaml")) }),
        ("a FIFO", { _ = mkfifo($0.appending(path: "pipe.yaml").path, 0o600) }),
        (
            "a deep folder",
            {
                try FileManager.default.createDirectory(
                    at: $0.appending(path: Array(repeating: "d", count: 12).joined(separator: "/")),
                    withIntermediateDirectories: true)
            }
        ),
    ]

    @Test("is refused with what a collection never has", arguments: hostile.indices)
    func refused(index: Int) async throws {
        let (name, make) = Self.hostile[index]
        try await with(
            make,
            check: { tree in
                #expect(
                    performing: { _ = try tree.paths() },
                    throws: { error in
                        let kind = (error as? CollectionError)?.kind
                        if kind != .hostileFolder { Issue.record("\(name): \(error)") }
                        return kind == .hostileFolder
                    })
            })
    }
}
