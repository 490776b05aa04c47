import ApprovalPage
import Automation
import BankScript
import CountersignPlugins
import Foundation
import HouseholdCommands
import Machine
import Phone
import ReadyBanks
import ScriptCommands
import Secrets
import Synchronization
import Terminal

/// The scripts of this phone, for its page, which adds a bank as `countersign banks add` does.
struct BanksOnPage: PageBanks {
    /// The phone's scripts as this process reads them.
    struct Reading: Sendable {
        /// Returns a script as this phone reaches its bank.
        let reached: @Sendable (BankScript) -> BankScript
        /// Returns the scripts that the phone serves now.
        let served: @Sendable () async throws -> ScriptRegistry
    }

    private let home: PhoneHome
    /// The path of `--scripts`; nil for the household's folder.
    private let given: String?
    /// The household's folder, where refused test logins are counted; nil for a phone by itself, which makes none.
    private let dataFolder: URL?
    private let settings: EngineSettings
    private let visit: SignInVisit?
    private let reading: Reading
    private let plugins: Plugins
    private let refused = RefusedCredentials()
    /// The folder is read by one at a time: each reading parses all of its scripts.
    private let readings = SerialQueue()

    /// - Parameters:
    ///   - settings: those of the phone's own visits, such as its certificate authority.
    ///   - visits: the program whose processes visit banks for runs, and so for test logins; nil where runs are made in this process.
    /// - Returns: nil when the phone has no folder for scripts.
    init?(
        of home: PhoneHome, given: String?, countingIn dataFolder: URL?, _ settings: EngineSettings = EngineSettings(),
        visits: VisitProgram?, _ plugins: Plugins = .current, reading: Reading
    ) {
        guard (try? BankScriptFolder(given: given, of: home, plugins)) != nil else { return nil }
        self.home = home
        self.given = given
        self.dataFolder = dataFolder
        self.settings = settings
        visit = visits.map { SignInVisit($0, downloads: home.downloads) }
        self.plugins = plugins
        self.reading = reading
    }

    /// The credentials that banks have refused, so that they are not sent again. They end with this process, with a sign-out and
    /// after a day: a digest of them would be something that is made of them.
    private final class RefusedCredentials: Sendable {
        private struct Refusal {
            let bankID: String
            let credentials: [String: Secret]
            let end: ContinuousClock.Instant
        }

        /// The most that are kept, of all banks together. The oldest ones make room.
        private static let most = 16
        private static let lifetime: Duration = .seconds(86_400)

        private let known = Mutex<[Refusal]>([])

        func hold(_ credentials: [String: Secret], of bankID: String) -> Bool {
            known.withLock { known in
                known.removeAll { $0.end <= .now }
                return known.contains { $0.bankID == bankID && TestLogin.areSame($0.credentials, credentials) }
            }
        }

        func add(_ credentials: [String: Secret], of bankID: String) {
            known.withLock { known in
                known.removeAll { $0.end <= .now }
                known.append(Refusal(bankID: bankID, credentials: credentials, end: .now + Self.lifetime))
                if known.count > Self.most { known.removeFirst(known.count - Self.most) }
            }
        }

        func forget(bank bankID: String) { known.withLock { $0.removeAll { $0.bankID == bankID } } }

        func forgetAll() { known.withLock { $0 = [] } }
    }

    /// The folder as it is now: another program of the household may have named another one.
    private func folder() throws -> BankScriptFolder { try BankScriptFolder(given: given, of: home, plugins) }

    // MARK: Choosing

    private static let ofBank = "bank:"
    private static let ofCollection = "collection:"

    func scriptsAtHand(besides stored: Set<String>) async throws -> ScriptsAtHand {
        do {
            let folder = try folder()
            let home = home.folder
            let (own, collected) = try await readings.run {
                let own = try await BlockingWork.run { try folder.scriptsAtHand }
                return (own, try await CollectedScripts(home: home).all)
            }
            var scripts = own.filter { !stored.contains($0.script.id) }.map { placed in
                ScriptAtHand(
                    key: Self.ofBank + placed.script.id, bankID: placed.script.id, name: placed.script.name,
                    kind: placed.isPluggedIn ? .pluggedIn : placed.isThere ? .inFolder : .ready)
            }
            // A longer list is one to search, as the command does.
            for listed in collected.near.prefix(Self.mostCollected) where !stored.contains(listed.bankID) {
                scripts.append(
                    ScriptAtHand(
                        key: "\(Self.ofCollection)\(listed.collection):\(listed.path)", bankID: listed.bankID,
                        name: listed.name, kind: .collected(in: listed.collection)))
            }
            let cut = collected.near.dropFirst(Self.mostCollected).map(\.collection)
            return ScriptsAtHand(
                scripts: scripts, distantCollections: Set(collected.far + cut).sorted())
        } catch let failure as CommandFailure {
            throw ScriptRefusal.hindered(failure.message)
        }
    }

