import FileKinds
import Foundation
import Machine
import TestSupport
import Testing

@testable import Archive

@Suite("The text of PDFs")
struct PDFTextTests {
    static let isInstalled = DocumentText.pdfReader != nil

    /// A PDF of one page with a line of text. Its table of objects is left to the reader to mend.
    static func pdf(_ text: String) -> [UInt8] {
        let stream = "BT /F1 12 Tf 20 100 Td (\(text)) Tj ET"
        return Array(
            """
            %PDF-1.4
            1 0 obj
            << /Type /Catalog /Pages 2 0 R >>
            endobj
            2 0 obj
            << /Type /Pages /Kids [3 0 R] /Count 1 >>
            endobj
            3 0 obj
            << /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>
            endobj
            4 0 obj
            << /Length \(stream.utf8.count) >>
            stream
            \(stream)
            endstream
            endobj
            5 0 obj
            << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>
            endobj
            trailer
            << /Root 1 0 R /Size 6 >>
            startxref
            0
            %%EOF

            """.utf8)
    }

    @Test("a PDF is found by its text", .enabled(if: isInstalled))
    func found() async throws {
        let stage = try ArchiveStage()
        let document = try await stage.archive.file(
            IncomingDocument(.bytes(Self.pdf("Insurance premium")), kind: .pdf, bank: "b")
        ).document
        #expect(document.missingText == nil)
        #expect(try await stage.archive.find("premium").map(\.document) == [document])
    }

    @Test("a PDF that cannot be read is filed, with the reason", .enabled(if: isInstalled))
    func unreadable() async throws {
        let stage = try ArchiveStage()
        let bytes = Array("%PDF-1.4 garbage startxref 0 %%EOF".utf8)
        let document = try await stage.archive.file(IncomingDocument(.bytes(bytes), bank: "b")).document
        #expect(document.missingText?.contains("pdftotext") == true)
        #expect(try await stage.archive.documents() == [document])
    }
}

#if os(Linux)
    @Suite("pdftotext, confined", .enabled(if: !Sanitizer.isActive && PDFTextTests.isInstalled))
    struct ConfinedPDFTextTests {
        private static func run(_ name: String, _ arguments: [String], on bytes: [UInt8] = []) throws -> String {
            let program = try #require(
                ContainedProgram(name, arguments) { seconds, memory in
                    [Repository.countersign.path, ConfinedReader.programCommand, "\(seconds)", "\(memory)"]
                })
            let folder = try TemporaryFolder()
            let file = folder.appending("a")
            try Data(bytes).write(to: file)
            switch try program.run(reading: try OpenedFile(file).input()) {
            case .finished(let status, let output): return "\(status): " + String(decoding: output, as: UTF8.self)
            case .cut(let output): return "cut: " + String(decoding: output, as: UTF8.self)
            case .tooSlow: return "too slow"
            }
        }

        private static let toText = ["-q", "-enc", "UTF-8", "-nopgbrk", "-", "-"]

        @Test("reads a PDF")
        func text() throws {
            #expect(try Self.run("pdftotext", Self.toText, on: PDFTextTests.pdf("Premium")).hasPrefix("0: Premium"))
        }

        @Test("starts no process")
        func processes() throws {
            // A shell in its place, with the rights that it has.
            #expect(try Self.run("sh", ["-c", "(:) && echo forked"]).contains("forked") == false)
        }

        @Test(
            "opens no connection",
            .enabled(if: InstalledProgram.path(of: "python3", in: "/usr/bin") != nil, "python3 is not installed"))
        func connections() throws {
            let script = "import _socket\ntry: print('opened', _socket.socket())\nexcept OSError as e: print(e.errno)"
            #expect(try Self.run("python3", ["-I", "-S", "-c", script]) == "0: \(EPERM)\n")
        }

        @Test(
            "becomes no other program", .enabled(if: ConfinementOfTests.landlock > 0, "this system has no Landlock"))
        func programs() throws {
            #expect(try Self.run("sh", ["-c", "exec /bin/echo started"]).contains("started") == false)
        }

        @Test(
            "reads no file of this user", .enabled(if: ConfinementOfTests.landlock > 0, "this system has no Landlock"))
        func files() throws {
            let folder = try TemporaryFolder()
            let secret = folder.appending("secret")
            try Data("bank data\n".utf8).write(to: secret)
            #expect(try !Self.run("sh", ["-c", "read -r line <\(secret.path); echo $line"]).contains("bank data"))
            #expect(try !Self.run("sh", ["-c", "read -r line </proc/\(getpid())/status; echo $line"]).contains("Name"))
        }

        @Test("50 mutated PDFs have one outcome each")
        func mutated() throws {
            let whole = PDFTextTests.pdf("Premium of the insurance")
            for seed in 0..<50 {
                let outcome = try Self.run("pdftotext", Self.toText, on: Mutations.mutated(whole, seed: UInt64(seed)))
                #expect(!outcome.isEmpty)
            }
        }
    }
#endif

@Suite("Programs that read a stranger's files")
struct ContainedProgramTests {
    private func run(_ script: String, _ limits: ContainedProgram.Limits = .init()) throws -> ContainedProgram.Outcome {
        let shell = try #require(ContainedProgram("sh", ["-c", script], limits: limits))
        return try shell.run()
    }

    @Test("ends when its time is up")
    func time() throws {
        let began = ContinuousClock.now
        guard case .tooSlow = try run("exec sleep 60", .init(seconds: 1)) else {
            Issue.record("it ended by itself")
            return
        }
        #expect(ContinuousClock.now - began < .seconds(20))
    }

    @Test("cannot write files, and gets no more memory than its limit")
    func limits() throws {
        let folder = try TemporaryFolder()
        _ = try run("echo text >\(folder.appending("a").path)")
        #expect(try folder.names.allSatisfy { try Data(contentsOf: folder.appending($0)).isEmpty })
        guard
            case .finished(let status, _) = try run("ulimit -v; a=x; while :; do a=$a$a; done", .init(memory: 64 << 20))
        else {
            Issue.record("it was not ended by its memory")
            return
        }
        #expect(status != 0)
    }

    @Test("does not get our environment, and prints at most so much output")
    func output() throws {
        guard case .finished(0, let output) = try run("env") else {
            Issue.record("env failed")
            return
        }
        let names = String(decoding: output, as: UTF8.self).split(separator: "\n").map { $0.prefix { $0 != "=" } }
        #expect(Set(names).isSubset(of: ["PATH", "LANG", "HOME", "PWD", "SHLVL", "_"]))
        guard case .cut(let much) = try run("yes", .init(output: 1000)) else {
            Issue.record("it was not cut")
            return
        }
        #expect(much.count == 1000)
    }

    @Test("has no network where the kernel allows that")
    func network() throws {
        let program = try #require(ContainedProgram("cat", ["/proc/net/dev"]))
        guard program.hasNoNetwork, case .finished(0, let output) = try program.run() else { return }
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").dropFirst(2)
        #expect(lines.allSatisfy { $0.contains("lo:") })
    }
}
