import Foundation

/// Secrets that systemd gives a service in files (systemd.exec(5), LoadCredential=), each named like its variable, or with
/// `countersign_` before it: systemd puts a folder's own name there.
package enum ServiceCredentials {
    private static let names = [
        "BROKER_API_TOKEN", "PHONE_API_TOKEN", "BROKER_PHONE_SHARED_SECRET", "BROKER_SEALING_SECRET",
        "TELEGRAM_BOT_TOKEN", "TELEGRAM_PHONE_CHAT_ID",
    ]

    /// Returns the environment with the first line of each credential whose variable is not set.
    package static func completing(_ environment: [String: String]) -> [String: String] {
        guard let folder = environment["CREDENTIALS_DIRECTORY"], folder.hasPrefix("/") else { return environment }
        return names.reduce(into: environment) { environment, name in
            let secret = [name, "countersign_" + name].lazy
                .compactMap { try? Asking.secret(inFile: "\(folder)/\($0)") }.first
            guard (environment[name] ?? "").isEmpty, let secret else { return }
            environment[name] = secret.revealed()
        }
    }
}
