import ApprovalPage
import ArgumentParser
import Encodings
import HouseholdCommands
import Phone
import PhoneStore
import Storage
import Terminal

struct PhoneAuthorityRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Give the page an authority with another key, which devices have to trust anew.",
        discussion: """
            Do this when another person may have the authority's key, for example from a stolen disk or a copy of the phone's folder. \
            The earlier key is deleted here, but a device goes on trusting the earlier authority until you remove it there, \
            and its thief can imitate the page for that device until then.

            Passkeys, known browsers, paired devices and the vault stay as they are, and so do the authorities of other host \
            names. Browsers warn of the page until they trust the new authority: the page's /trust installs it. A proxy that \
            uses the certificate has to read it again. Stop the page first.
            """)

    @OptionGroup var authority: AuthorityOptions

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let home = try authority.home.phone()
            let name = try authority.name(in: home)
            let lock = try home.claimClosedPage()
            defer { withExtendedLifetime(lock) {} }
            guard let earlier = PageAuthority.kept(in: home.folder, for: name) else {
                throw CommandFailure(
                    "this phone has no authority for \(name) that could be replaced; the next start of the page makes one"
                )
            }
            if !yes { try Asking.confirmChange("Each device has to trust the next authority of \(name) anew. Go on?") }
            let next = try OwnCertificate.replace(in: home, for: name)
            try await PhoneDatabase(home).audit.record(next.authority.replacement)
            show(next, insteadOf: earlier)
        }
    }

    private func show(_ next: OwnCertificate, insteadOf earlier: PageAuthority) {
        let authority = next.authority
        if json {
            let line: JSONValue = [
                "host_name": .string(authority.hostName), "version": .number(Double(authority.version)),
                "sha256": .string(authority.fingerprint), "earlier_sha256": .string(earlier.fingerprint),
                "certificate": .string(next.file.path), "key": .string(next.keyFile.path),
            ]
            return Console.standard.line(line.compactText())
        }
        Console.standard.line("The authority for \(authority.hostName) is version \(authority.version) now.", .good)
        Console.standard.line("  SHA-256      \(authority.fingerprint)")
        Console.standard.line("  before       \(earlier.fingerprint)")
        Console.standard.line("On each device: remove “\(earlier.name)”, then open the page's /trust.")
        Console.standard.line("To start the page: \(self.authority.home.startCommand)")
    }
}