    private static let mostCollected = 100

    // MARK: Reading

    /// A script with its place, and the vouches that came with it.
    private struct Found: Sendable {
        let placed: BankScriptFolder.Placed
        let vouches: ScriptAcceptance.VouchPlace
    }

    private func find(_ source: ScriptSource) async throws -> Found {
        switch source {
        case .text(let text): return try await found(inText: text, nil)
        case .atHand(let key) where key.hasPrefix(Self.ofBank):
            let id = String(key.dropFirst(Self.ofBank.count))
            return try await found(nil) { try $0.script(ofBank: id) }
        case .atHand(let key) where key.hasPrefix(Self.ofCollection):
            let parts = key.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3 else { throw CommandFailure("this script is not known here; choose another one") }
            let (text, vouches) = try await CollectedScripts(home: home.folder).read(parts[2], of: parts[1])
            return try await found(inText: text, vouches)
        case .atHand: throw CommandFailure("this script is not known here; choose another one")
        }
    }

    private func found(inText text: String, _ vouches: String?) async throws -> Found {
        do {
            return try await found(vouches) { try $0.script(inText: text) }
        } catch let other as BankScriptFolder.AnotherScript {
            throw ScriptRefusal.another(bankID: other.bankID, bank: other.bankName, file: other.path)
        } catch let failure as CommandFailure {
            throw ScriptRefusal.told(failure.message)
        }
    }

    private func found(
        _ vouches: String?, _ find: @escaping @Sendable (BankScriptFolder) throws -> BankScriptFolder.Placed
    ) async throws -> Found {
        let folder = try folder()
        let placed = try await readings.run { try await BlockingWork.run { try find(folder) } }
        guard !placed.script.isForTesting else { throw ScriptRefusal.forTesting(placed.script.name) }
        return Found(placed: placed, vouches: placed.isThere ? .besideScript : .given(vouches))
    }

    private func acceptance(of found: Found) -> ScriptAcceptance {
        ScriptAcceptance(of: found.placed.script, home: home.folder, vouches: found.vouches)
    }

    func read(_ source: ScriptSource) async throws -> ReadScript {
        do {
            let found = try await find(source)
            let script = found.placed.script
            let acceptance = acceptance(of: found)
            let lines = try acceptance.lines
            // What the policy forbids is said before anything is typed.
            if !found.placed.isPluggedIn {
                do {
                    try acceptance.checkVouches()
                } catch let failure as CommandFailure {
                    throw ScriptRefusal.told(failure.message)
                }
            }
            let ready = ReadyBank.all.first { $0.id == script.id && (try? $0.script())?.digest == script.digest }
            return ReadScript(
                source: source, script: script, lines: lines.map(Self.line), preparations: ready?.preparations ?? [],
                isPluggedIn: found.placed.isPluggedIn,
                offersTestLogin: dataFolder != nil && SignInTrial(reading.reached(script)) != nil,
                isInTrial: TrialPassphrase(ofPhoneIn: home.folder)?.exists == true)
        } catch let failure as CommandFailure {
            throw ScriptRefusal.hindered(failure.message)
        }
    }

    private static func line(_ line: StyledLine) -> ReadScript.Line {
        let weight: ReadScript.Line.Weight =
            switch line.style {
            case .plain: .plain
            case .bold: .strong
            case .faint: .faint
            case .good: .good
            case .bad: .bad
            }
        return ReadScript.Line(
            line.text, weight, isAboveValues: weight == .strong && line.text == ScriptDisclosure.headingOfValues)
    }

    // MARK: Adding

    func add(
        _ read: ReadScript, _ credentials: [String: Secret], to stored: CredentialVault,
        tryingWith person: (any HumanPrompt)?
    ) async throws -> AddedBank {
        do {
            let script = read.script
            let login = login(to: script, person)
            if login != nil {
                guard !refused.hold(credentials, of: script.id) else { throw CredentialsRefusal.refusedBefore }
                if let limit = try login?.limit { throw CredentialsRefusal(limit) }
            }
            let found = try await find(as: read)
            // What would fail afterwards fails before anything is accepted or sent.
            let before = try self.folder()
            try before.checkCanPlace(found.placed)
            try before.checkRefusals(ofBank: script.id)
            if !found.placed.isPluggedIn { try await accept(found, in: stored) }
            let known = try await tried(credentials, of: script, login)
            // The bank's questions take their time: the folder and the household's file may have changed.
            let placed = try await findAgain(read, signedIn: login != nil).placed
            try Task.checkCancellation()
            // From here on the addition comes to its end: one that was stopped half-way would be neither stored nor gone.
            let warning = try await Task { try await keep(credentials, placed, stored) }.value
            return AddedBank(known, warning: warning)
        } catch let failure as CommandFailure {
            throw ScriptRefusal.hindered(failure.message)
        } catch let limit as TestLogin.Limit {
            throw CredentialsRefusal(limit)
        }
    }

