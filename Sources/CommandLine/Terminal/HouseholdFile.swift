import Encodings
import Foundation
import Machine
import Secrets

/// The file that says where the parts of a household on this machine are. `countersign up` writes it, and every command
/// reads it.
///
/// A household has a broker and a phone. With two machines each has a file of its own, which names the one part that is
/// there.
package struct HouseholdFile: Sendable, Equatable {
    /// The phone with its approval page, and its bank.
    package struct Phone: Sendable, Equatable {
        /// The id of the bank's script.
        package var bankID: String
        /// The origin of the mock bank; nil for a real bank.
        package var mockBank: String?
        /// A folder with more scripts.
        package var scripts: String?
        /// A PEM file with an additional certificate authority of its banks; nil for the machine's alone.
        package var authority: URL?
        package var home: URL
        package var pagePort: Int
        /// The https origin at which a proxy on this machine serves the page; nil without a proxy.
        package var proxiedPage: String?
        /// The host name under which the page answers on all networks, with a certificate of the household's own authority;
        /// nil for a page of this machine alone.
        package var pageHost: String?
        /// The address of the broker on another machine; nil when the household has both parts here.
        package var brokerAddress: String?
        /// The ids of devices whose pairing with such a broker began, and did not come to its end. The broker may know them.
        package var pendingDevices: [String] = []
        /// True once the phone's vault was made. A vault that is missing then is away, and nothing is to be begun anew.
        package var wasSetUp = false

        package init(bankID: String, mockBank: String? = nil, scripts: String? = nil, home: URL, pagePort: Int) {
            self.bankID = bankID
            self.mockBank = mockBank
            self.scripts = scripts
            self.home = home
            self.pagePort = pagePort
        }

        /// The origin that browsers show for the approval page.
        package var pageOrigin: String {
            if let proxiedPage { return proxiedPage }
            return pageHost.map { "https://\($0):\(pagePort)" } ?? "http://localhost:\(pagePort)"
        }
    }

    /// The broker, and the token of the agent on its machine.
    package struct Broker: Sendable, Equatable {
        package var database: URL
        package var port: Int
        /// The file whose first line is the secret that seals the database.
        package var sealingSecret: URL
        /// The file whose first line is the agent's token.
        package var agentToken: URL
        /// The https origin at which a proxy on this machine serves the broker; nil without a proxy.
        package var proxied: String?
        /// The host name or IP address under which phones on other machines reach the broker; nil for a broker of this
        /// machine alone.
        package var hostName: String?
        /// The folder in which the documents are filed under readable names; nil for none.
        package var statements: URL?

        package init(database: URL, port: Int, sealingSecret: URL, agentToken: URL) {
            self.database = database
            self.port = port
            self.sealingSecret = sealingSecret
            self.agentToken = agentToken
        }

        /// The address for programs on this machine.
        package var address: String { "\(hostName == nil ? "http" : "https")://127.0.0.1:\(port)" }

        /// The socket at which the broker also listens, for programs of this user; nil where the path is too long for one.
        package var socket: ServedSocket? {
            let socket = ServedSocket(database.deletingLastPathComponent().appending(path: "broker.sock"))
            return socket.hasRoom ? socket : nil
        }

        /// The socket by the broker's addresses on this machine, in the place of which programs use it.
        package var sockets: [String: ServedSocket] {
            guard let socket else { return [:] }
            // Of a broker of this machine alone, the two are one.
            return Dictionary([address, endpoint].map { ($0, socket) }) { $1 }
        }

        /// The address for phones.
        package var endpoint: String {
            if let proxied { return proxied }
            guard let hostName else { return address }
            return "https://\(hostName.contains(":") ? "[\(hostName)]" : hostName):\(port)"
        }
    }

    /// Nil when the phone is on another machine.
    package var phone: Phone?
    /// Nil when the broker is on another machine.
    package var broker: Broker?
    /// The folder through which documents go from the phone to the broker.
    package var inbox: URL
    package var settings = HouseholdSettings()

    /// - Precondition: at least one part is here.
    package init(phone: Phone?, broker: Broker?, inbox: URL) {
        precondition(phone != nil || broker != nil, "a household has a part on this machine")
        self.phone = phone
        self.broker = broker
        self.inbox = inbox
    }

    /// Returns the origin of the mock bank if this is the household's phone.
    package func mockBank(ofPhone home: URL) -> String? {
        guard let phone, phone.isIn(home) else { return nil }
        return phone.mockBank
    }

    /// Returns the sockets of the household's broker if this is the household's phone; see ``Broker/sockets``.
    package func brokerSockets(ofPhone home: URL) -> [String: ServedSocket] {
        guard let phone, phone.isIn(home) else { return [:] }
        return broker?.sockets ?? [:]
    }

    /// Returns the additional certificate authority of the banks if this is the household's phone.
    package func authority(ofPhone home: URL) -> URL? {
        guard let phone, phone.isIn(home) else { return nil }
        return phone.authority
    }

    /// Says that the broker is on the other machine.
    package var lacksBroker: CommandFailure {
        let place = phone?.brokerAddress.map { ", at \($0)" } ?? ""
        return CommandFailure(
            "this household's broker is on another machine\(place); run the command there, or name a broker with "
                + "BROKER_URL or BROKER_DATABASE_PATH", status: 2)
    }

    /// Says that the phone is on the other machine.
    package var lacksPhone: CommandFailure {
        CommandFailure(
            "this household's phone is on another machine; run the command there, or name a phone's folder with --home",
            status: 2)
    }

    // MARK: Its place

    /// Returns the file's place: `COUNTERSIGN_CONFIG`, else `countersign/config.json` in the user's configuration folder
    /// (XDG Base Directory Specification).
    package static func place(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> URL {
        if let path = environment["COUNTERSIGN_CONFIG"], !path.isEmpty {
            return URL(filePath: TypedPath.expanded(path))
        }
        return folder("XDG_CONFIG_HOME", else: "~/.config", environment).appending(path: "config.json")
    }

    /// Returns the folder for a household's data: the one of `COUNTERSIGN_CONFIG`, else `countersign` in the user's data
    /// folder.
    package static func dataFolder(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> URL {
        if let path = environment["COUNTERSIGN_CONFIG"], !path.isEmpty {
            return URL(filePath: TypedPath.expanded(path)).deletingLastPathComponent()
        }
        return folder("XDG_DATA_HOME", else: "~/.local/share", environment)
    }

    private static func folder(_ variable: String, else path: String, _ environment: [String: String]) -> URL {
        // A relative path is ignored, as the specification asks.
        let base = environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? TypedPath.expanded(path)
        return URL(filePath: base, directoryHint: .isDirectory).appending(path: "countersign").standardizedFileURL
    }

    // MARK: Reading and writing

    /// The household of the user who runs the program; nil without a file, or when it cannot be used.
    package static let current: HouseholdFile? = try? read(place())

    /// Reads a household's file.
    ///
    /// - Returns: nil when the file does not exist.
    /// - Throws: ``CommandFailure`` when it is not a household's file, or other users can read or change it.
    package static func read(_ file: URL) throws(CommandFailure) -> HouseholdFile? {
        var status = stat()
        guard stat(file.path, &status) == 0 else {
            guard errno == ENOENT, lstat(file.path, &status) != 0 else {
                throw CommandFailure(
                    "\(file.path) cannot be read; correct it, or move it away and run countersign up", status: 2)
            }
            return nil
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure("\(file.path) is not a file; move it away and run countersign up", status: 2)
        }
        let opened: OpenedFile
        do {
            opened = try OpenedFile(file, links: .followed)
        } catch {
            throw CommandFailure("\(error); correct it, or move it away and run countersign up", status: 2)
        }
        guard opened.isPrivate else {
            throw CommandFailure(
                "\(file.path) must be yours alone, because it says where your secrets are; run: chmod 600 \(file.path)",
                status: 2)
        }
        do {
            return try HouseholdFile(JSONReader.read(opened.bytes(atMost: 1 << 20)))
        } catch {
            throw CommandFailure(
                "\(file.path) is not a household's file: \(error); correct it, or move it away and run countersign up",
                status: 2)
        }
    }

    /// Writes the file. What the owner has chosen stays as it is there, the settings and the folder of statements: a command may
    /// have changed it since this household was read.
    package func write(to file: URL) throws {
        let lock = try Self.lock(file)
        defer { withExtendedLifetime(lock) {} }
        var written = self
        if let kept = try Self.read(file) {
            written.settings = kept.settings
            if kept.broker != nil { written.broker?.statements = kept.broker?.statements }
        }
        try written.replace(file)
    }

    /// Changes a household's file as it is now, so that what another program changes at the same time stays. Without a file
    /// there is nothing to change.
    ///
    /// - Throws: ``CommandFailure`` or `FileError` when the file cannot be read or written.
    static func change(_ file: URL, _ change: (inout HouseholdFile) -> Void) throws {
        // A lock would make the folder.
        guard try read(file) != nil else { return }
        let lock = try lock(file)
        defer { withExtendedLifetime(lock) {} }
        guard let before = try read(file) else { return }
        var after = before
        change(&after)
        if after != before { try after.replace(file) }
    }

    /// Keeps other programs from changing a household's file until the lock is released.
    ///
    /// - Throws: ``CommandFailure`` when another program has the file for long.
    package static func lock(_ file: URL) throws -> FileLock {
        try PrivateFolder.make(file.deletingLastPathComponent())
        guard let lock = try FileLock(URL(filePath: file.path + ".lock"), patience: .seconds(20)) else {
            throw CommandFailure("another program is changing \(file.path); wait until it is done, and try again")
        }
        return lock
    }

    /// Writes the file as it is to be. The caller has the ``lock(_:)``, and has read the file under it.
    package func replace(_ file: URL) throws {
        let folder = file.deletingLastPathComponent()
        try PrivateFolder.make(folder)
        try PrivateFolder.checkWritable(folder)
        try AtomicFile.replaceUnderLock(bytes, to: file)
    }

    /// The household's folder below its user's home, unless a variable names another.
    private static let usualFolder = "/.local/share/countersign"

    /// Returns the household with its folder elsewhere. Where both folders are the usual ones of two homes, folders of the old home
    /// are in the new one: a user name may differ from machine to machine. What lies elsewhere stays where it is.
    package func moved(to folder: URL) -> HouseholdFile {
        // Each part lies in the household's folder: the token by itself, and the phone's home.
        guard let part = broker?.agentToken ?? phone?.home else { return self }
        let old = part.deletingLastPathComponent().standardizedFileURL.path
        let new = folder.standardizedFileURL.path
        var places = [(old, folder)]
        if old.hasSuffix(Self.usualFolder), new.hasSuffix(Self.usualFolder) {
            let homes = [old, new].map { String($0.dropLast(Self.usualFolder.count)) }
            places.append((homes[0], URL(filePath: homes[1], directoryHint: .isDirectory)))
        }
        func place(_ part: URL) -> URL {
            let path = part.standardizedFileURL.path
            for (from, to) in places where path.hasPrefix(from + "/") {
                return to.appending(
                    path: String(path.dropFirst(from.count + 1)),
                    directoryHint: part.hasDirectoryPath ? .isDirectory : .notDirectory)
            }
            return part
        }
        var household = self
        household.inbox = place(inbox)
        household.settings = settings.moving(place)
        if let phone {
            household.phone?.home = place(phone.home)
            household.phone?.authority = phone.authority.map(place)
            household.phone?.scripts = phone.scripts.map { place(URL(filePath: $0)).path }
            // A vault is in no backup of a broker: here another phone is still to be set up.
            household.phone?.wasSetUp = false
        }
        if let broker {
            household.broker?.database = place(broker.database)
            household.broker?.sealingSecret = place(broker.sealingSecret)
            household.broker?.agentToken = place(broker.agentToken)
            household.broker?.statements = broker.statements.map(place)
        }
        return household
    }
}
