import FileKinds
import Foundation
import Machine

/// The text of a document, or the reason why it is missing.
struct DocumentText: Sendable {
    var text = ""
    /// Nil when the text is whole enough to search in.
    var problem: String?

    /// Reads a document's text: of PDFs by poppler's `pdftotext`, of other kinds by the confined reader. Blocks.
    static func read(
        _ file: URL, _ bytes: [UInt8], _ kind: FileKind, _ files: ForeignFiles,
        with reader: ContainedProgram? = pdfReader
    ) -> DocumentText {
        guard kind == .pdf else {
            do throws(FileRefusal) {
                return DocumentText(text: try files.text(of: bytes, kind))
            } catch {
                return DocumentText(problem: error.message)
            }
        }
        guard let program = reader else {
            return DocumentText(problem: "pdftotext is not installed; on Debian it is in poppler-utils")
        }
        do {
            let input = try OpenedFile(file).input()
            defer { try? input.close() }
            switch try program.run(reading: input) {
            case .finished(status: 0, let output), .cut(let output):
                let text = String(decoding: output, as: UTF8.self)
                let isEmpty = text.allSatisfy { $0.isWhitespace || $0 == "\u{C}" }
                return DocumentText(text: text, problem: isEmpty ? "the PDF has no text, only pictures" : nil)
            case .finished(status: 126, _) where program.isConfined:
                return DocumentText(
                    problem: "pdftotext was not started: this system does not let a process give up its rights")
            case .finished(let status, _):
                return DocumentText(
                    problem: "pdftotext could not read the PDF (status \(status)); it may need a password")
            case .tooSlow: return DocumentText(problem: "pdftotext took too long; the PDF may be damaged")
            }
        } catch {
            return DocumentText(problem: "pdftotext could not be started: \(error.localizedDescription)")
        }
    }

    /// `pdftotext` with a form feed after each page.
    static let pageReader = ContainedProgram("pdftotext", ["-q", "-enc", "UTF-8", "-l", "500", "-", "-"])

    /// `pdftotext` of poppler, which reads a PDF on its standard input and writes text.
    static let pdfReader = ContainedProgram("pdftotext", ["-q", "-enc", "UTF-8", "-nopgbrk", "-l", "500", "-", "-"])
}
