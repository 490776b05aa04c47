import AssistantProcesses
import AttestedKeys
import CurlClient
import Foundation

/// The key at AWS KMS that takes the place of local master keys: `ASSISTANT_KMS=aws`.
package struct AmazonSettings: Sendable {
    package var region: String
    /// The key's id, its ARN, or an alias.
    package var keyID: String
    /// The credentials in the form of AWS's own tools, read again for each call.
    package var credentials: URL
    /// The section of ``credentials``.
    package var profile = "default"
    package var endpoint: String

    package init(region: String, keyID: String, credentials: URL, endpoint: String? = nil) {
        self.region = region
        self.keyID = keyID
        self.credentials = credentials
        self.endpoint = endpoint ?? ServiceEndpoint.keyManagement(in: region)
    }

    /// - Returns: nil for a local key service.
    package init?(_ reader: inout SettingsReader, evidence: EvidenceSettings) {
        switch reader.value("ASSISTANT_KMS") {
        case nil, "local": return nil
        case "aws": break
        case .some(let text):
            reader.add("ASSISTANT_KMS is “\(text)”; it must be local or aws")
            return nil
        }
        if evidence.kind != .nitro {
            reader.add(
                "ASSISTANT_KMS is aws, which opens keys for Nitro enclaves only; set ASSISTANT_EVIDENCE to nitro")
        }
        func needed(_ name: String, _ meaning: String) -> String {
            if let value = reader.value(name) { return value }
            reader.add("\(name) is not set; with ASSISTANT_KMS=aws it has \(meaning)")
            return ""
        }
        let region = needed("ASSISTANT_AWS_REGION", "the region of the key")
        keyID = needed("ASSISTANT_AWS_KEY_ID", "the id of the key at AWS KMS")
        credentials = Self.credentials(&reader)
        profile = reader.value("AWS_PROFILE") ?? profile
        if !region.isEmpty, region.wholeMatch(of: /[a-z0-9-]+/) == nil {
            reader.add("ASSISTANT_AWS_REGION is “\(region)”; it must be a name such as eu-central-1")
        }
        self.region = region
        endpoint = reader.address("ASSISTANT_AWS_KMS_URL", otherwise: ServiceEndpoint.keyManagement(in: region))
    }

    /// Returns the file that `ASSISTANT_AWS_CREDENTIALS_FILE` names, or else the one that AWS's own tools read. Keys in
    /// environment variables are not read: a program that this process starts could see a secret there.
    private static func credentials(_ reader: inout SettingsReader) -> URL {
        if let path = reader.value("ASSISTANT_AWS_CREDENTIALS_FILE") ?? reader.value("AWS_SHARED_CREDENTIALS_FILE") {
            return URL(filePath: path)
        }
        let usual = "\(reader.value("HOME") ?? NSHomeDirectory())/.aws/credentials"
        if access(usual, F_OK) != 0 {
            reader.add(
                "ASSISTANT_AWS_CREDENTIALS_FILE is not set, and \(usual) does not exist; with ASSISTANT_KMS=aws it is a file of "
                    + "mode 0600 with credentials")
        }
        return URL(filePath: usual)
    }

    func client(authorities: URL?, now: @escaping @Sendable () -> Date) throws -> KeyManagementClient {
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        curl.extraCAFile = authorities
        curl.limits.connect = .seconds(5)
        curl.limits.firstByte = .seconds(10)
        curl.limits.whole = .seconds(15)
        curl.limits.bodySize = 64 << 10
        let (file, section) = (credentials, profile)
        return try KeyManagementClient(
            endpoint: endpoint, region: region, credentials: { try AmazonCredentials(file, profile: section) },
            curl: curl,
            now: now)
    }
}
