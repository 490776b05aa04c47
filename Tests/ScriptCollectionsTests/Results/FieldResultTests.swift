import BankScript
import Encodings
import Foundation
import TestSupport
import Testing

@testable import ScriptCollections

@Suite("Field results")
struct FieldResultTests {
    private static let digest = String(repeating: "ab", count: 32)
    private static let collection = String(repeating: "01", count: 32)
    /// A Wednesday of 2026-W48.
    private static let now = Date(timeIntervalSince1970: 1_795_651_200)

    private static func result(
        _ outcome: FieldOutcome = .failed(.layoutChanged, step: 7), week: String = "2026-W47", digest: String = digest
    ) throws -> FieldResult {
        FieldResult(digest: digest, week: try #require(ISOWeek(week)), engine: "html", outcome: outcome)
    }

    private static func signed(
        _ outcome: FieldOutcome = .failed(.layoutChanged, step: 7), week: String = "2026-W47", digest: String = digest,
        by signer: MetadataSigner = MetadataSigner(new: .ed25519), for collection: String = collection
    ) throws -> SignedFieldResult {
        try SignedFieldResult(try result(outcome, week: week, digest: digest), by: signer, for: collection)
    }

    // MARK: Files

    @Test("tell digest, outcome, week and engine with a key and a signature, and nothing else")
    func bytes() throws {
        let file = try Self.signed()
        let text = String(decoding: file.bytes, as: UTF8.self)
        let expected =
            #"\{"digest":"(ab){32}","engine":"html","key":"[0-9a-f]{64}","outcome":"layout_changed","#
            + #""signature":"[0-9a-f]{128}","step":7,"week":"2026-W47"\}"#
        #expect(text.wholeMatch(of: try Regex(expected)) != nil, "\(text)")
        let read = try SignedFieldResult(reading: file.bytes, for: Self.collection)
        #expect(read == file && read.result.outcome == .failed(.layoutChanged, step: 7))
        let good = try Self.signed(.statement)
        #expect(try JSONReader.read(good.bytes)["step"] == nil)
        #expect(try SignedFieldResult(reading: good.bytes, for: Self.collection).result.outcome == .statement)
        // The name of a plug-in could be a household's own.
        #expect(
            FieldResult(digest: "", week: ISOWeek(Self.now), engine: "robins-engine", outcome: .statement).engine
                == "other")
    }

