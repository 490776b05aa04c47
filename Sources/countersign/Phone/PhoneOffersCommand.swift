import ArgumentParser
import Foundation
import JSON
import KeyVault
import Messages
import Phone
import PhoneDesk
import Terminal

struct PhoneOffersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offers", abstract: "Show the documents that are offered for when you have time.",
        discussion: """
            Opening an offer makes a request, which you approve as any other: countersign phone approve. It ends after five \
            minutes without a decision; the offer can then be opened again.
            """)

    @Option(help: ArgumentHelp("Open an offer, by its id or its first digits.", valueName: "id"))
    var open: String?

    @Option(help: ArgumentHelp("Dismiss an offer.", valueName: "id"))
    var dismiss: String?

    @OptionGroup var phone: PhoneOptions

    @Flag(help: "Print JSON, one offer per line.")
    var json = false

    func validate() throws {
        guard open == nil || dismiss == nil else { throw ValidationError("give one of --open and --dismiss") }
    }

    func run() async throws {
        try await reportingFailures {
            let runner = try await phone.runner(PassphraseVerification(try phone.passphrase()))
            _ = try await runner.refresh()
            let console = Console.standard
            if let open {
                let request = try await runner.open(try one(called: open, of: runner.offers).id)
                let waits = try await runner.pending().contains { $0.id == request }
                let answer: JSONValue = ["request_id": .string(request.description), "waits": .bool(waits)]
                let words =
                    waits
                    ? "Request \(request) waits for you: countersign phone approve \(request.short)"
                    : "Nothing waits for you: request \(request) is answered with documents that are there"
                console.line(json ? answer.compactText() : words)
            } else if let dismiss {
                let offer = try one(called: dismiss, of: runner.offers)
                try await runner.dismiss(offer.id)
                let answer: JSONValue = ["offer_id": .string(offer.id.description), "dismissed": true]
                console.line(json ? answer.compactText() : "Dismissed: \(offer.id)")
            } else {
                for offer in runner.offers {
                    if json { console.line(offer.json.compactText()) } else { offer.show(on: console) }
                }
                if runner.offers.isEmpty, !json { console.line("no documents are offered") }
            }
        }
    }

    private func one(called id: String, of offers: [WaitingOffer]) throws -> WaitingOffer {
        let found = offers.filter { !id.isEmpty && $0.id.description.hasPrefix(id.lowercased()) }
        guard let offer = found.first, found.count == 1 else {
            let ids = offers.map(\.id.short).joined(separator: ", ")
            throw CommandFailure(
                "\(found.isEmpty ? "no" : "more than one") offer begins with \(id); offered: "
                    + (ids.isEmpty ? "nothing" : ids))
        }
        return offer
    }
}
