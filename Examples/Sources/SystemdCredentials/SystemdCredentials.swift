import Automation
import Foundation
import Secrets

/// Gives the credentials that systemd hands to a service (systemd.exec(5), `LoadCredentialEncrypted=`): the file
/// `BANK.NAME`, such as `meridian.password`, in the folder that `CREDENTIALS_DIRECTORY` names.
public struct SystemdCredentials: CredentialProvider {
    private let folder: URL

    public init(folder: URL) {
        self.folder = folder
    }

    public func credential(named name: String, forBank bankID: String) async throws -> Secret? {
        let file = folder.appending(path: "\(bankID).\(name)")
        guard !name.contains("/"), let line = try? Data(contentsOf: file).split(separator: 10).first else { return nil }
        return Secret(bytes: line)
    }
}
