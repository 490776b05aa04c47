import ApprovalPage
import ArgumentParser
import HouseholdCommands
import Phone
import PhoneStore
import QRCode
import Storage
import Terminal

struct PhoneAddressCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "address", abstract: "Print an address that opens the approval page in another browser.",
        discussion: """
            The page has to be open: countersign phone serve. The address holds a code that works once, within 15 minutes. \
            The browser that opens it still needs the passphrase or a passkey.
            """)

    @OptionGroup var home: HomeOption

    @Flag(help: "Show the address as a QR code too, for a telephone's camera.")
    var qr = false

    func run() async throws {
        try await reportingFailures {
            let home = try home.phone()
            let store = try PhoneDatabase(home)
            guard home.isPageOpen, let origin = try await store.openPage() else {
                throw CommandFailure("the approval page is not open; run: \(self.home.startCommand)")
            }
            let code = try await store.makeTerminalCode(for: .openPage, lifetime: PageServer.codeLifetime)
            try await store.audit.record(AuditEvent(.pageAddressShown))
            let address = OpenedPage.address(at: origin, with: code.text)
            if qr { Console.standard.disclose(try QRSymbol(address).terminalText) }
            Console.standard.disclose(address.revealed() + "\n")
        }
    }
}