    /// Keeps a script and the credentials.
    ///
    /// - Returns: a failure that came after they were stored, in words; nil for none.
    private func keep(
        _ credentials: [String: Secret], _ placed: BankScriptFolder.Placed, _ stored: CredentialVault
    ) async throws -> String? {
        let folder = try folder()
        try folder.place(placed)
        do {
            try await stored.replace(credentials, forBank: placed.script.id)
        } catch {
            folder.takeBack(placed)
            throw error
        }
        refused.forget(bank: placed.script.id)
        return try await settle(placed, in: folder, stored)
    }

    /// Has the phone know what the bank refused, and the household the folder, once the credentials are stored.
    ///
    /// - Returns: what failed all the same, in words; nil if nothing did.
    /// - Throws: ``ScriptRefusal/uncounted(_:)`` once the credentials were removed again.
    private func settle(
        _ placed: BankScriptFolder.Placed, in folder: BankScriptFolder, _ stored: CredentialVault
    ) async throws -> String? {
        let id = placed.script.id
        do {
            try await folder.handOverRefusals(ofBank: id)
        } catch {
            // Without a hold, the next run would send what the bank may have refused.
            let words = Self.words(of: error)
            do {
                try await stored.removeAll(forBank: id)
            } catch {
                return "the phone does not know what the bank refused in test logins (\(words)), and the credentials "
                    + "could not be removed again: \(Self.words(of: error))"
            }
            folder.takeBack(placed)
            throw ScriptRefusal.uncounted(words)
        }
        do {
            try folder.remember(placed)
        } catch {
            return "the household's file could not be given the folder of scripts, \(folder.url.path): "
                + Self.words(of: error)
        }
        return nil
    }

    private static func words(of error: any Error) -> String { (error as? CommandFailure)?.message ?? "\(error)" }

    /// Returns the script that was read, if it is still the same.
    private func find(as read: ReadScript) async throws -> Found {
        let found = try await find(read.source)
        guard found.placed.script.digest == read.script.digest else { throw ScriptRefusal.changed }
        return found
    }

    /// Returns the script that was accepted, if it is still the same.
    private func findAgain(_ read: ReadScript, signedIn: Bool) async throws -> Found {
        do {
            return try await find(as: read)
        } catch ScriptRefusal.changed, ScriptRefusal.told, ScriptRefusal.another, ScriptRefusal.forTesting {
            throw ScriptRefusal.changedLater(signedIn: signedIn)
        }
    }

    /// Has the vault vouch for a script and accepts it, as far as neither was done before.
    private func accept(_ found: Found, in stored: CredentialVault) async throws {
        let acceptance = acceptance(of: found)
        try await acceptance.complete(in: stored.secrets) { try await acceptance.accept() }
    }

    private func login(to script: BankScript, _ person: (any HumanPrompt)?) -> TestLogin? {
        guard let dataFolder, let person else { return nil }
        return TestLogin(of: reading.reached(script), dataFolder: dataFolder, settings, in: visit, person: person)
    }

    private func tried(
        _ credentials: [String: Secret], of script: BankScript, _ login: TestLogin?
    ) async throws -> StoredCredentials {
        guard let login else { return .untried }
        switch try await login.tried(credentials) {
        case .accepted: return .accepted
        case .unseen: return .unseen
        case .unanswered(let failure, let isDoubted): return .unanswered(failure.message, asksAgain: isDoubted)
        case .codesRefused(let count):
            guard count < TestLogin.mostCodes else { throw CredentialsRefusal.codesRefused(count) }
            return .codeRefused
        case .refused(let failure):
            refused.add(credentials, of: script.id)
            throw CredentialsRefusal.refused(bankWords: failure.bankWords)
        // The bank took them, and they are right once the owner has done on its pages what it wants.
        case .notLetIn(let failure):
            throw CredentialsRefusal.notLetIn(failure.message, bankWords: failure.bankWords)
        }
    }

    func served(_ read: ReadScript) async -> ServedBank {
        let scripts: ScriptRegistry
        do {
            scripts = try await reading.served()
        } catch {
            return .unused(Self.words(of: error))
        }
        let id = read.script.id
        let digest = scripts.acceptedDigest(forBank: id)
        guard let script = scripts.script(forBank: id), read.isPluggedIn || digest == read.script.digest else {
            return .unused(scripts.refusal(forBank: id)?.message)
        }
        return .served(script, acceptedAs: digest)
    }

    func forgetRefusedCredentials() { refused.forgetAll() }
}

extension CredentialsRefusal {
    fileprivate init(_ limit: TestLogin.Limit) {
        self =
            switch limit {
            case .codes(let count): .noMoreCodes(count)
            case .logins(let count, let end): .tooManyLogins(count, until: end)
            }
    }
}
