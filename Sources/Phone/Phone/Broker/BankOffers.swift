import Automation
import BankScript
import Encodings
import Messages
import PhoneStore
import Synchronization

/// Tells the broker which banks this phone can fetch from: those with a script and stored credentials. The broker lists them
/// for agents, by id, name, kinds of documents, aliases of accounts, and the consent to its interface. With them goes the language
/// that the owner has chosen, for the broker's messages to the owner.
final class BankOffers: Sendable {
    private let store: PhoneDatabase
    private let broker: BrokerConnection
    private let services: PhoneServices
    private let last = Mutex<BankList?>(nil)

    init(store: PhoneDatabase, broker: BrokerConnection, services: PhoneServices) {
        self.store = store
        self.broker = broker
        self.services = services
    }

    /// Tells the broker, at the first call and after each change. A broker that cannot take the list still serves requests,
    /// so nothing else is thrown; one that does not answer is told at the next call.
    ///
    /// - Throws: ``PhoneError`` with the code `pinMismatch`: another server answers, and nothing more is sent to it.
    func tell() async throws(PhoneError) {
        guard let list = try? await Self.list(of: store, services.scripts, servesTestBank: services.servesTestBank)
        else { return }
        guard last.withLock({ $0 }) != list else { return }
        do throws(PhoneError) {
            try await broker.call { (client) async throws(PhoneError) in try await client.offer(list) }
        } catch {
            if error.code == .pinMismatch { throw error }
            // Earlier brokers do not know the route. Every other broker is told again: one that limits the rate, for example.
            guard error.status == 404 else { return }
        }
        last.withLock { $0 = list }
    }

    /// Returns the banks that a phone can fetch from.
    ///
    /// - Parameter servesTestBank: whether scripts for testing count.
    static func list(
        of store: PhoneDatabase, _ scripts: ScriptRegistry, servesTestBank: Bool
    ) async throws -> BankList {
        let (stored, accounts) = (try await store.credentialTimes(), try await store.accounts())
        let consents = try await store.storedConsents()
        let able = scripts.all.filter { script in
            stored[script.id] != nil && (!script.isForTesting || servesTestBank)
        }
        return BankList(
            able.compactMap { script in
                // A bank is never left out for its name: agents would not find it, and its owner would not learn why.
                let names = [script.name, plain(script.name), script.id]
                return names.lazy.compactMap { name in
                    OfferedBank(
                        bankID: script.id, name: name, offersDocuments: script.fetchesSeveral, kinds: script.kinds,
                        accounts: !script.listsAccounts
                            ? []
                            : Array(
                                accounts.filter { $0.bankID == script.id }.map(\.alias).prefix(OfferedBank.mostAccounts)
                            ),
                        offersDays: script.asksForDays,
                        consent: consents.first { $0.bankID == script.id }?.told)
                }.first
            }, language: try await store.language())
    }

    /// Returns a name as a broker takes it: without invisible characters, such as the one that joins the emoji of a family, and at
    /// most 100 scalars.
    private static func plain(_ name: String) -> String {
        let shown = ShownText.cleaned(name, limit: 100).unicodeScalars
        return String(String.UnicodeScalarView(shown.filter { $0.properties.generalCategory != .format }.prefix(100)))
    }
}
