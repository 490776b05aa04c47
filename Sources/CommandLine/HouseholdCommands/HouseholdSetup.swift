import Automation
import BankScript
import Broker
import DefaultBank
import DeviceTrust
import Encodings
import Foundation
import KeyVault
import Machine
import MockBank
import Phone
import ReadyBanks
import ScriptCommands
import Secrets
import Terminal

/// Makes a household on this machine: its folders, its file, the agent's token, and the answers for the phone's vault.
struct HouseholdSetup {
    /// The id by which `countersign up` knows the bundled mock bank.
    static let mockBank = "mock"

    let file: URL
    let folder: URL
    var bank: String?
    var inbox: String?
    var statements: String?
    var credentials: String?
    var passphraseFile: String?
    var scripts: ScriptFolderOptions
    /// Keeps the ports of a new household until its parts listen.
    var ports = PortReservation()

    /// The contents of the phone's vault, and its passphrase.
    struct Answers {
        var credentials: [String: Secret]
        var passphrase: Secret
        /// The scripts of the phone's banks.
        var scripts: ScriptRegistry
    }

    private var database: URL { folder.appending(path: "broker/broker.sqlite") }
    private var phoneHome: URL { folder.appending(path: "phone", directoryHint: .isDirectory) }

    /// The file with the passphrase of a mock household's vault.
    static func passphraseFile(in folder: URL) -> URL { folder.appending(path: "passphrase") }

    /// The parts of a household that this machine gets.
    enum Parts: Sendable {
        case both, broker, phone
    }

    /// Makes the folders, the token and the file.
    mutating func make(_ parts: Parts) async throws -> HouseholdFile {
        let bank = parts == .broker ? nil : try await chosenBank()
        try refuseForeignParts()
        let inbox = try chosenInbox() ?? folder.appending(path: "inbox", directoryHint: .isDirectory)
        let statements =
            parts == .phone
            ? nil
            : try HouseholdStatements(typed: statements, dataFolder: folder)
                .chosen(isTrial: bank == Self.mockBank, inbox: inbox)
        let missing = (Self.parts + ["agent.token"]).map { folder.appending(path: $0) }
            .filter { !FileManager.default.fileExists(atPath: $0.path) }
        do {
            return try makeParts(parts, of: bank, inbox, statements)
        } catch {
            // The next start would take them for another's.
            for part in missing { try? FileManager.default.removeItem(at: part) }
            throw error
        }
    }

    private func makeParts(
        _ parts: Parts, of bank: String?, _ inbox: URL, _ statements: URL?
    ) throws -> HouseholdFile {
        for folder in [folder, folder.appending(path: "logs"), inbox] { try PrivateFolder.make(folder) }
        let ports = try ports.choose(preferring: HouseholdPorts.usual, else: HouseholdPorts.tried(for: self.folder))
        let phone = try bank.map { try makePhone($0, pagePort: ports[1], mockPort: ports[2]) }
        var household = HouseholdFile(
            phone: phone, broker: parts != .phone ? try makeBroker(port: ports[0]) : nil, inbox: inbox)
        household.broker?.statements = statements
        try household.write(to: file)
        return household
    }

    /// Returns a household whose phone has no vault yet with the folders of this start, and writes its file.
    ///
    /// A household that comes from a backup has a phone whose script was accepted on another machine.
    mutating func remake(_ known: HouseholdFile) async throws -> HouseholdFile {
        var household = known
        if let phone = known.phone, phone.mockBank == nil {
            _ = try await checked(phone.bankID, try scripts.registry(home: phone.home))
        }
        if let inbox = try chosenInbox() { household.inbox = inbox }
        if let scripts = scripts.scripts { household.phone?.scripts = Self.folder(typed: scripts).path }
        guard household != known else { return known }
        try PrivateFolder.make(household.inbox)
        try household.write(to: file)
        return household
    }

    /// Makes those folders of a household that are its own and missing, as after a backup was restored. Another folder that
    /// has vanished may be on a disk that is not there now.
    static func makeFolders(of household: HouseholdFile, in folder: URL) throws {
        let inbox = household.inbox.path.isInside(folder) ? [household.inbox] : []
        for place in [folder.appending(path: "logs")] + inbox + (household.phone.map { [$0.home] } ?? []) {
            try PrivateFolder.make(place)
        }
    }

    /// Returns the folder of `--inbox`; nil without the option.
    private func chosenInbox() throws -> URL? {
        guard let inbox = inbox.map(Self.folder(typed:)) else { return nil }
        try Self.refuseFile(inbox, for: "the inbox")
        for part in Self.parts where inbox.path.isInside(folder.appending(path: part)) {
            throw CommandFailure(
                "the inbox cannot be inside \(part), which --remove deletes; name another folder", status: 2)
        }
        return inbox
    }

