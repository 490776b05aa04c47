import Foundation
import Phone
import PhoneStore
import Terminal

// One count of refused codes: a phone goes on from the one of its test logins, and a new phone from the one before it.

extension RefusedLogins {
    /// Lets a phone that was set up count the codes that its bank refused in test logins.
    func handOverCodes(to phone: HouseholdFile.Phone, at now: Date = Date()) async throws {
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        let store = try PhoneDatabase(PhoneHome(phone.home))
        try await endCountsOfLogins(acceptedIn: store)
        let refused = try count(atBank: phone.bankID, at: now).codes
        guard refused > 0 else { return }
        let version = try await store.credentialsVersion(forBank: phone.bankID)
        // Noted there first, so that an interruption loses none; the next start adds only what is missing.
        let missing = refused - (try await store.codesRefused(byBank: phone.bankID, credentials: version))
        if missing > 0 {
            try await store.record(
                .wrongCode(count: missing), ofBank: phone.bankID, credentials: version, request: nil, at: now)
        }
        try changeCodes(bank: phone.bankID) { max(0, $0 - refused) }
    }

    /// Keeps the codes that the bank has refused since its last acceptance, before the phone's database is removed.
    func takeOverCodes(from phone: HouseholdFile.Phone) async throws {
        let store = try PhoneDatabase(PhoneHome(phone.home))
        try await endCountsOfLogins(acceptedIn: store)
        let version = try await store.credentialsVersion(forBank: phone.bankID)
        let refused = try await store.codesRefused(byBank: phone.bankID, credentials: version)
        guard refused > 0 else { return }
        try changeCodes(bank: phone.bankID) { $0 + refused }
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
