import Encodings
import Foundation
import Testing

@testable import WebURL

/// The cases of the web platform tests under `url/resources`, from the checkout that `COUNTERSIGN_WPT` names.
///
/// An address may be refused that a browser reads, because nothing is sent then. It never has another reading than a
/// browser's, which would be a way around the origins that the owner accepted.
@Suite("The web platform tests of addresses")
struct WebPlatformTests {
    private static let folder = ProcessInfo.processInfo.environment["COUNTERSIGN_WPT"].map {
        URL(filePath: $0, directoryHint: .isDirectory).appending(path: "url/resources")
    }
    private static let isNamed: ConditionTrait =
        .enabled(if: Self.folder != nil, "COUNTERSIGN_WPT is not set; see CONTRIBUTING.md")

    /// Returns the cases of a file, in which texts are comments.
    private static func cases(_ name: String) throws -> [[String: JSONValue]] {
        let folder = try #require(folder)
        let file = try JSONReader.readForeign(Data(contentsOf: folder.appending(path: name)))
        return (file.arrayValue ?? []).compactMap(\.objectValue)
    }

    @Test("have a browser's reading or none", Self.isNamed)
    func addresses() throws {
        let cases = try Self.cases("urltestdata.json")
        #expect(cases.count > 800)
        var refused = 0
        for item in cases {
            let input = try #require(item["input"]?.stringValue)
            let expected = item["href"]?.stringValue
            // Files are never requested, and Windows' letters of drives are left out.
            guard expected?.hasPrefix("file:") != true else { continue }
            let read = try? URLRecord(
                parsing: input, base: item["base"]?.stringValue.map { try URLRecord(parsing: $0) })
            #expect(read == nil || read?.description == expected, "\(input.debugDescription)")
            if read == nil, expected != nil { refused += 1 }
        }
        #expect(refused <= 10, "domains in Punycode that name nothing are refused, and nothing else")
    }

    @Test("have a browser's domain or none", Self.isNamed, arguments: ["toascii.json", "IdnaTestV2.json"])
    func domains(file: String) throws {
        let cases = try Self.cases(file)
        #expect(cases.count > 50)
        var read = 0
        for item in cases {
            let input = try #require(item["input"]?.stringValue)
            // Without a domain, the next part of the path takes its place.
            guard !input.isEmpty, let host = (try? URLRecord(parsing: "https://\(input)/x"))?.host else { continue }
            #expect(host.description == item["output"]?.stringValue, "\(input.debugDescription)")
            read += 1
        }
        #expect(read > cases.count / 5, "a reader that refuses everything would pass the rest")
    }
}
