import Foundation
import Phone
import PhoneStore
import Terminal

// One count at the bank: a phone goes on from the one of its test logins, and a new phone from the one before it.

extension RefusedLogins {
    /// Lets a phone that was set up count the codes that its banks refused in test logins, and ask its owner before it sends
    /// credentials once more that a bank may have refused in one.
    func handOver(to phone: HouseholdFile.Phone, at now: Date = Date()) async throws {
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        let store = try PhoneDatabase(PhoneHome(phone.home))
        try await endCountsOfLogins(acceptedIn: store)
        // A bank that was being added when the program ended is among them.
        let stored = try await store.credentialTimes()
        for bank in try banks() where bank == phone.bankID || stored[bank] != nil {
            try await handOver(bank, to: store, at: now)
        }
    }

    private func handOver(_ bank: String, to store: PhoneDatabase, at now: Date) async throws {
        let known = try count(atBank: bank, at: now)
        let version = try await store.credentialsVersion(forBank: bank)
        // Noted there first, so that an interruption loses none; the next start adds only what is missing.
        if known.doubtedAt != nil {
            try await store.record(
                .refused(.signInNotConfirmed), ofBank: bank, credentials: version, request: nil, at: now)
            try endDoubt(bank: bank)
        }
        guard known.codes > 0 else { return }
        let missing = known.codes - (try await store.codesRefused(byBank: bank, credentials: version))
        if missing > 0 {
            try await store.record(
                .wrongCode(count: missing), ofBank: bank, credentials: version, request: nil, at: now)
        }
        try changeCodes(bank: bank) { max(0, $0 - known.codes) }
    }

    /// Keeps the codes that the banks have refused since their last acceptance, and the doubts about sign-ins, before the phone's
    /// database is removed.
    func takeOver(from phone: HouseholdFile.Phone) async throws {
        let store = try PhoneDatabase(PhoneHome(phone.home))
        try await endCountsOfLogins(acceptedIn: store)
        for bank in Set(try await store.credentialTimes().keys).union([phone.bankID]).sorted() {
            let version = try await store.credentialsVersion(forBank: bank)
            let refused = try await store.codesRefused(byBank: bank, credentials: version)
            if refused > 0 { try changeCodes(bank: bank) { $0 + refused } }
            if let hold = try await store.hold(onBank: bank), [.signInNotConfirmed, .cancelled].contains(hold.reason) {
                try doubt(bank: bank, at: hold.since)
            }
        }
    }

    /// Forgets the test logins that were before a run at the same bank that brought something: the bank has accepted its sign-in.
    private func endCountsOfLogins(acceptedIn store: PhoneDatabase) async throws {
        let ends = try await store.requests([.completed]).compactMap { request in
            request.completedAt.map { (request.bankID, $0) }
        }
        for (bank, end) in Dictionary(ends, uniquingKeysWith: { max($0, $1) }) {
            try endCountOfLogins(bank: bank, until: end)
        }
    }
}
