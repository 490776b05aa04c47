import ArgumentParser
import AuditLog
import Clocks
import DeviceTrust
import Foundation
import JSON
import KeyVault
import Phone
import Secrets
import Terminal

struct PhoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone", abstract: "Set up the phone, see requests, approve or deny them.",
        subcommands: [
            PhoneSetupCommand.self, PhonePairCommand.self, PhonePendingCommand.self, PhoneApproveCommand.self,
            PhoneDenyCommand.self, PhoneServeCommand.self, PhoneAddressCommand.self, PhonePasskeyCommand.self,
            PhoneTrustCommand.self, PhoneDiscoverCommand.self,
            PhoneAccountsCommand.self, PhoneAuditCommand.self, PhoneBanksCommand.self, PhonePassphraseCommand.self,
            PhonePolicyCommand.self,
            PhoneScriptsCommand.self,
            PhoneFailuresCommand.self, PhoneDriftCommand.self, PhoneRestoredCommand.self,
            PhoneForgetCommand.self,
        ])
}

struct PhonePendingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pending", abstract: "Show the requests that wait for you; each is verified first.")

    @OptionGroup var phone: PhoneOptions

    @Flag(help: "Print JSON, one request per line.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let verification = PassphraseVerification(try phone.passphrase())
            let runner = try await phone.runner(verification)
            try await runner.recover()
            let review = try await runner.refresh()
            try await runner.rotateIfAsked(verification)
            let console = Console.standard
            for request in review.pending {
                if json { console.line(request.json.compactText()) } else { request.show(on: console) }
            }
            for refusal in review.refused {
                if json {
                    console.line(
                        JSONValue.object([
                            "refused": .string(refusal.reason), "message": .string(refusal.message),
                            "request_id": refusal.requestID.map(JSONValue.string) ?? .null,
                        ]).compactText())
                } else {
                    console.line("refused: \(refusal.requestID ?? "a request without an id"): \(refusal.message)", .bad)
                }
            }
            if review.unread > 0, !json {
                console.line("\(review.unread) more requests were not read; the broker sends too many", .bad)
            }
            if review.pending.isEmpty, !json { console.line("no requests are waiting") }
        }
    }
}

struct PhoneApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Approve a request, and fetch the statement now.",
        discussion: """
            The request is shown once more; you approve it with the vault's passphrase.

            A bank that refused your credentials is on hold: this phone does not sign in there again, because banks lock \
            an account after a few refusals. The hold ends when you store other credentials (countersign phone setup). \
            To try the same ones once more, answer the separate question, or give --try-again.
            """)

    @Argument(help: "The request's id, or its first digits; not needed when exactly one request waits.")
    var id: String?

    @OptionGroup var phone: PhoneOptions

    @Flag(help: "Print one JSON event per line.")
    var json = false

    @Flag(help: "Sign in once more although the bank refused these credentials; it may lock the account.")
    var tryAgain = false

    func run() async throws {
        try await reportingFailures {
            // Ask now: a passphrase from a file leaves no other moment to ask the person.
            let verification = PassphraseVerification(
                try phone.passphrase("Passphrase of the vault, to show the request:"))
            let runner = try await phone.runner(verification)
            try await runner.recover()
            let request = try one(of: try await runner.refresh().pending)
            if !json { request.show(on: .standard) }
            if request.requirement.factors.contains(.passkey) {
                let reasons = request.requirement.reasons.joined(separator: "; ")
                throw CommandFailure(
                    "this request needs a passkey (\(reasons)); approve it on: countersign phone serve")
            }
            if phone.passphraseFile == nil, !Asking.yes("Fetch this statement?") {
                throw CommandFailure("not approved; the request is still waiting")
            }
            let triesAgain = try confirmsAnotherTry(request)
            let printer = StepPrinter(json: json)
            let events = runner.events()
            let printing = Task {
                for await event in events {
                    switch event {
                    case .run(request.id, let event): printer.observe(event)
                    case .delivered(request.id, let count, let all):
                        if !json { Console.standard.line("Delivered \(count) of \(all)", .good) }
                    default: break
                    }
                }
            }
            let outcome = try await runner.approve(request, with: verification, tryingAgain: triesAgain)
            printing.cancel()
            switch outcome {
            case .completed(let filename):
                Console.standard.line(
                    json ? JSONValue.object(["completed": .string(filename)]).compactText() : "Delivered: \(filename)")
            case .delivered(let count, let all):
                Console.standard.line(
                    json
                        ? JSONValue.object(["delivered": .number(Double(count)), "of": .number(Double(all))])
                            .compactText() : "Delivered: \(count) of \(all) documents")
            case .waiting(let approvals, let needed):
                Console.standard.line(
                    json
                        ? JSONValue.object([
                            "waiting": .bool(true), "approvals": .number(Double(approvals)),
                            "needed": .number(Double(needed)),
                        ]).compactText() : "Approved here: \(RunOutcome.waitingWords(approvals, of: needed))")
            case .failed(let code, let message):
                throw CommandFailure("\(code): \(message)")
            }
        }
    }

    /// Asks separately about a bank on hold.
    private func confirmsAnotherTry(_ request: PendingRequest) throws -> Bool {
        guard let hold = request.hold, !tryAgain else { return tryAgain }
        guard phone.passphraseFile == nil else {
            throw CommandFailure(
                "\(request.bankName) \(hold.words); store other credentials with countersign phone setup, or give "
                    + "--try-again to sign in once more with the same ones")
        }
        guard Asking.yes("\(request.bankName) \(hold.words). Sign in once more with the same credentials?") else {
            throw CommandFailure(
                "not approved; the request is still waiting. Store other credentials: countersign phone setup")
        }
        return true
    }

    private func one(of pending: [PendingRequest]) throws -> PendingRequest {
        let waiting = pending.map(\.id.short).joined(separator: ", ")
        guard let id else {
            guard let only = pending.first else { throw CommandFailure("no request is waiting") }
            guard pending.count == 1 else {
                throw CommandFailure("\(pending.count) requests are waiting; give the id of one: \(waiting)")
            }
            return only
        }
        let found = pending.filter { $0.id.description.hasPrefix(id.lowercased()) }
        guard let first = found.first, found.count == 1 else {
            throw CommandFailure(
                "\(found.isEmpty ? "no" : "more than one") waiting request begins with \(id); waiting: "
                    + (waiting.isEmpty ? "none" : waiting))
        }
        return first
    }
}

