import Files
import Foundation
import Terminal

/// Removes a household's data: keys, credentials, requests and settings. The inbox stays, because statements are in it.
struct HouseholdRemoval {
    let file: URL
    let folder: URL
    let running: RunningHousehold

    init(file: URL, folder: URL, _ running: RunningHousehold) {
        (self.file, self.folder, self.running) = (file, folder, running)
    }

    /// - Throws: ``CommandFailure`` when no household is set up, or the person does not agree.
    func perform(asking: Bool, _ report: (String, String) -> Void) async throws {
        guard let household = try HouseholdFile.read(file) else {
            throw CommandFailure("no household is set up: \(file.path) does not exist")
        }
        if asking {
            guard Asking.isPossible else { throw CommandFailure("without a terminal, give --yes", status: 2) }
            let question =
                "Remove the keys, the bank's credentials and the requests in \(folder.path)? The statements in "
                + "\(household.inbox.path) stay."
            guard Asking.yes(question) else { throw CommandFailure("nothing was removed") }
        }
        try await HouseholdService().remove()
        _ = try await running.stop()
        for part in [
            household.phoneHome, household.database.deletingLastPathComponent(), folder.appending(path: "logs"),
            household.agentToken, HouseholdSetup.passphraseFile(in: folder), file,
        ] where FileManager.default.fileExists(atPath: part.path) {
            try FileManager.default.removeItem(at: part)
        }
        report("removed", "The household is removed. Its statements are in \(household.inbox.path).")
    }
}
