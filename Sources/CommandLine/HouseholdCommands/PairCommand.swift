import ArgumentParser
import Broker
import BrokerStore
import Clocks
import DeviceTrust
import Encodings
import Foundation
import Machine
import QRCode
import ScriptCommands
import Secrets
import Terminal

package struct PairCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Pair a phone with the broker that runs on this machine.",
        discussion: """
            Shows a QR code and a code to type; on the phone, run: countersign phone pair -. Once a phone has the code, both \
            show the same four words; compare them, and confirm here. The code is valid for one device, for at most five \
            wrong attempts and five minutes; Ctrl-C ends it at once.

            With --json a program can confirm in your place: without a terminal and --yes, one line of standard input \
            answers the CLAIMED line, yes or no, or {"same_words":true}. The end of the input means no. A pairing that fails \
            ends with an ENDED line.

            Reads the broker's BROKER_DATABASE_PATH, BROKER_SEALING_SECRET (else BROKER_PHONE_SHARED_SECRET), BROKER_HOST \
            and BROKER_ENDPOINT. Exit status: 0 a device was paired, 1 no device was paired.
            """)

    @Option(help: ArgumentHelp("Also write the QR code as a PNG; it is deleted at the end.", valueName: "file"))
    var png: String?

    @Option(help: ArgumentHelp("How long the code is valid, 10 to 300 seconds.", valueName: "seconds"))
    var ttl = 300

    @Option(help: "The device's name; replaces the name that it gives itself.")
    var name: String?

    @Flag(
        help: """
            Leave the default device (PHONE_API_TOKEN) on. The first pairing switches it off otherwise: it approves without \
            a signature.
            """)
    var keepDefaultDevice = false

    @Flag(
        help:
            "Confirm without comparing the words. Use this only if no one can intercept the connection, as on one machine."
    )
    var yes = false

    @Flag(help: "Print JSON, one object per step.")
    var json = false

    package init() {}

    package func validate() throws {
        guard (10...300).contains(ttl) else { throw ValidationError("--ttl must be 10 to 300 seconds") }
        guard name.map({ DeviceName.checked($0) != nil }) ?? true else {
            throw ValidationError("--name must have 1 to 64 visible characters")
        }
    }

    package func run() async throws {
        let image = try png.map(TypedPath.newFile)
        try await reportingFailures {
            let broker = try BrokerAdministration.onThisMachine()
            if HouseholdFile.isBrokerStopped, !HouseholdFile.isOverridden(ProcessInfo.processInfo.environment) {
                throw CommandFailure(
                    "the household's broker does not run, so no phone could answer; start it with: countersign up")
            }
            let pairing = try await broker.openPairing(
                life: .seconds(ttl), name: name, keepsDefaultDevice: keepDefaultDevice)
            let interruption = await PairingInterruption {
                try? await broker.pairings.end(pairing.session, because: .cancelled)
                // A device that was let in a moment before stays: the dialog is about to tell of it.
                if let now = try? await broker.pairings.current(pairing.session), now.state == .done { return false }
                if let image { unlink(image.path) }
                return true
            }
            defer {
                interruption.end()
                if let image { unlink(image.path) }
            }
            do {
                try show(pairing, image)
                try await follow(pairing.session, broker.pairings)
            } catch {
                try await broker.pairings.end(pairing.session, because: .cancelled)
                throw error
            }
        }
    }

    /// The household whose broker this machine has; nil for a broker that was configured by itself.
    private var household: HouseholdFile? {
        guard let household = HouseholdFile.current, household.broker != nil else { return nil }
        return HouseholdFile.isOverridden(ProcessInfo.processInfo.environment) ? nil : household
    }

    private func show(_ pairing: OpenPairing, _ image: URL?) throws {
        let payload = pairing.payload
        let code = try QRSymbol(payload.uri, correction: .low)
        if let image { try AtomicFile.write(code.png(), to: image) }
        guard !json else {
            let payloadJSON = try payload.json.withUnsafeBytes { try JSONReader.read(Array($0)) }
            var shown: [String: JSONValue] = [
                "status": "OPEN", "code": .string(payload.code.written.revealed()),
                "uri": .string(payload.uri.revealed()), "payload": payloadJSON,
                "expires_at": .string(payload.expiresAt.description),
            ]
            if let household {
                shown["line"] = .string(PairingLine.command(for: payload).revealed())
                shown["inbox"] = .string(household.inbox.path)
            }
            Console.standard.disclose(JSONValue.object(shown).compactText() + "\n")
            return
        }
        Console.standard.disclose(code.terminalText)
        Console.standard.disclose("\nCode: \(payload.code.written.revealed())   at \(payload.endpoint)\n")
        Console.standard.disclose(
            "On the phone, give a picture of the QR code, or run countersign phone pair - and paste the code or this URI, with "
                + "Ctrl-D at the end:\n")
        Console.standard.disclose("\(payload.uri.revealed())\n\n")
        if let household {
            let isForThisMachine = payload.endpoint.isLoopbackOrigin
            Console.standard.line(
                isForThisMachine
                    ? "For a phone of another user of this computer, that user runs:"
                    : household.phone == nil
                        ? "For a household's phone on another machine, run there:"
                        : "For a phone of another person, or on another machine, run there:")
            Console.standard.disclose("  \(PairingLine.command(for: payload).revealed())\n\n")
            if isForThisMachine {
                Console.standard.paragraph(
                    household.phone == nil
                        ? "Other machines do not reach this broker. For a phone on one, stop it and run: countersign up "
                            + "--broker-only --host-name NAME, with this machine's name or address."
                        : "Other machines do not reach this broker. For phones on them, set one up that runs without a phone "
                            + "beside it: countersign up --broker-only --host-name NAME, as “Two machines” in docs/household.md "
                            + "says.", .faint)
            }
            Console.standard.paragraph(
                "The new phone's documents come through the inbox, \(household.inbox.path), which only programs of this user can "
                    + "open: with --inbox name it, or a folder that is kept in sync with it.", .faint)
        }
        if let image { Console.standard.line("The QR code is also in \(image.path).") }
        let left = Duration.seconds(pairing.session.expiresAt.date.timeIntervalSinceNow.rounded())
        Console.standard.line("Waiting for a phone for \(left.inWords). Press Ctrl-C to cancel.", .faint)
    }

    private func follow(_ first: PairingSession, _ pairings: PairingStore) async throws {
        let dialog = PairingDialog(pairings: pairings) { session in
            tellClaim(session)
        } agrees: {
            try await agrees()
        }
        let session: PairingSession
        do {
            session = try await dialog.follow(first)
        } catch let failure as CommandFailure {
            try await tellEnd(of: pairings.current(first), failure.message)
            throw failure
        }
        // Ctrl-C cancelled the pairing: the signal handler is about to end the program with that signal's status.
        while session.reason == .cancelled { try await Task.sleep(for: .seconds(60)) }
        guard session.state == .done else {
            let words = PairingDialog.explanation(of: session.reason)
            tellEnd(of: session, words)
            throw CommandFailure(words)
        }
        let name = name ?? session.deviceName ?? ""
        guard let id = session.deviceID else { return }
        if json {
            let done: JSONValue = [
                "status": "DONE", "device_id": .string(id.description), "device_name": .string(name),
            ]
            Console.standard.line(done.compactText())
        } else {
            Console.standard.line("Paired: \(name), \(id)", .good)
        }
    }

    private func tellClaim(_ session: PairingSession) {
        let words = session.words ?? ""
        if json {
            let claimed: JSONValue = [
                "status": "CLAIMED", "device_id": .string(session.deviceID?.description ?? ""),
                "device_name": .string(session.deviceName ?? ""), "words": .string(words),
            ]
            Console.standard.line(claimed.compactText())
        } else {
            let name = (session.deviceName ?? "").inLine()
            Console.standard.line("A device that calls itself “\(name)” has the code. These are the words here:")
            Console.standard.line("    \(words)", .bold)
        }
    }

    /// Tells a program why no device was paired. A person reads the failure.
    private func tellEnd(of session: PairingSession, _ words: String) {
        guard json else { return }
        var ended: [String: JSONValue] = ["status": "ENDED", "message": .string(words)]
        if let reason = session.reason {
            ended["reason"] = .string(reason.rawValue.uppercased().replacingOccurrences(of: " ", with: "_"))
        }
        Console.standard.line(JSONValue.object(ended).compactText())
    }

    /// Asks whether the words agree. Another thread waits for the answer, so that Ctrl-C still works, and it stops waiting when the
    /// pairing is over.
    private func agrees() async throws -> Bool {
        if yes { return true }
        if json, isatty(STDIN_FILENO) == 0 {
            return try await Asking.waiting { PairingAnswer.agrees(Asking.writtenLine(unless: $0)) }
        }
        return try await Asking.waiting { Asking.yes("Does the device show the same words?", unless: $0) }
    }
}

