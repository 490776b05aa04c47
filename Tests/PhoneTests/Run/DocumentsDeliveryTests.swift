import Automation
import Clocks
import Messages
import PhoneStore
import Testing

@testable import Phone

@Suite("The outcomes of several documents") struct DocumentsDeliveryTests {
    enum Outcome: Sendable {
        case document
        case missing
        /// The bank asked for a code at this document and refused the last one.
        case codesRefused(Int)
        /// Codes were refused for an earlier document, and the last one was accepted.
        case failureAfterAcceptedCode(Int)

        var failure: RunFailure? {
            switch self {
            case .document: nil
            case .missing: RunFailure(.pdfDownloadFailed, reason: .statementMissing, message: "no statement")
            case .codesRefused(let count): failure(count, isLastCodeRefused: true)
            case .failureAfterAcceptedCode(let count): failure(count, isLastCodeRefused: false)
            }
        }

        private func failure(_ count: Int, isLastCodeRefused: Bool) -> RunFailure {
            var failure = RunFailure(.pdfDownloadFailed, message: "no file came")
            failure.refusedCodes = count
            failure.isLastCodeRefused = isLastCodeRefused
            return failure
        }
    }

    @Test(
        "the bank's verdict after a visit",
        arguments: [
            ([.document, .document], .accepted), ([.missing, .document], .accepted), ([.missing, .missing], .accepted),
            ([.codesRefused(2)], .wrongCode(count: 2)), ([.document, .codesRefused(3)], .wrongCode(count: 3)),
            ([.missing, .codesRefused(1)], .wrongCode(count: 1)),
            ([.codesRefused(1), .document], .accepted), ([.codesRefused(2), .missing], .wrongCode(count: 2)),
            ([.document, .codesRefused(1), .document], .accepted),
            ([.failureAfterAcceptedCode(1), .missing], .accepted),
        ] as [([Outcome], SignInVerdict)])
    func verdict(_ outcomes: [Outcome], _ verdict: SignInVerdict) throws {
        let first = try #require(MonthYear("2026-01"))
        let last = try #require(MonthYear("2026-0\(outcomes.count)"))
        let selection = try #require(DocumentSelection(periods: first.through(last)))
        let delivery = DocumentsDelivery(selection, ofBank: "default")
        for (place, outcome) in zip(selection.places, outcomes) {
            if let failure = outcome.failure {
                delivery.fail(place, failure)
            } else {
                delivery.deliver(place, sha256: String(repeating: "a", count: 64))
            }
        }
        #expect(delivery.verdict == verdict)
    }
}
