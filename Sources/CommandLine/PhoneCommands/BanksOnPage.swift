import ApprovalPage
import Automation
import BankScript
import CountersignPlugins
import Foundation
import HouseholdCommands
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
    private let authority: URL?
    private let reading: Reading
    private let plugins: Plugins
    private let refused = RefusedCredentials()

    /// - Returns: nil when the phone has no folder for scripts.
    init?(
        of home: PhoneHome, given: String?, countingIn dataFolder: URL?, authority: URL?, _ plugins: Plugins = .current,
        reading: Reading
    ) {
        guard (try? BankScriptFolder(given: given, of: home, plugins)) != nil else { return nil }
        self.home = home
        self.given = given
        self.dataFolder = dataFolder
        self.authority = authority
        self.plugins = plugins
        self.reading = reading
    }

    /// The credentials that banks have refused since this process began. They are not sent again, and end with it: a digest of
    /// them would be something that is made of them.
    private final class RefusedCredentials: Sendable {
        private let known = Mutex<[String: [[String: Secret]]]>([:])

        func hold(_ credentials: [String: Secret], of bankID: String) -> Bool {
            known.withLock { $0[bankID] ?? [] }.contains { TestLogin.areSame($0, credentials) }
        }

        func add(_ credentials: [String: Secret], of bankID: String) {
            known.withLock { $0[bankID, default: []].append(credentials) }
        }

        func forget(bank bankID: String) { known.withLock { $0[bankID] = nil } }
    }

    /// The folder as it is now: another program of the household may have named another one.
    private func folder() throws -> BankScriptFolder { try BankScriptFolder(given: given, of: home, plugins) }

    // MARK: Choosing

    private static let ofBank = "bank:"
    private static let ofCollection = "collection:"

    func scriptsAtHand(besides stored: Set<String>) async throws -> ScriptsAtHand {
        do {
            let folder = try folder()
            let ready = Set(ReadyBank.all.map(\.id))
            var scripts: [ScriptAtHand] = []
            for script in try folder.scriptsAtHand where !stored.contains(script.id) {
                let placed = try folder.script(ofBank: script.id)
                let kind: ScriptAtHand.Kind =
                    placed.isPluggedIn
                    ? .pluggedIn : !placed.isThere && ready.contains(script.id) ? .ready : .inFolder
                scripts.append(
                    ScriptAtHand(key: Self.ofBank + script.id, bankID: script.id, name: script.name, kind: kind))
            }
            let collected = try await CollectedScripts(home: home.folder).all
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
            throw ScriptRefusal.told(failure.message)
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
        let folder = try folder()
        switch source {
        case .text(let text):
            return found(try folder.script(inText: text), nil)
        case .atHand(let key) where key.hasPrefix(Self.ofBank):
            return found(try folder.script(ofBank: String(key.dropFirst(Self.ofBank.count))), nil)
        case .atHand(let key) where key.hasPrefix(Self.ofCollection):
            let parts = key.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3 else { throw CommandFailure("there is no such script") }
            let (text, vouches) = try await CollectedScripts(home: home.folder).read(parts[2], of: parts[1])
            return found(try folder.script(inText: text), vouches)
        case .atHand: throw CommandFailure("there is no such script")
        }
    }

    private func found(_ placed: BankScriptFolder.Placed, _ vouches: String?) -> Found {
        Found(placed: placed, vouches: placed.isThere ? .besideScript : .given(vouches))
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
            if !found.placed.isPluggedIn { try acceptance.checkVouches() }
            let ready = ReadyBank.all.first { $0.id == script.id && (try? $0.script())?.digest == script.digest }
            return ReadScript(
                source: source, script: script, lines: lines.map(Self.line), preparations: ready?.preparations ?? [],
                isPluggedIn: found.placed.isPluggedIn,
                offersTestLogin: dataFolder != nil && SignInTrial(reading.reached(script)) != nil,
                isInTrial: TrialPassphrase(ofPhoneIn: home.folder)?.exists == true)
        } catch let failure as CommandFailure {
            throw ScriptRefusal.told(failure.message)
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
        return ReadScript.Line(line.text, weight)
    }

    // MARK: Adding

    func add(
        _ read: ReadScript, _ credentials: [String: Secret], to stored: CredentialVault,
        tryingWith person: (any HumanPrompt)?
    ) async throws -> StoredCredentials {
        do {
            let script = read.script
            let login = login(to: script, person)
            if login != nil {
                guard !refused.hold(credentials, of: script.id) else { throw CredentialsRefusal.refusedBefore }
                if let limit = try login?.limit { throw CredentialsRefusal(limit) }
            }
            let found = try await find(as: read)
            if !found.placed.isPluggedIn { try await accept(found, in: stored) }
            let known = try await tried(credentials, of: script, login)
            // The bank's questions take their time: the folder and the household's file may have changed.
            let placed = try await find(as: read).placed
            let folder = try folder()
            try folder.place(placed)
            try await stored.replace(credentials, forBank: script.id)
            refused.forget(bank: script.id)
            try await folder.handOverRefusals(ofBank: script.id)
            try folder.remember(placed)
            return known
        } catch let failure as CommandFailure {
            throw ScriptRefusal.told(failure.message)
        } catch let limit as TestLogin.Limit {
            throw CredentialsRefusal(limit)
        }
    }

    /// Returns the script that was read, if it is still the same.
    private func find(as read: ReadScript) async throws -> Found {
        let found = try await find(read.source)
        guard found.placed.script.digest == read.script.digest else { throw ScriptRefusal.changed }
        return found
    }

    /// Has the vault vouch for a script and accepts it, as far as neither was done before.
    private func accept(_ found: Found, in stored: CredentialVault) async throws {
        let acceptance = acceptance(of: found)
        let digest = found.placed.script.digest
        let isVouched = try await VouchedFiles.vouches(for: digest, of: home, in: stored.secrets)
        if try !isVouched || !acceptance.isGiven { try await acceptance.accept() }
        // The next approval would else ask the owner to vouch for what they have just accepted.
        if !isVouched { try await VouchedFiles.vouch(for: digest, of: home, in: stored.secrets) }
    }

    private func login(to script: BankScript, _ person: (any HumanPrompt)?) -> TestLogin? {
        guard let dataFolder, let person else { return nil }
        return TestLogin(
            of: reading.reached(script), dataFolder: dataFolder, authority: authority, person: person)
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
        case .notLetIn(let failure):
            refused.add(credentials, of: script.id)
            throw CredentialsRefusal.notLetIn(failure.message, bankWords: failure.bankWords)
        }
    }

    func served() async throws -> ScriptRegistry { try await reading.served() }
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