    /// Refuses a path at which a file lies.
    ///
    /// - Throws: ``CommandFailure`` with status 2.
    static func refuseFile(_ folder: URL, for purpose: String) throws(CommandFailure) {
        var isFolder: ObjCBool = true
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), !isFolder.boolValue else {
            return
        }
        throw CommandFailure("\(folder.path) is a file, but \(purpose) needs a folder; name another one", status: 2)
    }

    /// Returns the folder that a person names by a path, which can begin with `~` or be relative.
    static func folder(typed path: String) -> URL {
        URL(filePath: TypedPath.expanded(path), directoryHint: .isDirectory).standardizedFileURL
    }

    private func makePhone(_ bank: String, pagePort: Int, mockPort: Int) throws -> HouseholdFile.Phone {
        try PrivateFolder.make(phoneHome)
        let isMock = bank == Self.mockBank
        return HouseholdFile.Phone(
            bankID: isMock ? MeridianSavings.bankID : bank, mockBank: isMock ? "http://127.0.0.1:\(mockPort)" : nil,
            scripts: scripts.folderPath.map { Self.folder(typed: $0).path }, home: phoneHome, pagePort: pagePort)
    }

    private func makeBroker(port: Int) throws -> HouseholdFile.Broker {
        try PrivateFolder.make(folder.appending(path: "broker"))
        let token = folder.appending(path: "agent.token")
        let sealing = folder.appending(path: "broker/database.secret")
        for file in [token, sealing] where !FileManager.default.fileExists(atPath: file.path) {
            try Self.write(Self.randomSecret(), to: file)
        }
        return HouseholdFile.Broker(
            database: database, port: port, sealingSecret: sealing, agentToken: token)
    }

    /// The folders that a household makes, and that its removal deletes.
    static let parts = ["phone", "broker", "logs"]

    /// Refuses a folder that holds something already: its removal would delete what another program or person put there, and
    /// files that others planted would be trusted.
    private func refuseForeignParts() throws {
        // Earlier versions left the statements of a removed household in the broker's folder.
        if Self.names(in: database.deletingLastPathComponent()) == ["statements"] {
            _ = try KeptStatements(dataFolder: folder).take(besideDatabase: database)
        }
        for name in Self.parts + ["agent.token", "passphrase"] {
            let path = folder.appending(path: name).path
            var status = stat()
            guard lstat(path, &status) != 0 || holdsAcceptanceAlone(path) else {
                throw CommandFailure(
                    "\(path) exists already, and no household's file says that it belongs to one; move it away, or put "
                        + "\(file.path) back")
            }
        }
    }

    /// True for a folder in which only the acceptance of a script lies, which a person gives before the first start.
    private func holdsAcceptanceAlone(_ path: String) -> Bool {
        Self.names(in: URL(filePath: path, directoryHint: .isDirectory)) == [AcceptedScripts.fileName]
    }

    /// Returns the names in a folder; none for a link to one.
    private static func names(in folder: URL) -> [String] {
        var status = stat()
        guard lstat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return [] }
        return (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    }

    private mutating func chosenBank() async throws -> String {
        try takeOverAcceptances()
        let registry = try scripts.registry(home: phoneHome)
        if let bank { return try await checked(bank, registry) }
        let ready = self.ready(registry)
        let offered = Self.offered(registry)
        let unread = try self.unread(registry)
        guard Asking.isPossible else {
            throw CommandFailure("without a terminal, give --bank: \(Self.mockBank), or the id of a script", status: 2)
        }
        Console.standard.line("Which bank?")
        for (number, script) in offered.enumerated() {
            Console.standard.line("  \(number + 1)  \(script.name), \(script.origins.joined(separator: ", "))")
        }
        for (number, script) in unread.enumerated() {
            let name = "\(script.name), \(script.origins.joined(separator: ", "))"
            Console.standard.line("  \(offered.count + number + 1)  \(name); you read its script first")
        }
        for (number, bank) in ready.enumerated() {
            let name = try bank.script().name
            Console.standard.line(
                "  \(offered.count + unread.count + number + 1)  \(name) (\(bank.place)), by its own interface; you read its script first"
            )
        }
        let banks = (offered + unread).map(\.id) + ready.map(\.id)
        let last = banks.count + 1
        Console.standard.line("  \(last)  the bundled mock bank, to try things")
        for words in try notOffered(registry) { Console.standard.paragraph(words, .bad) }
        if offered.isEmpty && unread.isEmpty && scripts.folderPath == nil {
            Console.standard.paragraph(
                "For a bank of your own, stop here with Ctrl-C and give --scripts with the folder of its script.",
                .faint)
        }
        let chosen = Asking.valid("A number from 1 to \(last):") { answer throws(CommandFailure) in
            guard let number = Int(answer.trimmingCharacters(in: .whitespaces)), (1...last).contains(number) else {
                throw CommandFailure("the answer must be a number from 1 to \(last)")
            }
            return number
        }
        guard let chosen else { throw CommandFailure("no bank was chosen; nothing was written") }
        return chosen == last ? Self.mockBank : try await checked(banks[chosen - 1], registry)
    }

    /// Accepts the folder's scripts that the person accepted before there was a household: `script accept` knows the usual folder
    /// of phones alone then.
    private func takeOverAcceptances() throws {
        for id in try Set(scripts.registry(home: phoneHome).refusals.compactMap(\.bankID)) {
            guard let script = try scripts.script(ofBank: id) else { continue }
            try ScriptAcceptance(of: script, home: phoneHome).takeOver(from: HomeOption.standard)
        }
    }

    /// Returns the scripts of the folder that the person has not accepted yet.
    private func unread(_ registry: ScriptRegistry) throws -> [BankScript] {
        try Set(registry.refusals.compactMap(\.bankID)).sorted().compactMap { id in
            guard let script = try scripts.script(ofBank: id), !script.isForTesting,
                try !ScriptAcceptance(of: script, home: phoneHome).isGiven
            else { return nil }
            return script
        }
    }

    /// Says which files of the folder no household can use, and why: their owner looks for them in the list.
    func notOffered(_ registry: ScriptRegistry) throws -> [String] {
        let broken = registry.refusals.filter { $0.bankID == nil }.map { file in
            "Not offered: \(file.file) is not a valid script. Look with: countersign script lint \(file.file)"
        }
        let ids = Set(registry.refusals.compactMap(\.bankID) + registry.all.map(\.id)).sorted()
        let testing = try ids.filter { try scripts.script(ofBank: $0)?.isForTesting == true }.map { id in
            "Not offered: \(Self.forTesting(id).message)."
        }
        return broken + testing
    }

    /// Returns the ready banks for which the folder has no script.
    private func ready(_ registry: ScriptRegistry) -> [ReadyBank] {
        ReadyBank.all.filter { registry.script(forBank: $0.id) == nil && registry.refusal(forBank: $0.id) == nil }
    }

    /// Writes a ready bank's script into the folder of scripts, and says what to do at the provider first.
    private mutating func place(_ ready: ReadyBank) throws {
        let place =
            scripts.folderPath.map(Self.folder(typed:))
            ?? folder.appending(path: "scripts", directoryHint: .isDirectory)
        try PrivateFolder.make(place)
        let file = place.appending(path: ready.fileName)
        if !FileManager.default.fileExists(atPath: file.path) {
            try AtomicFile.write(Array(ready.text.utf8), toNew: file)
        }
        scripts.scripts = place.path
        Console.standard.line("Before you go on:")
        for (number, line) in ready.preparations.enumerated() { Console.standard.line("  \(number + 1). \(line)") }
        Console.standard.line("  The guide: bank-\(ready.id).md in the documentation", .faint)
    }

    /// Returns the scripts of real banks. The bank that ships is a fiction without customers.
    private static func offered(_ registry: ScriptRegistry) -> [BankScript] {
        registry.all.filter { !$0.isForTesting && !$0.isOfFictitiousBank }
    }

    /// Checks that a phone can use the script of a bank that was named.
    private mutating func checked(_ bank: String, _ registry: ScriptRegistry) async throws -> String {
        if let refusal = registry.refusal(forBank: bank) {
            if let script = try scripts.script(ofBank: bank), script.isForTesting { throw Self.forTesting(bank) }
            if Asking.isPossible, let script = try unread(registry).first(where: { $0.digest == refusal.digest }) {
                try await ScriptAcceptance(of: script, home: phoneHome).perform()
                return try await checked(bank, try scripts.registry(home: phoneHome))
            }
            guard refusal.digest != nil else { throw CommandFailure(refusal.message, status: 2) }
            throw CommandFailure(
                "the script \(refusal.file) is not accepted yet; read it, then: countersign script accept \(refusal.file)",
                status: 2)
        }
        if bank == Self.mockBank { return bank }
        if let ready = ready(registry).first(where: { $0.id == bank }) {
            try place(ready)
            return try await checked(bank, try scripts.registry(home: phoneHome))
        }
        guard let script = registry.script(forBank: bank) else {
            throw try unknown(bank, registry)
        }
        // Before anything is made for it.
        guard credentials != nil || !script.isOfFictitiousBank else { throw ScriptFolderOptions.fiction(bank) }
        guard !script.isForTesting else { throw Self.forTesting(bank) }
        return bank
    }

    private static func forTesting(_ bank: String) -> CommandFailure {
        CommandFailure(
            "the script of “\(bank)” is for testing (testing: true), so no household uses it; when its origins are the "
                + "bank's, leave that line out and accept the script again", status: 2)
    }

    /// Says which banks there are, and which files of the folder are not scripts as they stand.
    private func unknown(_ bank: String, _ registry: ScriptRegistry) throws -> CommandFailure {
        let broken = registry.refusals.filter { $0.bankID == nil }
        if let file = broken.first {
            return CommandFailure(
                "no valid script is for a bank “\(bank)”. Not used: \(file.message)\nCorrect it, and look with: countersign "
                    + "script lint \(file.file)", status: 2)
        }
        let ids = try Self.offered(registry).map(\.id) + unread(registry).map(\.id) + [Self.mockBank]
        let ready = self.ready(registry).map(\.id)
        let meant = nearest(to: bank, among: ids + ready).map { "; did you mean \($0)?" } ?? ""
        return CommandFailure(
            "no script is for a bank “\(bank)”\(meant.isEmpty ? "; choose" : meant + " Choose") one of "
                + "\(ids.joined(separator: ", ")), or a ready bank (\(ready.joined(separator: ", "))), or give --scripts with the "
                + "folder of its script. A script can be drafted with: countersign script new", status: 2)
    }

    // MARK: The vault

    /// Asks for the bank's credentials and a passphrase. A mock household needs no answers: its passphrase is generated,
    /// and lies in a file.
    func answers(for phone: HouseholdFile.Phone) throws -> Answers {
        guard phone.mockBank != nil else {
            return Answers(
                credentials: try scripts.answers(forBank: phone.bankID, file: credentials),
                passphrase: try passphraseFile.map { try Asking.newPassphrase(inFile: $0) }
                    ?? newPassphrase(), scripts: try registry(of: phone))
        }
        let file = Self.passphraseFile(in: folder)
        if !FileManager.default.fileExists(atPath: file.path) { try Self.write(Self.threeWords(), to: file) }
        let mock = MockBankConfiguration()
        return Answers(
            credentials: try credentials.map { try scripts.answers(forBank: phone.bankID, file: $0) }
                ?? ["username": Secret(mock.username), "password": Secret(mock.password)],
            passphrase: try Asking.secret(inFile: file.path), scripts: try registry(of: phone))
    }

    /// Returns the scripts of a phone's banks. Those of a trial's are pointed at the mock bank.
    ///
    /// - Throws: ``CommandFailure`` when the folder of scripts cannot be read.
    func registry(of phone: HouseholdFile.Phone) throws -> ScriptRegistry {
        let registry = try scripts.registry(home: phone.home)
        return phone.mockBank.map { mock in registry.changing { $0.served(at: mock, isForTesting: true) } } ?? registry
    }

    private func newPassphrase() throws -> Secret {
        guard Asking.isPossible else {
            throw CommandFailure("without a terminal, give --credentials and --passphrase-file", status: 2)
        }
        return try Asking.newPassphrase("A passphrase for the vault")
    }

    private static func write(_ secret: Secret, to file: URL) throws {
        try AtomicFile.replaceUnderLock(secret.withUnsafeBytes { Array($0) } + [0x0A], to: file)
    }

    /// Returns a passphrase that a person can type on a telephone. It opens a trial alone, and lies in a file beside it.
    private static func threeWords() -> Secret {
        var generator = SystemRandomNumberGenerator()
        return Secret(ConfirmationWords.list.shuffled(using: &generator).prefix(3).joined(separator: "-"))
    }

    /// Returns 256 random bits in hex.
    private static func randomSecret() -> Secret {
        var generator = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef".utf8)
        return Secret(bytes: (0..<64).map { _ in digits.randomElement(using: &generator)! })
    }
}

extension String {
    /// True for the path of the folder itself, or of something in it.
    func isInside(_ folder: URL) -> Bool {
        let path = folder.standardizedFileURL.path
        return self == path || hasPrefix(path + "/")
    }
}

extension HouseholdFile.Phone {
    /// The home in which the vault is made. The passphrase of a trial with the mock bank lies in a file, so that it needs no
    /// scrypt that takes long; one that replaces it later does.
    var newHome: PhoneHome { PhoneHome(home, scrypt: mockBank == nil ? .standard : .forRandomKeys) }
}
