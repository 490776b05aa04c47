import Broker
import Foundation
import Machine
import Phone
import Terminal

/// Removes a household's data: keys, credentials, requests and settings. The statements stay: those in the inbox, and those
/// that the broker has accepted, which move to ``KeptStatements``.
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
                "Remove the keys, \(household.phone == nil ? "" : "the bank's credentials ")and the requests in "
                + "\(folder.path)? The statements stay."
            guard Asking.yes(question) else { throw CommandFailure("nothing was removed") }
        }
        let wasPaired = household.phone.map { PhoneHome($0.home).vault.exists } ?? false
        let away = wasPaired || household.phone?.absence == nil ? nil : household.phone?.home
        let pending = PendingDevices(of: household)
        let phones = await Self.phones(of: household)
        try await HouseholdService().remove()
        _ = try await running.stop()
        // The refused test logins stay, with the refused codes: the bank counts them on.
        if wasPaired, let phone = household.phone {
            do {
                try await RefusedLogins(dataFolder: folder).takeOver(from: phone)
            } catch {
                report("warning", "Warning: what the bank has refused is no longer counted. \(error)")
            }
        }
        let problems = Self.remove(parts(of: household)) { try FolderRemoval.remove($0) }
        guard problems.isEmpty else {
            throw CommandFailure(
                "not everything was removed:\n\(problems.joined(separator: "\n"))\nremove these, or make them yours, and run "
                    + "countersign up --remove again")
        }
        var places = holdsFile(household.inbox) ? [household.inbox.path] : []
        if let database = household.broker?.database {
            do {
                try KeptStatements(dataFolder: folder).take(besideDatabase: database).map { places.append($0.path) }
            } catch {
                places.append(BrokerConfiguration.statements(beside: database).path)
                report("warning", "Warning: the statements stay in the broker's folder. \(error)")
            }
        }
        let filed = household.broker?.statements.flatMap { removeIfEmpty($0) ? nil : $0.path }
        report("removed", Self.words(filed: filed, asTheyCame: places))
        if let words = pending.words { report("device", words) }
        if let words = Self.words(onPhones: phones, hasOwn: household.phone != nil) { report("device", words) }
        if let away {
            report(
                "warning",
                "Warning: the phone's vault was not in \(away.path). If it is on a disk that is not mounted, delete it there."
            )
        }
        if household.broker == nil, wasPaired || away != nil {
            report(
                "device",
                "The broker on the other machine knows this phone until it is removed there, with: countersign devices list, then "
                    + "countersign devices remove NAME")
        }
    }

    /// Says where the statements are: first those with readable names, which a person looks for.
    static func words(filed: String?, asTheyCame places: [String]) -> String {
        let others = places.joined(separator: " and ")
        return switch (filed, places.isEmpty) {
        case (let filed?, true): "The household is removed. Its statements are in \(filed)."
        case (let filed?, false):
            "The household is removed. Its statements are in \(filed); the files from which they were filed are in \(others)."
        case (nil, true): "The household is removed. It had no statements."
        case (nil, false): "The household is removed. Its statements are in \(others)."
        }
    }

    /// True where a person finds a file in a folder; what begins with a dot is a program's own.
    private func holdsFile(_ folder: URL) -> Bool {
        let files = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: [.isRegularFileKey], options: .skipsHiddenFiles)
        return files?.contains { ($0 as? URL)?.hasDirectoryPath == false } ?? false
    }

    /// Lists what is removed: the secrets first, and last the file that says where everything is, without which nothing that stays
    /// would be found again.
    func parts(of household: HouseholdFile) -> [URL] {
        var parts = [HouseholdSetup.passphraseFile(in: folder)]
        if let phone = household.phone.map({ PhoneHome($0.home) }) {
            parts += [phone.vaultFile, phone.tokenFolder, phone.pushKeyFile]
        }
        if let broker = household.broker { parts += [broker.agentToken] + brokerFiles(of: broker) }
        if let phone = household.phone { parts.append(phone.home) }
        return parts + [folder.appending(path: "logs"), URL(filePath: file.path + ".lock"), file]
    }

    /// Removes the parts one by one, and goes on after an error. The last one stays when another one did.
    ///
    /// - Returns: what stays, and why.
    static func remove(_ parts: [URL], by remove: (URL) throws -> Void) -> [String] {
        var problems: [String] = []
        for (index, part) in parts.enumerated() where index < parts.count - 1 || problems.isEmpty {
            do {
                try remove(part)
            } catch {
                problems.append("\(error)")
            }
        }
        return problems
    }

    /// Removes a folder of statements in which nothing was ever filed: it holds an index alone.
    ///
    /// - Returns: false when there is something in it.
    private func removeIfEmpty(_ folder: URL) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        guard Set(names).isSubset(of: [".countersign"]) else { return false }
        try? FileManager.default.removeItem(at: folder)
        return true
    }

    /// Lists what a broker writes beside its database, apart from the statements: also its socket, which a killed broker leaves,
    /// and that one's lock. The folder may hold files of the person's own if the database was moved.
    private func brokerFiles(of broker: HouseholdFile.Broker) -> [URL] {
        let folder = broker.database.deletingLastPathComponent()
        let suffixes = ["", "-wal", "-shm", ".lock"]
        let socket = broker.socket.map { [$0.file, BrokerSocket.lock(of: $0)] } ?? []
        let secrets = ["database.secret", "broker.pem"].map { folder.appending(path: $0) }
        return secrets + suffixes.map { URL(filePath: broker.database.path + $0) } + socket
            + ["rejected", ".backup", ".backup.lock"].map { folder.appending(path: $0) }
    }

    /// Returns the names of the phones that the household's broker knows; none where it cannot be asked.
    private static func phones(of household: HouseholdFile) async -> [String] {
        guard household.broker != nil, let environment = try? HouseholdFile.completing([:], with: household),
            let broker = try? BrokerAdministration(environment: environment)
        else { return [] }
        return (try? await broker.devices.devices().map(\.name)) ?? []
    }

    /// Says that other people's phones have lost their broker; nil without any besides the household's own.
    static func words(onPhones names: [String], hasOwn: Bool) -> String? {
        guard names.count > (hasOwn ? 1 : 0) else { return nil }
        return
            "Its broker knew these phones: \(names.joined(separator: ", ")). They get no request any more. Where another person's "
            + "phone runs, remove it with: countersign up --remove"
    }
}
