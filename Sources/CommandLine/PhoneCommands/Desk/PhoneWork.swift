import Automation
import Encodings
import Foundation
import KeyVault
import Messages
import Phone
import Secrets
import Terminal

/// The work that a person asks of a phone at the terminal: to see the requests, to approve one, to deny one, and the same
/// with offers.
///
/// It is done in the command's own process, or in the program that serves the approval page and holds the phone; then the
/// lines and the questions travel through ``DeskClient``.
package struct PhoneWork: Sendable {
    package struct Order: Sendable {
        package enum Task: String, Sendable {
            case pending, approve, deny, offers
            case openOffer = "open_offer"
            case dismissOffer = "dismiss_offer"
        }

        package var task: Task
        /// The id of the request or offer, or its first digits; nil for the only request.
        package var id: String?
        /// Print JSON, one event per line.
        package var json = false
        /// Sign in once more although the bank refused these credentials.
        package var triesAgain = false
        /// A person is at the terminal and can be asked.
        package var isAttended = true

        package init(_ task: Task, id: String? = nil) {
            self.task = task
            self.id = id
        }
    }

    let order: Order
    let runner: PhoneRunner
    private let verification: any UserVerification
    let console: Console
    private let isYes: @Sendable (String) async throws -> Bool

    /// - Parameter isYes: asks the person a question.
    package init(
        _ order: Order, of runner: PhoneRunner, with verification: any UserVerification, console: Console,
        isYes: @escaping @Sendable (String) async throws -> Bool
    ) {
        self.order = order
        self.runner = runner
        self.verification = verification
        self.console = console
        self.isYes = isYes
    }

    package func perform() async throws {
        switch order.task {
        case .pending: try await pending()
        case .approve: try await approve()
        case .deny: try await deny()
        case .offers: try await showOffers()
        case .openOffer: try await openOffer()
        case .dismissOffer: try await dismissOffer()
        }
    }

    private func pending() async throws {
        let review = try await runner.refresh()
        try await runner.rotateIfAsked(verification)
        for request in review.pending {
            if order.json { console.line(request.json.compactText()) } else { request.show(on: console) }
        }
        for refusal in review.refused {
            if order.json {
                console.line(
                    JSONValue.object([
                        "refused": .string(refusal.reason), "message": .string(refusal.message),
                        "request_id": refusal.requestID.map(JSONValue.string) ?? .null,
                    ]).compactText())
            } else {
                let id = refusal.requestID?.inLine() ?? "a request without an id"
                console.line("refused: \(id): \(refusal.message.inLine())", .bad)
            }
        }
        if review.unread > 0, !order.json {
            console.line("\(review.unread) more requests were not read; the broker sends too many", .bad)
        }
        if review.pending.isEmpty, !order.json { console.line("no requests are waiting") }
        for offer in runner.offers {
            if order.json { console.line(offer.json.compactText()) } else { offer.show(on: console) }
        }
    }

    // MARK: Deciding

    private func approve() async throws {
        let request = try one(of: try await runner.refresh().pending)
        if !order.json { request.show(on: console) }
        if request.requirement.factors.contains(.passkey) {
            let reasons = request.requirement.reasons.map { $0.inLine() }.joined(separator: "; ")
            throw CommandFailure("this request needs a passkey (\(reasons)); approve it on: countersign phone serve")
        }
        if order.isAttended, try await !isYes(Self.question(request.subject)) {
            throw CommandFailure("not approved; the request is still waiting")
        }
        let triesAgain = try await confirmsAnotherTry(request)
        let printer = StepPrinter(json: order.json, console: console)
        let events = runner.events()
        let printing = Task {
            for await event in events {
                switch event {
                case .run(request.id, let event): printer.observe(event)
                case .delivered(request.id, let count, let all):
                    if !order.json { console.line("Delivered \(count) of \(all)", .good) }
                default: break
                }
            }
        }
        let outcome = try await runner.approve(request, with: verification, tryingAgain: triesAgain)
        printing.cancel()
        try tell(outcome, of: request)
    }

    private static func question(_ subject: RequestSubject) -> String {
        guard case .documents = subject else { return "Fetch this statement?" }
        return subject.count == 1 ? "Fetch this document?" : "Fetch these \(subject.count) documents?"
    }

    private func tell(_ outcome: RunOutcome, of request: PendingRequest) throws {
        switch outcome {
        case .completed(let filename):
            console.line(
                order.json
                    ? JSONValue.object(["completed": .string(filename)]).compactText()
                    : "Delivered: \(request.type.inLine()) for \(request.subject.words.inLine(limit: 1000)), as \(filename)"
            )
        case .delivered(let count, let all):
            console.line(
                order.json
                    ? JSONValue.object(["delivered": .number(Double(count)), "of": .number(Double(all))])
                        .compactText() : "Delivered: \(count) of \(all.counted("document"))")
        case .waiting(let approvals, let needed):
            console.line(
                order.json
                    ? JSONValue.object([
                        "waiting": .bool(true), "approvals": .number(Double(approvals)),
                        "needed": .number(Double(needed)),
                    ]).compactText() : "Approved here: \(RunOutcome.waitingWords(approvals, of: needed))")
        case .failed(let code, let message)
        where code == ErrorCode.bankLoginFailed.rawValue && !order.json && !message.contains("; "):
            // A message with a next step behind its semicolon needs no second one.
            throw CommandFailure(
                "\(code): \(message). If the credentials are wrong, store others: countersign phone banks "
                    + "change \(request.bankID.inLine(limit: 100))")
        case .failed(let code, let message):
            throw CommandFailure("\(code): \(message)")
        }
    }

    /// Asks separately about a bank on hold.
    private func confirmsAnotherTry(_ request: PendingRequest) async throws -> Bool {
        guard let hold = request.hold, !order.triesAgain else { return order.triesAgain }
        guard order.isAttended else {
            throw CommandFailure(
                "\(request.bankName.inLine()) \(hold.words); store other credentials with countersign phone banks change "
                    + "\(request.bankID.inLine(limit: 100)), or give --try-again to sign in once more with the same ones"
            )
        }
        guard
            try await isYes(
                "\(request.bankName.inLine()) \(hold.words). Sign in once more with the same credentials?")
        else {
            throw CommandFailure(
                "not approved; the request is still waiting. Store other credentials: countersign phone banks change "
                    + request.bankID.inLine(limit: 100))
        }
        return true
    }

    private func deny() async throws {
        let request = try one(of: try await runner.refresh().pending)
        try await runner.deny(request.id)
        console.line("Denied: \(request.id)")
    }

    /// Returns the one request that is meant: a decision about another one cannot be taken back.
    private func one(of pending: [PendingRequest]) throws -> PendingRequest {
        let waiting = pending.map(\.id.short).joined(separator: ", ")
        guard let id = order.id else {
            guard let only = pending.first else {
                throw CommandFailure("no request is waiting; ask for a statement with: countersign request last-month")
            }
            guard pending.count == 1 else {
                throw CommandFailure("\(pending.count) requests are waiting; give the id of one: \(waiting)")
            }
            return only
        }
        guard !id.isEmpty else {
            throw CommandFailure("the id is empty; waiting: \(waiting.isEmpty ? "none" : waiting)")
        }
        guard !pending.isEmpty else {
            throw CommandFailure(
                "no request is waiting, so none begins with \(id); what became of it is shown by: countersign requests")
        }
        let found = pending.filter { $0.id.description.hasPrefix(id.lowercased()) }
        guard let first = found.first, found.count == 1 else {
            throw CommandFailure(
                "\(found.isEmpty ? "no" : "more than one") waiting request begins with \(id); waiting: \(waiting)")
        }
        return first
    }
}
