import ArgumentParser
import Broker
import DeviceTrust
import Files
import Foundation
import JSON
import QRCode
import Secrets

struct PairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Pair a phone with the broker that runs on this machine.",
        discussion: """
            Shows a QR code and a code to type; on the phone: countersign phone pair. When a phone knows the code, both \
            show the same four words; compare them, and say yes here. The code is good for one device, for five wrong \
            tries and for five minutes at most; Ctrl-C ends it at once.

            Reads the broker’s BROKER_DATABASE_PATH, BROKER_SEALING_SECRET (else BROKER_PHONE_SHARED_SECRET), BROKER_HOST \
            and BROKER_ENDPOINT. Exit status: 0 a device was paired, 1 none was.
            """)

    @Option(help: ArgumentHelp("Write the QR code as a PNG too; it is removed at the end.", valueName: "file"))
    var png: String?

    @Option(help: ArgumentHelp("How long the code is good for, 10 to 300.", valueName: "seconds"))
    var ttl = 300

    @Option(help: "What the device is to be called, whatever it calls itself.")
    var name: String?

    @Flag(help: "Say yes without comparing the words; where nobody can be in between, as on one machine.")
    var yes = false

    @Flag(help: "Print JSON, one object for each step.")
    var json = false

    func validate() throws {
        guard (10...300).contains(ttl) else { throw ValidationError("--ttl is 10 to 300 seconds") }
        guard name.map({ DeviceName.checked($0) != nil }) ?? true else {
            throw ValidationError("--name has 1 to 64 characters that can be seen")
        }
    }

    func run() async throws {
        let image = try png.map(NewFile.url)
        try await OwnBroker.clearly {
            let broker = try BrokerAdministration(environment: ProcessInfo.processInfo.environment)
            let pairing = try await broker.openPairing(life: .seconds(ttl), name: name)
            let interruption = await PairingInterruption {
                try? await broker.pairings.end(pairing.session, because: .cancelled)
                if let image { unlink(image.path) }
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

    private func show(_ pairing: OpenPairing, _ image: URL?) throws {
        let payload = pairing.payload
        let code = try QRCode(payload.uri, correction: .low)
        if let image { try AtomicFile.write(code.png(), to: image) }
        guard !json else {
            let payloadJSON = try payload.json.withUnsafeBytes { try JSONReader.read(Array($0)) }
            let shown: JSONValue = [
                "status": "OPEN", "code": .string(payload.code.written.revealed()),
                "uri": .string(payload.uri.revealed()), "payload": payloadJSON,
            ]
            Console.standard.disclose(shown.compactText() + "\n")
            return
        }
        Console.standard.disclose(code.terminalText)
        Console.standard.disclose("\nCode: \(payload.code.written.revealed())   at \(payload.endpoint)\n")
        Console.standard.disclose("On the phone: countersign phone pair, with the QR code, or with this:\n")
        Console.standard.disclose("\(payload.uri.revealed())\n\n")
        if let image { Console.standard.line("The QR code is in \(image.path) too.") }
        Console.standard.line("Waiting for a phone, until \(pairing.session.expiresAt). Ctrl-C ends it.", .faint)
    }

    private func follow(_ first: PairingSession, _ pairings: PairingStore) async throws {
        var session = try await wait(for: first, while: [.open], pairings)
        if session.state == .claimed {
            tellClaim(session)
            if try await agrees() {
                guard try await pairings.confirm(session) else {
                    throw CommandFailure("the pairing’s time was over before you said yes; begin anew")
                }
            } else {
                try await pairings.end(session, because: .denied)
                throw CommandFailure("the device was not paired")
            }
            session = try await wait(for: session, while: [.claimed, .confirmed], pairings)
        }
        // Whoever pressed Ctrl-C has cancelled it, and the program is about to end with that signal’s status.
        while session.reason == .cancelled { try await Task.sleep(for: .seconds(60)) }
        guard session.state == .done else { throw CommandFailure(Self.explanation(of: session.reason)) }
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

    private func wait(
        for session: PairingSession, while states: Set<PairingSession.State>, _ pairings: PairingStore
    ) async throws -> PairingSession {
        var now = try await pairings.current(session)
        while states.contains(now.state) {
            try await Task.sleep(for: .milliseconds(200))
            now = try await pairings.current(session)
        }
        return now
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
            Console.standard.line("A device that calls itself “\(session.deviceName ?? "")” knows the code. It shows:")
            Console.standard.line("    \(words)", .bold)
        }
    }

    /// The input is read on a thread of its own, so that Ctrl-C and the clock go on.
    private func agrees() async throws -> Bool {
        if yes { return true }
        return try await BlockingWork.run { Asking.yes("Does the device show the same words?") }
    }

    private static func explanation(of reason: PairingSession.Reason?) -> String {
        switch reason {
        case .expired: "the pairing’s time is over, and no device was paired; begin anew"
        case .wrongTries: "the code was wrong five times, and the pairing is over; begin anew"
        case .restarted: "the broker was started anew meanwhile, and the pairing is over; begin anew"
        case .cancelled: "the pairing was cancelled"
        case .denied, nil: "no device was paired"
        }
    }
}

/// What is still to be done when the program is ended from outside, by Ctrl-C or by SIGTERM.
private struct PairingInterruption {
    private let sources: [any DispatchSourceSignal]

    /// Returns once it is listened for: before that a signal would be lost.
    init(_ finish: @escaping @Sendable () async -> Void) async {
        var sources: [any DispatchSourceSignal] = []
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                Task {
                    await finish()
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