/// The line with which a program answers, in place of a person at the terminal, whether a device shows the same words.
enum PairingAnswer {
    /// - Parameter line: `yes` or `y`, or JSON with a member `same_words`; nil for the end of the input. Every other line means no,
    ///   because a device that is let in by mistake can approve requests.
    static func agrees(_ line: String?) -> Bool {
        guard let text = line?.trimmingCharacters(in: .whitespacesAndNewlines) else { return false }
        if text.hasPrefix("{") { return (try? JSONReader.read(text))?["same_words"] == true }
        return ["y", "yes"].contains(text.lowercased())
    }
}

/// Cleans up when a signal ends the program: Ctrl-C, SIGTERM or SIGHUP.
private struct PairingInterruption {
    private let sources: [any DispatchSourceSignal]

    /// Returns once the handlers are registered: an earlier signal would be lost.
    ///
    /// - Parameter finish: returns false when the program ends by itself, and well.
    init(_ finish: @escaping @Sendable () async -> Bool) async {
        var sources: [any DispatchSourceSignal] = []
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                Task {
                    guard await finish() else { return }
                    FileHandle.standardError.write(Data("\ncountersign: the pairing was cancelled\n".utf8))
                    exit(128 + number)
                }
            }
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.resume()
            }
            sources.append(source)
        }
        self.sources = sources
    }

    func end() { for source in sources { source.cancel() } }
}