struct PhoneDenyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "deny", abstract: "Deny a request.")

    @Argument(help: "The request's id.")
    var id: String

    @OptionGroup var phone: PhoneOptions

    func run() async throws {
        try await reportingFailures {
            let runner = try await phone.runner(PassphraseVerification(try phone.passphrase()))
            let pending = try await runner.refresh().pending
            guard let request = pending.first(where: { $0.id.description.hasPrefix(id.lowercased()) }) else {
                throw CommandFailure("no waiting request begins with \(id)")
            }
            try await runner.deny(request.id)
            Console.standard.line("Denied: \(request.id)")
        }
    }
}

extension PendingRequest {
    func show(on console: Console) {
        console.line("\(bankName): \(type) for \(subject.words)", .bold)
        console.line("  asked by \(clientWords)")
        if let otherClientsWords { console.line("  also by  \(otherClientsWords)") }
        console.line("  request  \(id.short)  (\(id))")
        console.line("  script   \(script.short)")
        for outflow in outflows { console.line("  sends    \(outflow)") }
        if let token = answeringToken {
            console.line("  code     your vault answers: \(token.issuer)")
        }
        if let hold { console.line("  on hold  \(bankName) \(hold.words)", .bad) }
        if let neededWords { console.line("  needs    \(neededWords)") }
        for reason in requirement.reasons { console.line("  because  \(reason)") }
        if isApprovedHere { console.line("  waiting  approved here: \(progressWords)") }
        console.line("  expires  in \(Int(timeLeft(at: Date()))) s")
    }

    var json: JSONValue {
        [
            "request_id": .string(id.description), "bank_id": .string(bankID), "bank_name": .string(bankName),
            "type": .string(type), "month": .number(Double(period.month)), "year": .number(Double(period.year)),
            "script_digest": .string(script.hex), "sends": .array(outflows.map(JSONValue.string)),
            "client": client.map { .string($0.description) } ?? .null,
            "answering_token_issuer": answeringToken.map { .string($0.issuer) }
                ?? .null, "approval_expires_at": .string(Timestamp(expiresAt).description),
            "requirement": requirement.json(approvals: approvals), "approved_here": .bool(isApprovedHere),
            "hold": hold.map { hold in
                [
                    "reason": hold.reason.map { .string($0.rawValue) } ?? .null,
                    "since": .string(Timestamp(hold.since).description),
                ]
            } ?? .null,
        ]
    }
}
