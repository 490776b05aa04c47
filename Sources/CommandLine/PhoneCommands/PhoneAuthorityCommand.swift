import ApprovalPage
import ArgumentParser
import Encodings
import Foundation
import HouseholdCommands
import Machine
import Phone
import PhoneStore
import QRCode
import Secrets
import Storage
import Terminal
import WebURL

struct PhoneAuthorityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authority", abstract: "Show or change the authority that devices trust for the approval page.",
        discussion: """
            The authority issues the certificate of the approval page, and its name constraints let it speak for the page's \
            host name only. Each name has its own authority.
            """,
        subcommands: [PhoneAuthorityShowCommand.self, PhoneAuthorityRotateCommand.self],
        defaultSubcommand: PhoneAuthorityShowCommand.self)
}

/// The host name whose authority a command is about.
struct AuthorityOptions: ParsableArguments {
    @OptionGroup var home: HomeOption

    @Option(help: "The host name by which browsers reach the page.")
    var hostName: String?

    /// Returns the name that is given, or the only one for which the phone has an authority.
    func name(in home: PhoneHome) throws -> String {
        if let hostName { return hostName }
        let names = PageAuthority.hostNames(in: home.folder)
        guard let only = names.first else {
            throw CommandFailure(
                "this phone has no authority yet; countersign phone serve --tls makes one, and so does "
                    + "countersign phone authority --host-name NAME")
        }
        guard names.count == 1 else {
            throw CommandFailure("this phone has several; give --host-name, one of: \(names.joined(separator: ", "))")
        }
        return only
    }
}

struct PhoneAuthorityShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the authority, its fingerprint and its files.",
        discussion: """
            The page at /trust installs the authority on a device; compare the fingerprint there with this one.

            --host-name makes an authority for that name if the phone has none, or one that is damaged or ends soon, and a \
            certificate, for example before a proxy on this machine uses both.
            """)

    @OptionGroup var authority: AuthorityOptions

    @Option(help: ArgumentHelp("Write a profile for iPhone, iPad and Mac into this file.", valueName: "file"))
    var profile: String?

    @Option(help: ArgumentHelp("Write the authority's certificate into this file (DER).", valueName: "file"))
    var certificate: String?

    @Flag(help: "Show the address of the open page's /trust as a QR code.")
    var qr = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let home = try self.authority.home.phone()
            let origin = home.isPageOpen ? try await PhoneDatabase(home).openPage() : nil
            let own = try await own(in: home, whosePageIsAt: origin)
            let authority = own.authority
            let page = origin.map { $0 + "/trust" }
            if let profile { try AtomicFile.write(TrustProfile(authority).bytes, to: URL(filePath: profile)) }
            if let certificate { try AtomicFile.write(authority.der, to: URL(filePath: certificate)) }
            if json {
                let line: JSONValue = [
                    "host_name": .string(authority.hostName), "version": .number(Double(authority.version)),
                    "sha256": .string(authority.fingerprint),
                    "certificate": .string(own.file.path), "key": .string(own.keyFile.path),
                    "trust_page": page.map(JSONValue.string) ?? .null,
                ]
                return Console.standard.line(line.compactText())
            }
            Console.standard.line("Authority for \(authority.hostName)", .bold)
            Console.standard.line("  version      \(authority.version)")
            Console.standard.line("  SHA-256      \(authority.fingerprint)")
            Console.standard.line("  certificate  \(own.file.path)")
            Console.standard.line("  its key      \(own.keyFile.path)")
            if let page { Console.standard.line("  trust it at  \(page)") }
            guard qr else { return }
            guard let page else {
                throw CommandFailure("the approval page is not open; run: \(self.authority.home.startCommand)")
            }
            Console.standard.disclose(try QRSymbol(Secret(page)).terminalText)
        }
    }

    /// - Parameter origin: of the open page; nil when none is open.
    private func own(in home: PhoneHome, whosePageIsAt origin: String?) async throws -> OwnCertificate {
        let name = try authority.name(in: home)
        try PageServerConfiguration(
            hostName: name, address: PageServerConfiguration.everyNetwork, security: .ownAuthority
        ).check()
        // The open page has made the certificate of its own name, and renews it.
        if let origin, (try? Origin(parsing: origin))?.host.description == name,
            let own = try OwnCertificate.kept(in: home, for: name)
        {
            return own
        }
        let lock = try home.claimPage()
        defer { withExtendedLifetime(lock) {} }
        let own = try OwnCertificate(in: home, for: name)
        // An authority that is damaged or ends soon was replaced, which no later start of the page would tell.
        if own.isNew, own.authority.version > 1 {
            try await PhoneDatabase(home).audit.record(own.authority.replacement)
            Console.standard.error(own.authority.firstNotice(at: "https://\(name)"))
        }
        return own
    }
}
