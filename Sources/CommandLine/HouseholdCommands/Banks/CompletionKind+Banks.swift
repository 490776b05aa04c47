import ArgumentParser
import Automation
import DefaultBank
import ReadyBanks
import ScriptCommands
import Terminal

extension CompletionKind {
    /// The ids of the banks with a script on this machine.
    package static var ownBanks: CompletionKind {
        .custom { _, _, _ in
            let folder = HouseholdFile.current?.phone?.scripts
            let scripts = (try? ScriptFolderOptions.registry(ofFolder: folder, home: HomeOption.standard).all) ?? []
            let isTrial = HouseholdFile.current?.phone?.mockBank != nil
            return scripts.filter { isTrial || !$0.isOfFictitiousBank }.map(\.id).sorted()
        }
    }

    /// The banks that a new household can have without a script of its owner's.
    static var firstBanks: CompletionKind {
        .custom { _, _, _ in
            let own = (try? ScriptFolderOptions.registry(ofFolder: nil, home: HomeOption.standard).all) ?? []
            let ids = own.filter { !$0.isOfFictitiousBank }.map(\.id) + ReadyBank.all.map(\.id)
            return Set(ids + [HouseholdSetup.mockBank]).sorted()
        }
    }
}
