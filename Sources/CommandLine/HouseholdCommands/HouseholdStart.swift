import BankScript
import Broker
import Clocks
import Foundation
import MockBank
import Phone
import PhoneStore
import Secrets
import Terminal

/// The start of a household, part by part, each told when it is ready.
struct HouseholdStart: Sendable {
    let household: HouseholdFile
    let folder: URL
    let run: HouseholdRun
    let output: HouseholdOutput
    let opensPage: Bool
    /// The words of a phone on another machine are not compared.
    let confirmsAlone: Bool
    /// Nil to store the credentials without a sign-in.
    let login: TestLogin?

    /// Runs the household until a signal, until a part ends, or until the phone was deleted on its page.
    ///
    /// - Throws: `CancellationError` after the signal, and another error after a part has ended.
    func untilStopped(
        _ answers: HouseholdSetup.Answers?, _ line: PairingLine?, since began: ContinuousClock.Instant
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                await StopSignal.wait(endsWithTerminal: true)
                throw CancellationError()
            }
            tasks.addTask { try await open(answers, line, since: began) }
            defer { tasks.cancelAll() }
            try await tasks.next()
        }
    }

    private func open(
        _ answers: HouseholdSetup.Answers?, _ line: PairingLine?, since began: ContinuousClock.Instant
    ) async throws {
        try await run.startBank()
        if let bank = household.phone?.mockBank {
            output.report(
                "bank", "The mock bank is open at \(bank); its code is \(MockBankConfiguration().oneTimeCode).")
        }
        var answers = answers
        if let login, let typed = answers?.credentials {
            answers?.credentials = try await login.checked(typed)
        }
        let broker = try await run.startBroker()
        if let part = household.broker { tellBroker(part, hasPort: await run.hasPort) }
        if let answers, let phone = household.phone { try await pair(phone, with: broker, answers, line) }
        try noteVault()
        if let phone = household.phone {
            try await handOverRefusals(to: phone)
            try await openPage(phone)
        }
        if household.phone == nil || household.broker == nil { tellInbox() }
        if let phone = household.phone, let script = answers?.scripts.script(forBank: phone.bankID),
            let next = Self.wordsOnConnecting(script)
        {
            output.report("connect", next)
        }
        var waits = false
        if household.phone == nil, let broker { waits = try await broker.devices.devices().isEmpty }
        let option = try await bankOption(of: broker)
        tellReady(after: ContinuousClock.now - began, waitsForPhone: waits, bank: option)
        guard waits, let broker else { return try await watch() }
        try await invite(by: broker)
    }

    private func watch() async throws {
        let output = output
        try await run.watch { failure in
            if let failure {
                output.report(
                    "warning",
                    "Warning: the settings that were changed are not in use, because the broker did not start with them: "
                        + failure.message)
            } else {
                output.report("restarted", "The broker started anew, with the settings that were changed.")
            }
        }
        output.report("phone_deleted", Self.wordsOnDeletion(hasBroker: household.broker != nil))
    }

    /// Says how to go on after the phone was deleted on its page.
    ///
    /// - Parameter hasBroker: false when the broker is on another machine.
    static func wordsOnDeletion(hasBroker: Bool) -> String {
        let begins =
            hasBroker
            ? "Your documents and the broker stay. To begin anew: countersign up"
            : "The broker on the other machine, and your documents there, stay. To begin anew, run countersign pair there, and "
                + "countersign up --phone-only LINE here."
        return "The phone was deleted on its page. \(begins)"
    }

    // MARK: The broker

    /// - Parameter hasPort: false when another program has the broker's port, so that the broker answers at its socket alone.
    private func tellBroker(_ broker: HouseholdFile.Broker, hasPort: Bool) {
        if hasPort { output.report("broker", "The broker answers at \(broker.address).") }
        if let socket = broker.socket, socket.isThere {
            output.report("socket", "Your programs on this machine reach it at its socket, \(socket.file.path).")
        } else {
            let reason =
                broker.socket == nil
                ? "the path of the household's folder is too long for a socket"
                : "the disk of the household's folder takes no socket"
            output.report("socket", "Your programs on this machine reach it there, too: \(reason).")
        }
        if !hasPort {
            output.report(
                "warning",
                "Warning: another program has port \(broker.port), so the broker answers at its socket alone. Programs of other "
                    + "users, and curl at that port, do not reach it. Stop that program, and start the household again."
            )
        }
        if let trouble = HouseholdStatements.trouble(with: broker.statements) {
            output.report("warning", "Warning: \(trouble)")
        } else {
            output.report("statements", HouseholdStatements.words(for: broker))
        }
        guard household.phone == nil else { return }
        let reach =
            if broker.proxied != nil {
                "Phones reach it at \(broker.endpoint), through the proxy on this machine."
            } else if broker.hostName != nil {
                "Phones reach it at \(broker.endpoint), on all networks of this machine. They pin its own certificate."
            } else {
                "Phones reach it at \(broker.endpoint), so only from this machine. For a phone on another one, stop it "
                    + "and run: countersign up --broker-only --host-name NAME, with this machine's name or address."
            }
        output.report("reach", reach)
    }

    /// Invites a phone while the broker runs.
    private func invite(by broker: BrokerAdministration) async throws {
        let invitation = PhoneInvitation(broker: broker, confirmsAlone: confirmsAlone, output: output)
        guard invitation.canBeConfirmed else {
            output.report("not_paired", "No phone is paired yet. Pair one at a terminal with: countersign pair")
            return try await watch()
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await invitation.perform() }
            tasks.addTask { try await watch() }
            defer { tasks.cancelAll() }
            // The invitation ends long before the household does.
            while try await tasks.next() != nil {}
        }
    }

    // MARK: The phone

    private func pair(
        _ phone: HouseholdFile.Phone, with broker: BrokerAdministration?, _ answers: HouseholdSetup.Answers,
        _ line: PairingLine?
    ) async throws {
        if let broker {
            try await HouseholdPairing(
                phone: phone, inbox: household.inbox, broker: broker, sockets: household.broker?.sockets ?? [:]
            ).perform(answers)
            output.report("paired", "The phone and the broker now know each other.")
        } else if let line {
            let address = try await HouseholdJoining(household: household, phone: phone, output: output)
                .perform(answers, line)
            output.report("paired", "Paired with the broker at \(address).")
        }
        guard !ServiceJournal.takesOutput else {
            return output.report(
                "passkey_code", "To add a passkey on the page, make a code with: countersign phone passkey code")
        }
        let code = try await PhoneDatabase(PhoneHome(phone.home)).firstPasskeyCode()
        output.disclose("passkey_code", code, "To add a passkey on the page within a day, give it this code: ")
    }

    /// Notes in the household's file that the phone has its vault, so that one that is away later is not taken for one that is
    /// still to be made.
    private func noteVault() throws {
        let place = HouseholdFile.place()
        // Read again: the pairing may have written it.
        guard var known = try HouseholdFile.read(place), known.phone?.wasSetUp == false, known.isSetUp else { return }
        known.phone?.wasSetUp = true
        try known.write(to: place)
    }

    /// Lets the phone count what the bank refused, or may have refused, in test logins.
    private func handOverRefusals(to phone: HouseholdFile.Phone) async throws {
        do {
            try await RefusedLogins(dataFolder: folder).handOver(to: phone)
        } catch let error where !(error is CancellationError) {
            output.report(
                "warning",
                "Warning: the phone does not know what the bank refused in test logins. \(error)")
        }
    }

    private func openPage(_ phone: HouseholdFile.Phone) async throws {
        let output = output
        guard let page = try await run.startPage({ output.report("notice", "Notice: \($0)") }) else { return }
        if ServiceJournal.takesOutput {
            output.report("address", ServiceJournal.words(onPageAt: page.origin))
        } else {
            output.disclose("address", page.address, "The approval page is open at ")
        }
        if phone.pageHost != nil {
            output.report(
                "authority",
                "Each other device has to trust the page's authority once. Show a code that leads there with: "
                    + "countersign phone authority --qr")
        }
        if page.hasTrialPassphrase {
            if phone.pageHost != nil || phone.proxiedPage != nil {
                output.report(
                    "warning",
                    "Warning: other devices can reach this trial's page, and its passphrase lies in a file. Keep nothing in it "
                        + "but the mock bank.")
            }
            output.report(
                "passphrase",
                "The passphrase of this trial phone is in \(HouseholdSetup.passphraseFile(in: folder).path).")
        }
        if opensPage { Desktop.open(page.address) }
    }

    // MARK: What is left to do

    /// Returns the option that names the household's bank in the command that is told; an empty text where none must be named.
    private func bankOption(of broker: BrokerAdministration?) async throws -> String {
        guard let broker else { return "" }
        let known = try await broker.bankOption(preferring: household.phone?.bankID)
        // The broker is told of a bank that was added when the page is unlocked, which is before the command is typed.
        guard known.isEmpty, let phone = household.phone,
            try await PhoneDatabase(PhoneHome(phone.home)).credentialTimes().count > 1
        else { return known }
        return " --bank \(phone.bankID)"
    }

    /// Returns how the owner of a new phone says yes at a bank; nil for a bank that wants no yes.
    static func wordsOnConnecting(_ script: BankScript) -> String? {
        guard script.exchange?.needsOwner == true else { return nil }
        return
            "Before its first document, \(script.name.inLine()) wants your yes. Give it on the page, under Banks, or with: "
            + "countersign phone banks connect \(script.id)"
    }

    /// Says how documents go from one machine to the other.
    private func tellInbox() {
        if household.isBrokerOnThisMachine {
            return output.report(
                "inbox",
                "Documents go through the inbox, \(household.inbox.path). It has to be the inbox of the broker's household, too."
            )
        }
        let other = household.phone == nil ? "phone" : "broker"
        output.report(
            "inbox",
            "Documents go through the inbox, \(household.inbox.path). Keep it in sync with the inbox of the \(other)'s "
                + "machine, for example with Syncthing: Countersign itself carries no files from machine to machine.")
    }

    /// - Parameter bank: the option that names the bank; empty where none must be named.
    private func tellReady(after time: Duration, waitsForPhone: Bool, bank: String) {
        let next =
            if waitsForPhone {
                "The broker waits for a phone."
            } else if household.isBrokerOnThisMachine {
                "Requests from the other household's broker appear on the page while it runs."
            } else if household.broker == nil {
                "Requests from the broker on the other machine appear on the page."
            } else {
                "Ask for a statement with: countersign request last-month\(bank) --wait"
            }
        output.report("ready", "Ready after \(time.inWords). \(next)")
        guard !output.json else { return }
        if household.broker != nil {
            Console.standard.line(
                "Let an assistant ask under its own name: countersign agent add claude-code, or another NAME",
                .faint)
        }
        Console.standard.line("Press Ctrl-C to stop it.", .faint)
    }
}
