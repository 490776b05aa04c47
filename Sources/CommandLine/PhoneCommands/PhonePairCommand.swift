import ArgumentParser
import CountersignPlugins
import DeviceTrust
import Encodings
import Foundation
import HouseholdCommands
import KeyVault
import Phone
import PhoneStore
import QRCode
import ScriptCommands
import Secrets
import Terminal

struct PhonePairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair this phone with a broker, using the code that countersign pair shows there.",
        discussion: """
            Give - and then the URI or the code, e.g. 17-ABCD-EFGH, on standard input, or give a picture of the QR code. \
            An argument that is the URI or the code itself works, but other users of this machine can see it. Both \
            sides then show the same four words, and the broker asks for confirmation. Data that this phone already has, \
            such as the bank's credentials, stays; you are asked for missing data.
            """)

    @Argument(
        help: ArgumentHelp(
            "- to read the URI or the code from standard input, or a PNG or JPEG of the QR code.", valueName: "-|image")
    )
    var invitation: String

    @OptionGroup var vault: VaultOptions

    @Option(help: "The broker's address, for a code; not needed if only one broker announces itself.")
    var broker: String?

    @Option(help: "The phone's name at the broker.")
    var name: String = ProcessInfo.processInfo.hostName.prefix { $0 != "." }.description

    @Option(
        help: ArgumentHelp(
            "What keeps the key that signs approvals: the vault, or a device key of a plug-in (countersign script plugins list).",
            valueName: "name"))
    var key: String = DeviceKeyMakers.vault

    @OptionGroup var questions: PhoneQuestions

    @OptionGroup var scriptFolder: ScriptFolderOptions

    @Flag(help: "Print one JSON event per line.")
    var json = false

    func validate() throws {
        guard DeviceName.checked(name) != nil else {
            throw ValidationError("--name must have 1 to 64 visible characters")
        }
        do throws(PhoneError) {
            try DeviceKeyMakers(Plugins.current.deviceKeys).check(key)
        } catch {
            throw ValidationError("--key: \(error)")
        }
        guard invitation != "-" || vault.passphraseFile != "-" else {
            throw ValidationError("standard input cannot be both the code and the passphrase")
        }
    }

    func run() async throws {
        try await vault.reportingFailures {
            let home = vault.phoneHome
            // Before the broker knows the device.
            if home.vault.exists { try vault.checkIsFree(home) }
            let invited = try await self.invited()
            warnOfVisibleCode()
            let passphrase = try questions.passphrase(vault)
            let bank = try questions.bankID(scriptFolder)
            let (inbox, credentials) = try await contents(of: home, bank, passphrase)
            let paired: PairedPhone
            do {
                let attempt = try await PairingAttempt.begin(
                    invited, name: name, keyIn: key, of: DeviceKeyMakers(Plugins.current.deviceKeys))
                show(attempt)
                paired = try await attempt.finish { left in show(left: left) }
            } catch {
                try await PhoneHome.recordFailedPairing(in: home, error)
                throw error
            }
            let setup = PhoneSetup(
                home: home, connection: try paired.connection(inbox: inbox), bankID: bank,
                credentials: credentials, deviceKey: paired.deviceKey)
            do {
                try await setup.apply(passphrase: passphrase)
            } catch {
                throw CommandFailure(
                    "\(error). The broker already knows the device; there, run: countersign devices remove "
                        + "\(paired.device.deviceID)")
            }
            if let scripts = try? scriptFolder.registry(home: home.folder) { await setup.tellBanks(scripts) }
            do {
                try HouseholdFile.notePairing(ofPhone: home.folder, with: paired.endpoint.absoluteString)
            } catch {
                Console.standard.error("\(error). The phone is paired; countersign status shows the earlier address")
            }
            report(paired)
        }
    }

    // MARK: The invitation

    private func invited() async throws -> PairingInvitation {
        let text = invitation == "-" ? try Asking.secret(inFile: "-") : Secret(invitation)
        if PairingInvitation.isScanned(text.revealed()) { return try PairingInvitation(scanned: text) }
        if let code = PairingCode(text.revealed()) { return try PairingInvitation(code: code, at: try await address()) }
        let file = URL(filePath: TypedPath.expanded(invitation))
        guard invitation != "-", FileManager.default.fileExists(atPath: file.path) else {
            throw CommandFailure(
                "the argument is not a pairing URI, a code such as 17-ABCD-EFGH, or the path of a picture",
                status: 2)
        }
        let texts = try await QRCodeReader.texts(in: file)
        guard let text = texts.first(where: { PairingInvitation.isScanned($0.revealed()) }) else {
            throw CommandFailure("the picture's code is not one of countersign pair; take the picture again")
        }
        return try PairingInvitation(scanned: text)
    }

    private func warnOfVisibleCode() {
        guard PairingInvitation.isScanned(invitation) || PairingCode(invitation) != nil else { return }
        Console.standard.error(
            "other users of this machine can see the pairing code in the argument; next time give - and the code on "
                + "standard input.")
    }

    private func address() async throws -> String {
        if let broker { return broker }
        let found: [DiscoveredBroker]
        do {
            found = try await PhoneDiscoverCommand.browser.brokers(within: .seconds(5))
        } catch {
            throw CommandFailure("\(error); give the broker's address with --broker", status: 2)
        }
        guard let only = found.first, found.count == 1 else {
            let seen = found.isEmpty ? "no broker was found" : "\(found.count) brokers were found"
            throw CommandFailure("\(seen); give the address of your broker with --broker", status: 2)
        }
        return only.endpoint
    }

    // MARK: The home

    private func contents(
        of home: PhoneHome, _ bank: String, _ passphrase: Secret
    ) async throws -> (inbox: String, credentials: [String: Secret]?) {
        var known: HomeContents?
        if home.vault.exists {
            known = try await HomeContents(of: home, bankID: bank, with: PassphraseVerification(passphrase))
        }
        let inbox = questions.inbox == nil ? known?.inbox?.path : nil
        let path = try inbox ?? questions.inboxPath()
        let isKnown = known?.holdsCredentials == true && questions.credentials == nil
        let credentials = isKnown ? nil : try questions.credentials(ofBank: bank, scriptFolder)
        let check = await PhoneSetup.checkInbox(URL(filePath: path, directoryHint: .isDirectory))
        guard check.isAcceptable else { throw CommandFailure(check.message) }
        return (path, credentials)
    }

    // MARK: Output

    private func show(_ attempt: PairingAttempt) {
        if json {
            let event: JSONValue = [
                "words": .string("\(attempt.words)"), "server_id": .string("\(attempt.server.id)"),
                "device_id": .string("\(attempt.deviceID)"),
            ]
            return Console.standard.line(event.compactText())
        }
        Console.standard.line(
            "The broker has proved that it knows the code. Compare these words with those on its screen:")
        Console.standard.line("    \(attempt.words)", .bold)
        Console.standard.line("Answer yes there if they are the same.")
    }

    private func show(left: Int) {
        let seconds = JSONValue.number(Double(left))
        if json {
            Console.standard.line(JSONValue.object(["waiting": true, "seconds_left": seconds]).compactText())
        } else {
            Console.standard.line("waiting for confirmation at the broker, \(left) s left", .faint)
        }
    }

    private func report(_ paired: PairedPhone) {
        var fingerprint: String?
        if case .pinned(let certificate) = paired.trust { fingerprint = "\(certificate)" }
        if json {
            let event: JSONValue = [
                "paired": true, "device_id": .string("\(paired.device.deviceID)"),
                "server_id": .string("\(paired.device.server.id)"),
                "broker": .string(paired.endpoint.absoluteString),
                "certificate": fingerprint.map(JSONValue.string) ?? .null,
                "bank_ids": .array(paired.bankIDs.map(JSONValue.string)),
            ]
            return Console.standard.line(event.compactText())
        }
        Console.standard.line(
            "Paired with \(paired.endpoint.absoluteString) as the device \(paired.device.deviceID).", .good)
        if let fingerprint { Console.standard.line("Its certificate is pinned: \(fingerprint)") }
        Console.standard.line("Next: countersign phone pending")
    }
}