    @Test(
        "are refused when a byte is another one, or when another collection was meant",
        arguments: [
            (#""week":"2026-W47""#, #""week":"2026-W46""#, CollectionError.Kind.unsigned),
            (#""outcome":"layout_changed""#, #""outcome":"maintenance""#, .unsigned),
            (#""step":7"#, #""step":8"#, .unsigned), (#""step":7,"#, "", .malformed),
            (#""step":7"#, #""step":7.0"#, .malformed), (#""step":7"#, #""step":1000"#, .malformed),
            (#""engine":"html""#, #""engine":"browser""#, .unsigned),
            (#""engine":"html""#, #""engine":"robins""#, .malformed),
            (#""outcome":"layout_changed""#, #""outcome":"wrong_credentials""#, .malformed),
            (#""outcome":"layout_changed""#, #""outcome":"statement""#, .malformed),
            (#""week":"2026-W47""#, #""week":"2026-W54""#, .malformed),
            (#""week":"2026-W47""#, #""week":"2026-11-17""#, .malformed),
            (#""week":"2026-W47""#, #""wee":1,"week":"2026-W47""#, .malformed),
            (#"{"digest""#, #"{ "digest""#, .malformed), (#""digest":"ab"#, #""digest":"ba"#, .unsigned),
            (#""digest":"ab"#, #""digest":"AB"#, .malformed), ("}", "}\n", .malformed),
            ("}", "}" + String(repeating: " ", count: 1024), .tooLong), ("{", "[", .malformed),
        ])
    func changed(text: String, other: String, expected: CollectionError.Kind) throws {
        let file = String(decoding: try Self.signed().bytes, as: UTF8.self)
        let changed = file.replacing(text, with: other)
        #expect(changed != file)
        #expect(kind(of: { try SignedFieldResult(reading: Array(changed.utf8), for: Self.collection) }) == expected)
    }

    private func kind(of work: () throws -> SignedFieldResult) -> CollectionError.Kind? {
        do {
            _ = try work()
            return nil
        } catch {
            return (error as? CollectionError)?.kind
        }
    }

    @Test("of one household have another key for each script and each collection, and cannot be handed on")
    func unlinkable() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (first, second) = (ResultKeys(folder.appending("a")), ResultKeys(folder.appending("b")))
        let other = String(repeating: "cd", count: 32)
        let key = try first.key(for: Self.digest)
        #expect(try first.key(for: Self.digest).key == key.key)
        #expect(try first.key(for: other).key != key.key)
        #expect(try second.key(for: Self.digest).key != key.key)
        #expect(throws: CollectionError.self) { try first.key(for: "../../a") }
        let file = try Self.signed(by: key)
        #expect(kind(of: { try SignedFieldResult(reading: file.bytes, for: other) }) == .unsigned)
        first.forget()
        #expect(try first.key(for: Self.digest).key != key.key)
    }

    // MARK: An owner's

    @Test("are the last outcome of each week that has ended, since the yes, and say nothing about the person")
    func own() throws {
        func run(
            _ days: Double, _ reason: FailureReason? = nil, step: Int? = nil, digest: String = Self.digest,
            engine: String = "html"
        ) -> RememberedRun {
            RememberedRun(
                digest: digest, endedAt: Self.now.addingTimeInterval(-days * 86_400), engine: engine, reason: reason,
                step: step)
        }
        let told = FieldResult.own(
            [
                // This week, and the week before the yes.
                run(0), run(30),
                run(8, .layoutChanged, step: 7), run(7), run(6, .wrongCredentials, step: 4),
                run(5.9, .wrongCode, step: 5),
                run(14), run(13.5, .serverError, step: 2, engine: "fints"), run(13, .layoutChanged),
                run(7, .layoutChanged, step: 1, digest: String(repeating: "00", count: 32)),
            ], digests: [Self.digest], since: try #require(ISOWeek("2026-W46")), now: Self.now)
        #expect(
            told.map { "\($0.week) \($0.engine) \($0.outcome)" } == [
                "2026-W46 other server_error at step 2", "2026-W47 html statement",
            ])
        for reason in FailureReason.allCases where FieldOutcome(reason, step: 1) != nil {
            #expect(FieldOutcome.told.contains(reason))
        }
    }

    // MARK: A maker's

    private func fold(_ files: [String: [UInt8]], _ folder: TemporaryFolder) throws -> ResultFold {
        for (name, bytes) in files { try Data(bytes).write(to: folder.appending(name)) }
        return try ResultFold(folder.url, for: Self.collection, digests: [Self.digest], now: Self.now)
    }

    @Test("count once for each key and week, however often one key sends them")
    func flood() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let loud = MetadataSigner(new: .ed25519)
        var files: [String: [UInt8]] = [:]
        for index in 0..<200 {
            files["flood-\(index)"] = try Self.signed(.failed(.layoutChanged, step: 1 + index % 9), by: loud).bytes
        }
        for index in 0..<3 { files["quiet-\(index)"] = try Self.signed(.statement).bytes }
        let folded = try fold(files, folder)
        #expect(folded.counted == 4 && folded.refusedCount == 199 && folded.refused.count == 20)
        let summary = try #require(folded.summaries[Self.digest])
        #expect(summary.count == 4 && summary.recent[.statement] == 3)
        #expect(summary.recent.values.reduce(0, +) == 4)
    }

    @Test("do not count for other collections, other scripts, weeks to come and long ago, links and junk")
    func strangers() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try FileManager.default.createSymbolicLink(
            at: folder.appending("link"), withDestinationURL: URL(filePath: "/etc/hosts"))
        try FileManager.default.createDirectory(at: folder.appending("folder"), withIntermediateDirectories: true)
        #expect(mkfifo(folder.appending("pipe").path, 0o600) == 0)
        let folded = try fold(
            [
                "good": try Self.signed().bytes, "next": try Self.signed(week: "2026-W49").bytes,
                "now": try Self.signed(week: "2026-W48").bytes, "old": try Self.signed(week: "2026-W10").bytes,
                "elsewhere": try Self.signed(for: String(repeating: "02", count: 32)).bytes,
                "script": try Self.signed(digest: String(repeating: "cd", count: 32)).bytes,
                "junk": Array("{}".utf8), "large": [UInt8](repeating: 0x20, count: 5000),
            ], folder)
        #expect(folded.counted == 1 && folded.refusedCount == 10, "\(folded.refused)")
        // One household's results are not published.
        #expect(folded.summaries.isEmpty)
    }

    @Test("are summed up in one sentence")
    func words() throws {
        var results = try (0..<25).map { _ in try Self.signed(.statement, week: "2026-W40") }
        results += try (0..<4).map { _ in try Self.signed() }
        results += try (0..<2).map { _ in try Self.signed(.statement) }
        let summary = try #require(ResultSummary(results))
        #expect(
            summary.words
                == "31 results, the last of 2026-W47; 4 of the last 6 ended with layout_changed at step 7")
        #expect(ResultSummary(try JSONReader.read(summary.json.compactBytes())) == summary)
        let good = try #require(ResultSummary(Array(results.prefix(7))))
        #expect(good.words == "7 results, the last of 2026-W40; the last 7 all brought a statement")
        let once = MetadataSigner(new: .ed25519)
        let one = try ["2026-W40", "2026-W41", "2026-W42", "2026-W43"].map { try Self.signed(week: $0, by: once) }
        #expect(ResultSummary(one) == nil)
    }

    @Test("never show the newest weeks of one key by themselves")
    func company() throws {
        let faithful = MetadataSigner(new: .ed25519)
        let weeks = ["2026-W42", "2026-W43", "2026-W44", "2026-W45", "2026-W46", "2026-W47"]
        var results = try weeks.map { try Self.signed(week: $0, by: faithful) }
        results += try (0..<2).map { _ in try Self.signed(.statement, week: "2026-W30") }
        let summary = try #require(ResultSummary(results))
        #expect(summary.recent.values.reduce(0, +) == 8 && summary.recent[.statement] == 2)
    }

    @Test(
        "of a collection are not believed in every form",
        arguments: [
            "null", "{}", #"{"count":-1,"week":"2026-W47","recent":[{"outcome":"statement","count":1}]}"#,
            #"{"count":1,"week":"soon","recent":[{"outcome":"statement","count":1}]}"#,
            #"{"count":1,"week":"2026-W47","recent":[]}"#,
            #"{"count":1,"week":"2026-W47","recent":[{"outcome":"statement","count":2}]}"#,
            #"{"count":9,"week":"2026-W47","recent":[{"outcome":"send your password","count":1}]}"#,
            #"{"count":9,"week":"2026-W47","recent":[{"outcome":"statement","count":1},{"outcome":"statement","count":1}]}"#,
            #"{"count":1e300,"week":"2026-W47","recent":[{"outcome":"statement","count":1}]}"#,
        ])
    func hostile(text: String) throws {
        #expect(ResultSummary(try JSONReader.read(text.utf8)) == nil)
    }
}

@Suite("Weeks of ISO 8601")
struct ISOWeekTests {
    @Test(
        "begin on Monday in UTC",
        arguments: [
            ("2026-12-31T23:59:59Z", "2026-W53"), ("2027-01-03T23:59:59Z", "2026-W53"),
            ("2027-01-04T00:00:00Z", "2027-W01"), ("2025-12-29T00:00:00Z", "2026-W01"),
            ("2026-11-28T12:00:00Z", "2026-W48"),
        ])
    func days(time: String, week: String) throws {
        let date = try Date(time, strategy: .iso8601)
        #expect("\(ISOWeek(date))" == week)
        #expect(ISOWeek(week) == ISOWeek(date))
    }

    @Test(
        "are read in one form only",
        arguments: ["2026-W54", "2025-W53", "2026-W00", "2026-W1", "26-W10", "2026W10", "", "1999-W10"])
    func other(text: String) { #expect(ISOWeek(text) == nil) }
}
