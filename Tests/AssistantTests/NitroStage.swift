import AssistantProcesses
import Encodings
import TestServers
import TestSupport

/// A Nitro Secure Module of our own, under a root of our own.
struct NitroStage: Sendable {
    static let image = Base16.encode(NitroAuthority.image)

    let folder: TemporaryFolder
    let authority: NitroAuthority
    let module: NitroModuleServer

    init() throws {
        folder = try TemporaryFolder()
        let authority = try NitroAuthority(at: AssistantStage.start)
        self.authority = authority
        module = try NitroModuleServer(folder.appending("nsm.sock"), at: AssistantStage.start) {
            try authority.document($0)
        }
    }

    /// The settings of all processes for this module.
    var evidence: EvidenceSettings {
        var evidence = EvidenceSettings()
        evidence.kind = .nitro
        evidence.nitroDevice = module.socket
        evidence.nitroRoot = authority.rootDigest
        return evidence
    }
}
