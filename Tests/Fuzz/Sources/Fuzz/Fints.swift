@testable import Encodings
@testable import FinTS
@testable import Messages

/// Reads a bank's message, and all that a visit takes out of one.
func fuzzFinTS(_ input: [UInt8]) {
    if let segments = try? SegmentReader.segments(of: input) { checkWriting(segments) }
    guard let message = try? BankMessage(input) else { return }
    promise(message.number > 0 && !message.dialogID.isEmpty, "a message has a dialog and a number")
    promise(message.answers.contains { $0.segment == nil }, "a message has a code for itself")
    if let refusal = Refusal.first(in: message.answers) { promise(!refusal.message.isEmpty, "a refusal says why") }
    var bank = BankParameters()
    var user = UserParameters()
    _ = try? bank.take(message.segments)
    _ = try? user.take(message.segments)
    for method in bank.tanMethods {
        promise(TANMethod.versions.contains(method.version), "a method has a version that is known")
    }
    let results = JobResults(message.segments)
    user.merge(results.accounts)
    _ = (results.balances, results.listedStatements, results.camtAccounts, results.mt940)
    if let documents = CAMTFiles.joined(results.camtDocuments) {
        promise(!documents.isEmpty, "documents that are joined are something")
    }
    for statement in (try? results.statements()) ?? [] {
        promise(statement.days.map { $0.lowerBound <= $0.upperBound } ?? true, "a statement's days are in order")
    }
}

/// Segments that were read are written, and read again, as what they are.
private func checkWriting(_ segments: [Segment]) {
    let written: [UInt8]
    let again: [UInt8]
    do {
        written = try SegmentWriter.bytes(of: segments)
        again = try SegmentWriter.bytes(of: try SegmentReader.segments(of: written))
    } catch {
        fatalError("broken: segments that were read are written, and read again: \(error)")
    }
    promise(again == written, "segments that are written and read say the same")
}

/// Reads what a bank sends with a question for a second factor: its words, a picture, a flicker code.
func fuzzChallenge(_ input: [UInt8]) {
    let text = Latin1.text(input)
    let words = Challenge.plain(text)
    promise(words.count <= text.count, "the words of a question are a part of what the bank sent")
    if let picture = Challenge.picture(in: input) {
        promise(picture.mediaType.hasPrefix("image/") && !picture.bytes.isEmpty, "a picture is one")
    }
    guard let code = HHDCode(text) else { return }
    let sent = code.transmitted
    promise(sent.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0) }, "a code is hexadecimal")
    promise(sent.count.isMultiple(of: 2), "a code is whole bytes: \(sent)")
    promise(Int(sent.prefix(2), radix: 16).map { $0 * 2 + 2 } == sent.count, "a code begins with its length: \(sent)")
}
