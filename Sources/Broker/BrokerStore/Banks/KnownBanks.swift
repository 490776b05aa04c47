import Encodings
import Foundation
import Messages

/// The banks of each device, as it last told them.
package struct KnownBanks: Sendable, Hashable {
    /// A device that may call, and that can approve.
    package struct Device: Sendable, Hashable {
        /// The device's id, or `default`.
        package let name: String
        /// Its public key; nil for the default device, which cannot sign.
        package let publicKey: String?
        /// Nil when it has never told: the phones of the specification do not know the route.
        package let banks: [OfferedBank]?

        package init(name: String, publicKey: String?, banks: [OfferedBank]?) {
            self.name = name
            self.publicKey = publicKey
            self.banks = banks
        }

        /// True when the device can fetch these documents, as far as it has told.
        func hasTold(of bankID: String, _ subject: RequestSubject) -> Bool {
            guard let bank = banks?.first(where: { $0.bankID == bankID }) else { return false }
            guard case .documents(let selection) = subject else { return true }
            return bank.offersDocuments && Set(selection.kinds).isSubset(of: bank.kinds)
                && Set(selection.accounts).isSubset(of: bank.accounts) && (bank.offersDays || !selection.hasDays)
        }
    }

    package let devices: [Device]

    package init(devices: [Device]) { self.devices = devices }

    /// No device has told of a bank.
    private var areUnknown: Bool { devices.allSatisfy { $0.banks?.isEmpty ?? true } }

    /// Every bank once, for agents: with the kinds and accounts of all phones that have it.
    package var list: BankList {
        let all = Dictionary(grouping: devices.flatMap { $0.banks ?? [] }, by: \.bankID)
        return BankList(
            all.values.compactMap { same in
                guard let first = same.first else { return nil }
                let accounts = Set(same.flatMap(\.accounts)).sorted().prefix(OfferedBank.mostAccounts)
                return OfferedBank(
                    bankID: first.bankID, name: first.name, offersDocuments: same.contains(where: \.offersDocuments),
                    kinds: same.flatMap(\.kinds), accounts: Array(accounts),
                    offersDays: same.contains(where: \.offersDays), consent: lasting(same))
            })
    }

    /// Returns the consent that lasts longest; nil where a phone needs none, or knows of no end.
    private func lasting(_ same: [OfferedBank]) -> BankConsent? {
        let consents = same.compactMap(\.consent)
        guard consents.count == same.count else { return nil }
        func end(_ consent: BankConsent) -> Date { consent.endedAt ?? consent.endsAt ?? .distantFuture }
        return consents.max { end($0) < end($1) }
    }

    /// A phone may have a bank of which it has not told.
    private var mayBeUntold: Bool { areUnknown || devices.contains { $0.banks == nil } }

    /// Returns the bank that a request means without naming one.
    ///
    /// It is the only one there is: of those that the phones have told of, and of the broker's own where a phone may have it
    /// untold. A broker without a bank of its own keeps the specification's wherever a phone may have that.
    ///
    /// - Parameter own: the bank in the broker's configuration.
    package func usualBank(own: String?) -> UsualBank {
        var ids = Set(list.banks.map(\.bankID))
        if own == nil, mayHave(OfferedBank.standardID, own: own) { return .bank(OfferedBank.standardID) }
        if let own, mayBeUntold { ids.insert(own) }
        guard let only = ids.first, ids.count == 1 else { return .oneOf(ids.sorted()) }
        return .bank(only)
    }

    /// Returns whether a phone has told of a bank, or may have it untold because it is the broker's own.
    package func mayHave(_ bankID: String, own: String?) -> Bool {
        list.banks.contains { $0.bankID == bankID } || mayBeUntold && bankID == own ?? OfferedBank.standardID
    }

    /// The accounts of a bank on each phone that has it, each list once, in the order of their first accounts.
    package func accounts(of bankID: String) -> [[AccountAlias]] {
        Set(devices.compactMap { $0.banks?.first { $0.bankID == bankID }?.accounts }).sorted {
            $0.lexicographicallyPrecedes($1)
        }
    }

    /// Returns whether a request concerns a device: the device has the bank and the accounts, or has never told of its banks.
    package func concerns(_ device: String, _ bankID: String, _ subject: RequestSubject) -> Bool {
        guard let device = devices.first(where: { $0.name == device }), device.banks != nil else { return true }
        return device.hasTold(of: bankID, subject)
    }

    /// Returns the names of the devices that have told that they can fetch these documents. With more than one, they may be
    /// different people's, with different logins at the bank.
    package func fetchers(_ bankID: String, _ subject: RequestSubject) -> [String] {
        devices.filter { $0.hasTold(of: bankID, subject) }.map(\.name)
    }

    /// Returns whether a device has a bank, as far as it has told.
    package func has(_ device: String, _ bankID: String) -> Bool {
        guard let device = devices.first(where: { $0.name == device }), let banks = device.banks else { return false }
        return banks.contains { $0.bankID == bankID }
    }

    /// Returns the accounts of a bank on one device.
    package func accounts(of bankID: String, on device: String) -> Set<AccountAlias> {
        let device = devices.first { $0.name == device }
        return Set(device?.banks?.first { $0.bankID == bankID }?.accounts ?? [])
    }

    /// Returns whether a device that can fetch these documents is there. One that has never told of its banks may be able to.
    package func canBeFetched(_ bankID: String, _ subject: RequestSubject) -> Bool {
        !possibleFetchers(bankID, subject).isEmpty
    }

    /// Returns the names of the devices that may fetch these documents: those that have told that they can, and those that have never
    /// told of their banks, which get and may approve every request.
    package func possibleFetchers(_ bankID: String, _ subject: RequestSubject) -> [String] {
        devices.filter { $0.banks == nil || $0.hasTold(of: bankID, subject) }.map(\.name)
    }

    /// Counts the paired devices that can approve such a request, each key once.
    ///
    /// While no device has told of a bank, each of them counts. Afterwards only those that have the bank do.
    package func approvers(_ bankID: String, _ subject: RequestSubject) -> Int {
        Set(devices.filter { areUnknown || $0.hasTold(of: bankID, subject) }.compactMap(\.publicKey)).count
    }
}

extension KnownBanks {
    /// Returns the end of a sentence about a bank that no phone has: which one was probably meant, and which there are.
    ///
    /// - Parameter own: the bank in the broker's configuration, for when no phone has told of any.
    package func words(insteadOf typed: String, own: String? = nil) -> String {
        let ids = list.banks.map(\.bankID)
        let beginning = meant(typed).map { "did you mean \($0)? The" } ?? "the"
        return "\(beginning) banks are \(Self.words(ids.isEmpty ? [own ?? OfferedBank.standardID] : ids))"
    }

    /// Lists banks by their ids, and not more than a person reads.
    package static func words(_ ids: [String]) -> String {
        ids.prefix(20).joined(separator: ", ") + (ids.count > 20 ? ", …; GET /banks lists all" : "")
    }

    /// Returns the bank that was probably meant: one whose id or name is near, or the only one whose name has the word.
    private func meant(_ typed: String) -> String? {
        let word = typed.lowercased()
        let banks = list.banks
        if let id = nearest(to: word, among: banks.map(\.bankID)) { return id }
        let named = banks.filter {
            let name = $0.name.lowercased()
            return name.contains(word) || nearest(to: word, among: [name]) != nil
        }
        return named.count == 1 ? named[0].bankID : nil
    }
}

/// The bank of a request that names none.
package enum UsualBank: Sendable, Hashable {
    case bank(String)
    /// There are several, and the request must name one of them. They are in order.
    case oneOf([String])
}
