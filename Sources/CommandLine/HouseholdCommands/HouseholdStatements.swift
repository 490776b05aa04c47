import Foundation
import Machine
import Terminal

/// The folder in which a household's broker files its documents under readable names.
package struct HouseholdStatements {
    /// The folder as it was typed, or `none`; nil without the option.
    let typed: String?
    /// The household's data folder.
    let dataFolder: URL

    /// - Parameter typed: the folder, or `none`; nil without one.
    package init(typed: String?, dataFolder: URL) { (self.typed, self.dataFolder) = (typed, dataFolder) }

    /// The folder that is offered.
    static let usual = "~/Documents/Statements"

    /// Returns the folder of a new household, which is made if it is missing; nil where the person wants none.
    ///
    /// - Parameter isTrial: true for the mock bank: what it fetches stays out of the person's own folders.
    /// - Throws: ``CommandFailure`` when the folder cannot be used, or the person names none.
    func chosen(isTrial: Bool, inbox: URL) throws -> URL? {
        if let typed { return typed == "none" ? nil : try made(typed, inbox) }
        if isTrial { return try made(dataFolder.appending(path: "statements").path, inbox) }
        guard Asking.isPossible else { return try made(Self.usual, inbox) }
        let question = "Where do you want your statements? (empty for \(Self.usual))"
        let answer = Asking.valid(question) { answer throws(CommandFailure) in
            let path = try Self.path(answered: answer)
            return try path == "none" ? [URL]() : [made(path, inbox)]
        }
        guard let answer else { throw CommandFailure("no folder was chosen; nothing was set up") }
        return answer.first
    }

    /// Returns the path of an answer to the question for the folder.
    ///
    /// - Throws: ``CommandFailure`` for an answer to another question.
    static func path(answered answer: String) throws(CommandFailure) -> String {
        var path = answer.trimmingCharacters(in: .whitespaces)
        // A terminal into which a folder is dragged writes quotes around it, as a shell needs them.
        for quote in ["\"", "'"] where path.count > 1 && path.hasPrefix(quote) && path.hasSuffix(quote) {
            path = String(path.dropFirst().dropLast())
        }
        guard !["y", "yes", "n", "no", "ja", "nein", "oui", "non", "sí", "si"].contains(path.lowercased()) else {
            throw CommandFailure(
                "this is not a yes or no question; type the folder's path, nothing for \(usual), or none for no such folder"
            )
        }
        return path.isEmpty ? usual : path
    }

    /// Keeps the typed folder in the household's file.
    ///
    /// - Throws: ``CommandFailure`` when the folder cannot be used, or the broker is on another machine.
    func remember(in household: inout HouseholdFile) throws {
        guard typed != nil else { return }
        guard let broker = household.broker else { throw household.lacksBroker }
        let folder = try folder(besides: household.inbox)
        guard folder?.path != broker.statements?.path else { return }
        household.broker?.statements = folder
        let place = HouseholdFile.place()
        let lock = try HouseholdFile.lock(place)
        defer { withExtendedLifetime(lock) {} }
        guard var kept = try HouseholdFile.read(place) else { return }
        kept.broker?.statements = folder
        try kept.replace(place)
    }

    /// Returns the typed folder, which is made if it is missing; nil for `none`.
    ///
    /// - Throws: ``CommandFailure`` when it cannot be used.
    package func folder(besides inbox: URL) throws(CommandFailure) -> URL? {
        guard let typed, typed != "none" else { return nil }
        return try made(typed, inbox)
    }

    private func made(_ path: String, _ inbox: URL) throws(CommandFailure) -> URL {
        let folder = HouseholdSetup.folder(typed: path)
        for part in HouseholdSetup.parts where folder.path.isInside(dataFolder.appending(path: part)) {
            throw CommandFailure(
                "the statements cannot be inside \(part), which --remove deletes; name another folder", status: 2)
        }
        guard !folder.path.isInside(inbox) else {
            throw CommandFailure(
                "the statements cannot be inside the inbox, through which they come; name another folder", status: 2)
        }
        try HouseholdSetup.refuseFile(folder, for: "the statements' archive")
        do throws(FileError) {
            try PrivateFolder.make(folder)
            try PrivateFolder.checkWritable(folder)
        } catch {
            throw CommandFailure("\(error); or name another folder for the statements", status: 2)
        }
        return folder
    }

    /// Says where a household's documents are.
    static func words(for broker: HouseholdFile.Broker) -> String {
        if let folder = broker.statements { return "Statements are kept in \(folder.path)." }
        let own = broker.database.deletingLastPathComponent().appending(path: "statements").path
        return
            "Statements are kept in \(own), under technical names. For readable ones: countersign config set "
            + "BROKER_ARCHIVE_PATH=\(usual)"
    }

    /// Returns a warning about a folder in which nothing can be filed now; nil when it is there and can be written.
    static func trouble(with folder: URL?) -> String? {
        guard let folder else { return nil }
        guard FileManager.default.fileExists(atPath: folder.path) else {
            return
                "the folder of the statements, \(folder.path), is missing, so a new document is filed there only when it is back. "
                + "Is its disk mounted?"
        }
        do throws(FileError) {
            try PrivateFolder.checkWritable(folder)
            return nil
        } catch {
            return "\(error). A new document is filed there only when the folder can be written."
        }
    }
}
