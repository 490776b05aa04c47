import Foundation
import TestSupport
import Testing

@Suite("Against mt-940, ofxtools, lxml and quiffen", .needsPeers)
struct TransactionFilePeerTests {
    @Test("made files of each format are read as what they were made of")
    func made() async throws {
        let folder = try TemporaryFolder()
        let made = try await Peers.run(script: "transaction_files.py", ["make", folder.url.path, "8"])
        #expect(made.status == 0, "\(made.text)")
        let compared = try await Peers.run(
            script: "transaction_files.py", ["compare", Repository.countersign.path, folder.url.path])
        let text = String(decoding: compared.output, as: UTF8.self)
        #expect(compared.status == 0, "\(text)\(compared.text)")
        for kind in ["camt", "csv", "mt940", "ofx", "qif"] { #expect(text.contains("\(kind): agreed 8"), "\(text)") }
    }
}
