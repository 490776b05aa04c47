#if os(Linux)
    import Automation
    import Crypto
    import Encodings
    import Foundation
    import Machine
    import Messages
    import TestSupport
    import Testing

    @testable import Phone

    @Suite("A document that the process of a visit brings")
    struct VisitArrivalsTests {
        private static let pdf = Array("%PDF-1.7\nA statement.\nstartxref\n0\n%%EOF\n".utf8)

        private static func json(_ name: String, _ bytes: [UInt8], kind: String = "pdf") -> JSONValue {
            [
                "file": .string(name), "kind": .string(kind), "bytes": .number(Double(bytes.count)),
                "sha256": .string(Base16.encode(SHA256.hash(data: bytes))),
            ]
        }

        private static func with(_ body: (VisitArrivals, URL, URL) async throws -> Void) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let (visit, downloads) = (folder.appending("downloads/visit-1"), folder.appending("downloads"))
            try PrivateFolder.make(visit)
            try await body(VisitArrivals(from: visit, to: downloads), visit, downloads)
        }

        @Test(
            "is copied to where the process cannot change it",
            arguments: [("pdf", pdf), ("csv", Array("Date,Amount\n2026-01-02,1.00\n2026-01-03,2.00\n".utf8))])
        func taken(kind: String, bytes: [UInt8]) async throws {
            try await Self.with { arrivals, visit, downloads in
                try PassingFile.write(bytes, to: visit.appending(path: "1"))
                let document = try await arrivals.take(
                    Self.json("1", bytes, kind: kind), as: #require(DocumentKind(rawValue: kind)))
                #expect(document.file.deletingLastPathComponent().path == downloads.path)
                #expect(try OpenedFile(document.file).bytes(atMost: 1 << 20) == bytes)
                #expect(document.bytes == bytes.count)
                #expect(document.sha256 == Base16.encode(SHA256.hash(data: bytes)))
                #expect(!FileManager.default.fileExists(atPath: visit.appending(path: "1").path))
            }
        }

        @Test("is refused when it is of another kind than was asked for")
        func otherKind() async throws {
            try await Self.with { arrivals, visit, _ in
                try PassingFile.write(Self.pdf, to: visit.appending(path: "1"))
                await #expect(throws: CallLine.Nonsense.self) {
                    try await arrivals.take(Self.json("1", Self.pdf), as: .html)
                }
            }
        }

        @Test("that is larger than the broker takes is told as such, and one too many for the visit ends it")
        func large() async throws {
            try await Self.with { arrivals, visit, downloads in
                let file = visit.appending(path: "1")
                func json(_ bytes: Int) -> JSONValue {
                    ["file": "1", "kind": "pdf", "bytes": .number(Double(bytes)), "sha256": .string("00")]
                }
                let failure = await #expect(throws: RunFailure.self) {
                    try await arrivals.take(json((64 << 20) + 1), as: .pdf)
                }
                #expect(failure?.code == .pdfDownloadFailed)
                #expect(failure?.message.contains("at most 64 MB") == true)
                // None of these is a document: their sizes count all the same.
                for count in 1...17 {
                    try PassingFile.write([1], to: file)
                    let nonsense = await #expect(throws: CallLine.Nonsense.self) {
                        try await arrivals.take(json(64 << 20), as: .pdf)
                    }
                    #expect(nonsense?.reason.contains("1024 MB together") == (count == 17), "\(count)")
                    unlink(file.path)
                }
            }
        }

        @Test("is refused when it is not what the process says, or not in its folder")
        func refused() async throws {
            try await Self.with { arrivals, visit, downloads in
                let outside = downloads.appending(path: "other.pdf")
                try PassingFile.write(Self.pdf, to: outside)
                try PassingFile.write(Self.pdf, to: visit.appending(path: "whole"))
                try PassingFile.write(Array("MZ".utf8), to: visit.appending(path: "program"))
                try FileManager.default.createSymbolicLink(
                    at: visit.appending(path: "link"), withDestinationURL: outside)
                try FileManager.default.linkItem(at: outside, to: visit.appending(path: "hard"))
                #expect(mkfifo(visit.appending(path: "pipe").path, 0o600) == 0)
                for json in [
                    Self.json("../other.pdf", Self.pdf), Self.json("missing", Self.pdf), Self.json("link", Self.pdf),
                    Self.json("hard", Self.pdf), Self.json("pipe", []), Self.json("", Self.pdf),
                    Self.json("whole", Self.pdf + [1]), Self.json("program", Array("MZ".utf8)),
                    Self.json("program", Array("MZ".utf8), kind: "camt"), .null, ["file": "whole"],
                ] {
                    await #expect(throws: CallLine.Nonsense.self, "\(json)") {
                        try await arrivals.take(json, as: json["kind"] == "camt" ? .camt : .pdf)
                    }
                }
            }
        }
    }
#endif
