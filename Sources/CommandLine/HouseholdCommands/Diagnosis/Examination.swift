import Foundation

/// All checks of one installation, in the order in which a person would repair what they find.
struct Examination: Sendable {
    let installation: Installation
    /// The longest wait for the other machine's file; nil to look at this machine only.
    var sync: Duration?

    func findings() async -> [Finding] {
        var found = ProgramCheck().findings()
        found += await ConfinementCheck().findings()
        if let problem = installation.problem {
            found.append(
                .error(
                    .configuration, .configurationUnusable, problem,
                    remedy: "correct or move away \(installation.configFile.path)"))
        } else if installation.isEmpty {
            found.append(
                .error(
                    .configuration, .nothingSetUp, "no broker and no phone is set up for this user",
                    remedy: "set up a household: countersign up"))
        }
        found += PermissionCheck(installation: installation).findings()
        found += DiskCheck(installation: installation).findings()
        found += await ClockCheck(installation: installation).findings()
        if let inbox = installation.inbox {
            found += await InboxCheck(inbox: inbox).findings()
            if let sync { found.append(await SyncProbe(inbox: inbox, limit: sync).finding()) }
        }
        if let archive = installation.archive { found.append(ArchiveCheck(folder: archive).finding()) }
        found += CertificateCheck(installation: installation).findings()
        found += await BrokerParts(installation: installation).findings()
        found += VaultCheck(installation: installation).findings()
        return found
    }
}
