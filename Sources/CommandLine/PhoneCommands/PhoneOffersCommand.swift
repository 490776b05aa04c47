import ArgumentParser
import Phone

struct PhoneOffersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offers", abstract: "Show the documents that are offered for when you have time.",
        discussion: """
            Opening an offer makes a request, which you approve as any other: countersign approve. It ends after five \
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
        var order = PhoneWork.Order(
            open != nil ? .openOffer : dismiss != nil ? .dismissOffer : .offers, id: open ?? dismiss)
        order.json = json
        try await phone.perform(order)
    }
}
