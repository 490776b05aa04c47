import Files
import Foundation
import JSON
import Secrets

/// The file that says where the parts of a household on this machine are. `countersign up` writes it, and every command
/// reads it.
package struct HouseholdFile: Sendable, Equatable {
    /// The id of the bank's script.
    package var bankID: String
    /// The origin of the mock bank; nil for a real bank.
    package var mockBank: String?
    /// A folder with more scripts.
    package var scripts: String?
    package var phoneHome: URL
    package var pagePort: Int
    /// The https origin at which a proxy on this machine serves the page; nil without a proxy.
    package var proxiedPage: String?
    /// The host name under which the page answers on all networks, with a certificate of the household's own authority; nil
    /// for a page of this machine alone.
    package var pageHost: String?
    package var database: URL
    package var brokerPort: Int
    /// The file whose first line is the secret that seals the broker's database.
    package var sealingSecret: URL
    package var inbox: URL
    /// The file whose first line is the agent's token.
    package var agentToken: URL

    package init(
        bankID: String, mockBank: String? = nil, scripts: String? = nil, phoneHome: URL, pagePort: Int, database: URL,
        brokerPort: Int, sealingSecret: URL, inbox: URL, agentToken: URL
    ) {
        self.bankID = bankID
        self.mockBank = mockBank
        self.scripts = scripts
        self.phoneHome = phoneHome
        self.pagePort = pagePort
        self.database = database
        self.brokerPort = brokerPort
        self.sealingSecret = sealingSecret
        self.inbox = inbox
        self.agentToken = agentToken
    }

    package var brokerAddress: String { "http://127.0.0.1:\(brokerPort)" }

    /// The origin that browsers show for the approval page.
    package var pageOrigin: String {
        if let proxiedPage { return proxiedPage }
        return pageHost.map { "https://\($0):\(pagePort)" } ?? "http://localhost:\(pagePort)"
    }

    /// Returns the origin of the mock bank if this is the household's phone.
    package func mockBank(ofPhone home: URL) -> String? {
        home.standardizedFileURL.path == phoneHome.standardizedFileURL.path ? mockBank : nil
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
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw CommandFailure(
                "\(file.path) must be yours alone, because it says where your secrets are; run: chmod 600 \(file.path)",
                status: 2)
        }
        do {
            return try HouseholdFile(JSONReader.read(Data(contentsOf: file)))
        } catch {
            throw CommandFailure(
                "\(file.path) is not a household's file: \(error); correct it, or move it away and run countersign up",
                status: 2)
        }
    }

    package func write(to file: URL) throws {
        try PrivateFolder.make(file.deletingLastPathComponent())
        try AtomicFile.replaceUnderLock(bytes, to: file)
    }

    /// The content of the file.
    package var bytes: [UInt8] { json.compactBytes() + [0x0A] }

    /// Returns the household with its folder elsewhere. Parts that lie outside the old folder stay where they are.
    package func moved(to folder: URL) -> HouseholdFile {
        let old = agentToken.deletingLastPathComponent().standardizedFileURL.path
        func place(_ part: URL) -> URL {
            let path = part.standardizedFileURL.path
            guard path.hasPrefix(old + "/") else { return part }
            return folder.appending(path: String(path.dropFirst(old.count + 1)))
        }
        var household = self
        household.phoneHome = place(phoneHome)
        household.database = place(database)
        household.sealingSecret = place(sealingSecret)
        household.inbox = place(inbox)
        household.agentToken = place(agentToken)
        return household
    }

    private struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: an error that says which entry is missing or wrong.
    package init(_ json: JSONValue) throws {
        func text(_ path: String...) throws -> String {
            let value = path.reduce(json as JSONValue?) { $0?[$1] }?.stringValue
            guard let value, !value.isEmpty else {
                throw Missing(description: "\(path.joined(separator: ".")) is missing")
            }
            return value
        }
        func port(_ part: String) throws -> Int {
            guard let port = json[part]?["port"]?.intValue, (1...65_535).contains(port) else {
                throw Missing(description: "\(part).port must be 1 to 65535")
            }
            return port
        }
        guard json["version"]?.intValue == 1 else { throw Missing(description: "its version is not 1") }
        bankID = try text("bank", "id")
        mockBank = json["bank"]?["mock"]?.stringValue
        guard mockBank.map({ $0.wholeMatch(of: /http:\/\/127\.0\.0\.1:[0-9]{1,5}/) != nil }) ?? true else {
            throw Missing(description: "bank.mock is not on this machine")
        }
        scripts = json["bank"]?["scripts"]?.stringValue
        phoneHome = URL(filePath: try text("phone", "home"), directoryHint: .isDirectory)
        pagePort = try port("phone")
        proxiedPage = json["phone"]?["behind_proxy"]?.stringValue
        pageHost = json["phone"]?["host_name"]?.stringValue
        guard proxiedPage == nil || pageHost == nil else {
            throw Missing(description: "phone.behind_proxy and phone.host_name do not go together")
        }
        database = URL(filePath: try text("broker", "database"))
        brokerPort = try port("broker")
        sealingSecret = URL(filePath: try text("broker", "sealing_secret_file"))
        inbox = URL(filePath: try text("inbox"), directoryHint: .isDirectory)
        agentToken = URL(filePath: try text("agent", "token_file"))
    }

    private var json: JSONValue {
        var bank: [String: JSONValue] = ["id": .string(bankID)]
        bank["mock"] = mockBank.map(JSONValue.string)
        bank["scripts"] = scripts.map(JSONValue.string)
        var phone: [String: JSONValue] = ["home": .string(phoneHome.path), "port": .number(Double(pagePort))]
        phone["behind_proxy"] = proxiedPage.map(JSONValue.string)
        phone["host_name"] = pageHost.map(JSONValue.string)
        return [
            "version": 1, "bank": .object(bank),
            "phone": .object(phone),
            "broker": [
                "database": .string(database.path), "port": .number(Double(brokerPort)),
                "sealing_secret_file": .string(sealingSecret.path),
            ],
            "inbox": .string(inbox.path), "agent": ["token_file": .string(agentToken.path)],
        ]
    }

    // MARK: The broker's variables

    /// The variables of which any one says that the broker is configured by hand; see ``isOverridden(_:)``.
    private static let ownVariables = [
        "BROKER_DATABASE_PATH", "ICLOUD_INBOX_PATH", "BROKER_API_TOKEN", "PHONE_API_TOKEN", "BROKER_URL", "BROKER_HOST",
        "BROKER_PORT",
    ]

    /// Returns the environment with a service's credentials, and with the variables of the household's broker unless it
    /// configures a broker itself.
    ///
    /// - Throws: ``CommandFailure`` when the agent's token or the sealing secret cannot be read.
    package static func completing(
        _ environment: [String: String], with household: HouseholdFile? = current
    ) throws -> [String: String] {
        let environment = ServiceCredentials.completing(environment)
        guard let household, !isOverridden(environment) else { return environment }
        return try household.brokerVariables.merging(environment) { $1 }
    }

    /// Returns true when the environment configures a broker itself. The household's file then does not count for the
    /// broker.
    package static func isOverridden(_ environment: [String: String]) -> Bool {
        let environment = ServiceCredentials.completing(environment)
        return ownVariables.contains { !(environment[$0] ?? "").isEmpty }
    }

    private var brokerVariables: [String: String] {
        get throws {
            [
                "BROKER_DATABASE_PATH": database.path, "BROKER_PORT": "\(brokerPort)", "BROKER_HOST": "127.0.0.1",
                "ICLOUD_INBOX_PATH": inbox.path, "BROKER_DEFAULT_DEVICE": "off",
                "BROKER_API_TOKEN": try Asking.secret(inFile: agentToken.path).revealed(),
                "BROKER_SEALING_SECRET": try Asking.secret(inFile: sealingSecret.path).revealed(),
            ]
        }
    }
}
