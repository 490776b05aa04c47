import ArgumentParser
import DeviceTrust
import Encodings
import Foundation
import HouseholdCommands
import KeyVault
import Phone
import Secrets
import Terminal

struct PhoneTrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Show which broker this phone trusts, or reset that.",
        subcommands: [PhoneTrustShowCommand.self, PhoneTrustResetCommand.self],
        defaultSubcommand: PhoneTrustShowCommand.self)
}

struct PhoneTrustShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the broker's address, its pinned certificate and its id.")

    @OptionGroup var vault: VaultOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await vault.reportingFailures {
            let home = try vault.home.phone()
            let secrets = try await home.open(
                PassphraseVerification(try vault.passphrase()), reason: "Show the broker")
            defer { secrets.close() }
            show(try await PhoneConnection(from: secrets))
        }
    }

    private func show(_ connection: PhoneConnection) {
        var certificate: CertificateFingerprint?
        if case .pinned(let fingerprint) = connection.trust { certificate = fingerprint }
        let pairing = connection.pairing
        if json {
            let line: JSONValue = [
                "broker": .string(connection.brokerURL.absoluteString), "trust": .string(connection.trust.name),
                "certificate": certificate.map { .string($0.hex) } ?? .null,
                "server_id": pairing.map { .string("\($0.server.id)") } ?? .null,
                "server_pubkey": pairing.map { .string("\($0.server.publicKey)") } ?? .null,
                "device_id": pairing.map { .string("\($0.deviceID)") } ?? .null,
                "trusts_unproven_broker": .bool(connection.trustsUnprovenBroker),
            ]
            return Console.standard.line(line.compactText())
        }
        Console.standard.line(connection.brokerURL.absoluteString, .bold)
        Console.standard.line(
            "  certificate  \(certificate.map { "\($0)" } ?? connection.trust.words(connection.brokerURL))")
        Console.standard.line(
            "  broker       \(pairing.map { "\($0.server.id)" } ?? "not paired; uses the token for all unpaired phones")"
        )
        if let pairing { Console.standard.line("  this device  \(pairing.deviceID)") }
        if connection.trustsUnprovenBroker {
            Console.standard.line("  warning      gets the token without a proof (--trust-unproven-broker)", .bad)
        }
    }
}

extension CertificateTrust {
    fileprivate var name: String {
        switch self {
        case .authorities: "authorities"
        case .pinned: "pinned"
        case .firstUse: "first_use"
        }
    }

    fileprivate func words(_ broker: URL) -> String {
        if broker.scheme == "unix" { return "none: a socket of this machine, whose user the system names" }
        if broker.scheme == "http" { return "none: plain http, which does not leave this machine" }
        return self == .firstUse ? "the next one that the broker shows will be pinned" : "any that an authority signed"
    }
}

struct PhoneTrustResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Forget the broker's pinned certificate, after it was changed on purpose.",
        discussion: """
            The next contact pins the certificate that it sees, whichever server shows it. It is safer to name the \
            certificate: --certificate, with the output of countersign broker identity on the broker's machine.
            """)

    @OptionGroup var vault: VaultOptions

    @Option(help: ArgumentHelp("Pin this certificate, by its SHA-256.", valueName: "fingerprint"))
    var certificate: CertificateFingerprint?

    @Flag(help: "Do not ask.")
    var yes = false

    func run() async throws {
        try await vault.reportingFailures {
            let home = try vault.home.phone()
            if !yes {
                guard Asking.isPossible else {
                    throw CommandFailure("without a terminal, give --yes", status: 2)
                }
                let question =
                    certificate.map { "Trust \($0) as the broker's certificate?" }
                    ?? "Trust the certificate that the next contact shows, whichever it is?"
                guard Asking.yes(question) else { throw CommandFailure("nothing was changed") }
            }
            let verification = PassphraseVerification(try vault.passphrase())
            try await BrokerTrust.reset(to: certificate, in: home, with: verification)
            Console.standard.line(
                certificate == nil
                    ? "The next contact pins the broker's certificate again: countersign phone pending"
                    : "The broker's certificate is pinned.")
        }
    }
}
