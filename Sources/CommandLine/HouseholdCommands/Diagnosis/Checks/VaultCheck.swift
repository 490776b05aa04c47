import Foundation
import KeyVault

/// Looks at the phone's vault from outside, and at the time until a passphrase may be tried.
struct VaultCheck {
    let installation: Installation

    func findings() -> [Finding] {
        let vault = Vault(file: installation.phoneHome.appending(path: "vault.json"))
        if !vault.exists, let phone = installation.household?.phone, let absence = phone.absence,
            phone.isIn(installation.phoneHome)
        {
            return [
                .error(.vault, .vaultMissing, absence.message, remedy: "mount the disk that holds \(phone.home.path)")
            ]
        }
        guard installation.hasPhone else { return [] }
        guard vault.exists else {
            return [
                .error(
                    .vault, .vaultMissing, "the phone in \(installation.phoneHome.path) has no vault yet",
                    remedy: "set it up: countersign up, countersign phone pair -, or countersign phone setup")
            ]
        }
        do {
            let count = try vault.slots().count
            let delays = try PassphraseSource.allCases.compactMap { try delay(vault, $0) }
            return [.good(.vault, "the vault is whole; passphrases and passkeys that open it: \(count)")]
                + (delays.isEmpty ? [.good(.vault, "a passphrase can be tried now")] : delays)
        } catch {
            return [
                .error(
                    .vault, .vaultDamaged, "\(error)",
                    remedy:
                        "put back a copy of vault.json, then: countersign phone accept-backup; without one, set the phone up anew"
                )
            ]
        }
    }

    private func delay(_ vault: Vault, _ source: PassphraseSource) throws -> Finding? {
        let wait = try vault.waitBeforeAttempt(from: source)
        guard wait > .zero else { return nil }
        let places = [
            PassphraseSource.terminal: "at the terminal", .page: "on the page", .signIn: "at the page's sign-in",
        ]
        let time = wait.formatted(.units(allowed: [.hours, .minutes, .seconds], width: .wide, maximumUnitCount: 2))
        return .warning(
            .vault, .passphraseDelayed,
            "after too many wrong passphrases \(places[source] ?? ""), the next is tried in \(time)",
            remedy: "wait; if you did not type them, find out who did: countersign phone audit")
    }
}
