import ArgumentParser
import HouseholdCommands
import KeyVault
import Phone
import PhoneStore
import Terminal

package struct PhoneCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "phone", abstract: "Set up the phone: its page, vault, banks and accepted scripts.",
        discussion: "What waits is approved or denied with countersign approve and countersign deny.",
        subcommands: [
            PhoneSetupCommand.self, PhonePairCommand.self, PhonePendingCommand.self, PhoneOffersCommand.self,
            PhoneServeCommand.self, PhoneAddressCommand.self, PhoneAuthorityCommand.self,
            PhoneNotificationsCommand.self, PhonePasskeyCommand.self,
            PhoneTrustCommand.self, PhoneDiscoverCommand.self,
            PhoneAccountsCommand.self, PhoneAuditCommand.self, PhoneBanksCommand.self, PhonePassphraseCommand.self,
            PhonePolicyCommand.self,
            PhoneScriptsCommand.self,
            PhoneFailuresCommand.self, PhoneDriftCommand.self, PhoneAcceptBackupCommand.self,
            PhoneRemoveCommand.self,
        ])
    package init() {}
}

struct PhonePendingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pending", abstract: "Show the requests that wait for you; each is verified first.",
        discussion: "Documents that are offered for when you have time come last: countersign phone offers.")

    @OptionGroup var phone: PhoneOptions

    @Flag(help: "Print JSON, one request per line.")
    var json = false

    func run() async throws {
        var order = PhoneWork.Order(.pending)
        order.json = json
        try await phone.perform(order)
    }
}

package struct PhoneApproveCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Approve a request, and fetch the statement now.",
        discussion: """
            The request is shown once more; you approve it with the vault's passphrase. While the approval page is open, the \
            program that serves it does the run, and the bank's questions appear there too: the first answer counts.

            A bank that refused your credentials is on hold: this phone does not sign in there again, because banks lock \
            an account after a few refusals. The hold ends when you store other credentials (countersign phone banks change BANK). \
            To try the same ones once more, answer the separate question, or give --try-again.
            """)

    package init() {}

    @Argument(help: "The request's id, or its first digits; not needed when exactly one request waits.")
    var id: String?

    @OptionGroup var phone: PhoneOptions

    @Flag(help: "Print one JSON event per line.")
    var json = false

    @Flag(help: "Sign in once more although the bank refused these credentials; it may lock the account.")
    var tryAgain = false

    package func run() async throws {
        var order = PhoneWork.Order(.approve, id: id)
        order.json = json
        order.triesAgain = tryAgain
        // Ask now: a passphrase from a file leaves no other moment to ask the person.
        try await phone.perform(order, "Passphrase of the vault, to show the request:")
    }
}

package struct PhoneDenyCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(commandName: "deny", abstract: "Deny a request.")

    package init() {}

    @Argument(help: "The request's id, or its first digits; not needed when exactly one request waits.")
    var id: String?

    @OptionGroup var phone: PhoneOptions

    package func run() async throws {
        try await phone.perform(PhoneWork.Order(.deny, id: id))
    }
}

extension PhoneOptions {
    /// Does work that needs the broker. Where this phone's household does not run, the failure names the command that starts it.
    private func sayingHouseholdIsStopped(_ work: () async throws -> Void) async throws {
        try await vault.reportingFailures {
            do {
                try await work()
            } catch let error as PhoneError where error.code == .brokerUnreachable {
                guard vault.home.startCommand == "countersign up", HouseholdFile.isBrokerStopped else { throw error }
                throw CommandFailure("the household's broker does not run; start it with: countersign up")
            }
        }
    }

    /// Does the work in the program that serves the approval page, if one holds this phone, and else here.
    func perform(_ order: PhoneWork.Order, _ question: String = "Passphrase of the vault:") async throws {
        try await sayingHouseholdIsStopped {
            var order = order
            order.isAttended = passphraseFile == nil
            let passphrase = try self.passphrase(question)
            let home = try vault.home.phone()
            if let desk = DeskClient(to: home) {
                guard authority.path == nil else {
                    throw CommandFailure(
                        "the phone that runs reaches the bank with its own options, so --ca changes nothing here, and the "
                            + "request was left as it is; stop that phone and approve with --ca, or start it anew with: "
                            + "countersign phone serve --ca FILE", status: 2)
                }
                return try await desk.perform(order, with: passphrase)
            }
            let verification = PassphraseVerification(passphrase)
            let runner = try await runner(verification)
            try await runner.recover()
            try await PhoneWork(order, of: runner, with: verification, console: .standard) { Asking.yes($0) }.perform()
        }
    }
}
