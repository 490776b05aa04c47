import Foundation
import Machine
import Notifications
import Secrets

/// The variables about what leaves the broker by itself: documents for paperless-ngx, and events for a webhook.
extension EnvironmentReader {
    /// Reads `PAPERLESS_URL` with `PAPERLESS_TOKEN_FILE`, or `PAPERLESS_CONSUME_PATH`.
    mutating func paperless() -> PaperlessConfiguration? {
        let hasFolder = value(.paperlessFolder) != nil
        let hasServer = value(.paperlessURL) != nil
        if hasFolder && hasServer {
            report("PAPERLESS_URL and PAPERLESS_CONSUME_PATH are both set, so documents would arrive twice; set one")
            return nil
        }
        if hasFolder {
            return folder(.paperlessFolder).map { .folder($0) }
        }
        guard hasServer else {
            if let setting = [.paperlessToken, .paperlessTokenFile].first(where: { value($0) != nil }) {
                report("PAPERLESS_URL is not set: the address of the paperless-ngx of \(setting.name)")
            }
            return nil
        }
        let url = address(.paperlessURL, exposing: "the token of paperless-ngx", allowsQuery: false)
        let token = secret(.paperlessToken, orFile: .paperlessTokenFile)
        guard let url, let token else { return nil }
        guard token.revealed().wholeMatch(of: /[A-Za-z0-9_.~+\/-]+=*/) != nil else {
            report(
                "\(name(.paperlessToken, orFile: .paperlessTokenFile)) has no token in it; paperless-ngx shows one under “My Profile”"
            )
            return nil
        }
        return .server(PaperlessServer(url: url, token: token))
    }

    /// Reads `BROKER_WEBHOOK_URL` with `BROKER_WEBHOOK_SECRET_FILE`.
    mutating func webhook() -> WebhookConfiguration? {
        guard value(.webhookURL) != nil else {
            if let setting = [.webhookSecret, .webhookSecretFile].first(where: { value($0) != nil }) {
                report(
                    "BROKER_WEBHOOK_URL is not set: the address that events go to, signed with the key of \(setting.name)"
                )
            }
            return nil
        }
        let url = address(.webhookURL, exposing: "what you ask for, and when,", allowsQuery: true)
        let text = secret(.webhookSecret, orFile: .webhookSecretFile)
        guard let url, let text else { return nil }
        guard let secret = WebhookSecret(text) else {
            report(
                "\(name(.webhookSecret, orFile: .webhookSecretFile)) has no key in it: whsec_ and 24 to 64 bytes in base64. Make one with: "
                    + "echo \"whsec_$(openssl rand -base64 32)\"")
            return nil
        }
        return WebhookConfiguration(url: url, secret: secret)
    }

    /// Reads an address that secrets go to: https, or http on this machine.
    ///
    /// - Parameter what: the thing that plain http would show.
    private mutating func address(_ setting: BrokerSetting, exposing what: String, allowsQuery: Bool) -> String? {
        guard let text = value(setting) else { return nil }
        guard let url = URL(string: text), let host = url.host(), !host.isEmpty, url.user() == nil,
            url.fragment() == nil, allowsQuery || url.query() == nil, let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme)
        else {
            // The address is not repeated: a webhook's may have a token in it.
            report("\(setting.name) must be an address such as https://name.example/path, without a user")
            return nil
        }
        let isLoopback =
            ["localhost", "::1", "[::1]"].contains(host.lowercased())
            || host.wholeMatch(of: /127(\.[0-9]{1,3}){3}/) != nil
        guard scheme == "https" || isLoopback else {
            report("\(setting.name): plain http would show \(what) to the network; use https for \(host)")
            return nil
        }
        return text.hasSuffix("/") && url.query() == nil ? String(text.dropLast()) : text
    }

    private func name(_ setting: BrokerSetting, orFile file: BrokerSetting) -> String {
        value(setting) == nil ? file.name : setting.name
    }

    /// Reads a secret from its variable, or from the file that another one names.
    private mutating func secret(_ setting: BrokerSetting, orFile file: BrokerSetting) -> Secret? {
        guard let text = value(setting) else { return secretFile(file) }
        guard value(file) == nil else {
            report("\(setting.name) and \(file.name) are both set; set one")
            return nil
        }
        return Secret(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Reads a secret from the file that a variable names. Other users must not be able to read it.
    private mutating func secretFile(_ setting: BrokerSetting) -> Secret? {
        guard let path = text(setting) else { return nil }
        let file = URL(filePath: BrokerConfiguration.expanded(path, environment)).standardizedFileURL
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        if let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 != 0 {
            report("\(setting.name) is \(file.path), which other users can read; run: chmod 600 '\(file.path)'")
            return nil
        }
        guard let bytes = try? OpenedFile(file).bytes(atMost: 4096) else {
            report("\(setting.name) is \(file.path), which cannot be read as a file of at most 4096 bytes")
            return nil
        }
        return Secret(
            String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
