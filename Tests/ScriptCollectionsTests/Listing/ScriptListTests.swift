import Foundation
import ScriptCollections
import TestSupport
import Testing

@Suite("Searching the lists")
struct ScriptListTests {
    private static let countries = ["de", "gb", "fr", "us", "in", "pl"]

    private static func many(_ count: Int) -> [ListedScript] {
        (0..<count).map { number in
            ListedScript(
                bankID: "bank-\(number)", name: "Sparkasse Ort \(number) München", country: countries[number % 6],
                kinds: number.isMultiple(of: 2) ? ["pdf", "camt"] : ["pdf"], author: "Author \(number % 97)",
                origins: ["https://banking.bank-\(number).example"], path: "scripts/bank-\(number).yaml")
        }
    }

    @Test("finds a script by all of the words, without case and accents")
    func words() throws {
        let list = ScriptList(Self.many(500))
        #expect(list.count == 500)
        #expect(list.search("bank-42", most: 5).first?.bankID == "bank-42")
        #expect(list.search("munchen ORT 499", most: 5).map(\.bankID) == ["bank-499"])
        #expect(list.search("camt de author", most: 500).allSatisfy { $0.country == "de" && $0.kinds.contains("camt") })
        #expect(list.search("nothing-of-the-kind", most: 5).isEmpty)
        #expect(list.search("   ", most: 5).isEmpty)
        #expect(list.scripts(ofBank: "bank-4").map(\.path) == ["scripts/bank-4.yaml"])
    }

    @Test("keeps a stranger's text inside its field")
    func fields() throws {
        let list = ScriptList([
            ListedScript(bankID: "a", name: "x\ty\nbank\u{202E}", country: "de", path: "a.yaml"),
            ListedScript(bankID: "b", name: "other", path: "b.yaml"),
        ])
        #expect(list.count == 2)
        #expect(list.scripts(ofBank: "a").first?.path == "a.yaml")
    }

    @Test("searches 50,000 scripts")
    func large() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("scripts.list")
        try ScriptList(Self.many(50_000)).write(to: file)
        let began = ContinuousClock.now
        let list = try ScriptList(reading: file)
        let read = ContinuousClock.now
        print("collections: 50,000 scripts, \(try Data(contentsOf: file).count) bytes, read in \(read - began)")
        for (query, count) in [
            ("sparkasse ort 49999", 1), ("bank-25000", 1), ("sparkasse camt de", 50), ("sparkasse xyz", 0),
        ] {
            let before = ContinuousClock.now
            let found = list.search(query, most: 50)
            print("collections: “\(query)” in \(ContinuousClock.now - before)")
            #expect(found.count == count)
        }
    }
}
