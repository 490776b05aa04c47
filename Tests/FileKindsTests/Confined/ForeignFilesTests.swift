import Clocks
import Foundation
import Machine
import TestCases
import TestSupport
import Testing

@testable import FileKinds

@Suite("Foreign files")
struct ForeignFilesTests {
    /// Readers in this process, and in a confined one where the system has them.
    private static let readers: [ForeignFiles] = {
        var readers = [ForeignFiles(ConfinedReader(for: FileTask.self, command: nil))]
        #if os(Linux)
            if !Sanitizer.isActive {
                readers.append(
                    ForeignFiles(ConfinedReader(for: FileTask.self, command: ConfinementOfTests.command(FileTask.self)))
                )
            }
        #endif
        return readers
    }()

    private static func outcome(_ body: () throws(FileRefusal) -> CheckedFile) -> String {
        do throws(FileRefusal) {
            let file = try body()
            return "\(file.kind) \(file.isChanged) \(file.notes) \(file.sha256)"
        } catch {
            return "\(error.code): \(error.message)"
        }
    }

    private static let packages: [(FileKind, [UInt8])] = [
        (.xlsx, ZIPBuilder.workbook().bytes),
        (.zip, ZIPBuilder([("2025-03.csv", GoodFile.csv), ("2025-03.html", GoodFile.html)]).bytes),
        (.json, Array(#"{"entries": [{"amount": "1.00"}]}"#.utf8)),
        (.html, [UInt8]("<!DOCTYPE html><html><meta charset=koi8-r><p>".utf8) + [0xD0, 0xD2]),
        (.html, [UInt8]("<!DOCTYPE html><html><meta charset=shift_jis><p>".utf8) + [0x83, 0x65]),
    ]

    private static let good = GoodFile.texts.map { ($0.0, Array($0.1.utf8)) } + packages

    @Test("are judged as in this process, the good and the bad", arguments: readers.indices)
    func judgement(reader: Int) {
        let files = Self.readers[reader]
        for (kind, bytes) in Self.good + BadFile.data.map({ ($0.kind, $0.bytes) }) {
            let here = Self.outcome { () throws(FileRefusal) in try FileCheck.check(bytes, as: kind) }
            #expect(Self.outcome { () throws(FileRefusal) in try files.check(bytes, as: kind) } == here)
            #expect(
                Self.outcome { () throws(FileRefusal) in try files.check(bytes) }
                    == Self.outcome { () throws(FileRefusal) in try FileCheck.check(bytes) })
        }
    }

    @Test("give their text, their parts and their months", arguments: readers.indices)
    func contents(reader: Int) throws {
        let files = Self.readers[reader]
        for (kind, bytes) in Self.good where kind != .pdf {
            #expect(try files.text(of: bytes, kind) == FileText.text(of: bytes, kind))
        }
        let (_, packed) = Self.packages[1]
        let archive = try files.archive(packed)
        #expect(archive.names(containing: "2025-03") == ["2025-03.csv", "2025-03.html"])
        let parts = try archive.documents(named: ["2025-03.html", "missing", "2025-03.csv"])
        #expect(parts.map { try? $0.get().kind } == [.html, nil, .csv])
        #expect(try files.documents(inZIP: packed).map(\.bytes) == FileCheck.documents(inZIP: packed).map(\.bytes))
        let statement = try FileCheck.check(Array(GoodFile.camt.utf8))
        let (march, april) = (try #require(MonthYear("2025-03")), try #require(MonthYear("2025-04")))
        #expect(try files.hasBookings(in: march, statement) == true)
        #expect(try files.hasBookings(in: april, statement) == false)
        #expect(try files.hasBookings(in: april, FileCheck.check(Array(GoodFile.csv.utf8))) == nil)
    }

    @Test("of each kind have one outcome each, also 500 that were damaged", arguments: good.indices)
    func mutated(index: Int) throws {
        let (kind, bytes) = Self.good[index]
        let files = try #require(Self.readers.last)
        var outcomes: [String: Int] = [:]
        for seed in 0..<500 {
            do throws(FileRefusal) {
                _ = try files.check(Mutations.mutated(bytes, seed: UInt64(seed)), as: kind)
                outcomes["accepted", default: 0] += 1
            } catch {
                outcomes["\(error.code)", default: 0] += 1
                #expect(!error.message.isEmpty)
            }
        }
        #expect(outcomes.values.reduce(0, +) == 500)
        // A fault of a library that a damaged file finds is a fault to mend, although it harms nothing here.
        #expect(outcomes["unread"] == nil, "\(kind): \(outcomes)")
    }

    #if os(Linux)
        /// A reading process that an attacker has taken over: it answers everything with the same words.
        private static func liar(_ facts: String) -> ForeignFiles {
            func frame(_ text: String) -> String {
                "printf '\\000\\000\\000\\\(String(text.utf8.count, radix: 8))%s' '\(text)' >&0"
            }
            let script = "\(frame(#"{"landlock":7}"#)); \(frame(facts)); exec /bin/sleep 600"
            return ForeignFiles(ConfinedReader(for: FileTask.self, command: ["/bin/sh", "-c", script]))
        }

        @Test(
            "of a reader that lies are refused where the lie shows",
            arguments: [
                #"{"facts":{"file":{"kind":"exe","changed":false,"notes":[]}},"pieces":0}"#,
                #"{"facts":{"file":{"kind":"pdf","changed":false,"notes":[]}},"pieces":0}"#,
                #"{"facts":{"file":{"kind":"csv","changed":true,"notes":[]}},"pieces":0}"#, #"{"facts":{},"pieces":0}"#,
                #"{"facts":{"refusal":{"code":"none"}},"pieces":0}"#, #"{"facts":[],"pieces":0}"#,
            ])
        func lies(facts: String) {
            let error = #expect(throws: FileRefusal.self) {
                try Self.liar(facts).check(Array(GoodFile.csv.utf8), as: .csv)
            }
            #expect(error?.code == .unread)
            #expect(error?.message.contains("the confined reader") == true)
        }

        @Test("keep their own bytes, whatever the reader says")
        func ownBytes() throws {
            let liar = Self.liar(#"{"facts":{"file":{"kind":"csv","changed":false,"notes":["a"]}},"pieces":0}"#)
            let file = try liar.check(Array(GoodFile.csv.utf8), as: .csv)
            #expect(file.bytes == Array(GoodFile.csv.utf8))
        }
    #endif
}
