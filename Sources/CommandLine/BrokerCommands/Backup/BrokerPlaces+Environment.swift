import Broker
import BrokerStore
import Encodings
import Foundation
import Secrets
import Terminal

extension BrokerPlaces {
    /// Returns the places of the broker that the variables configure, else of the household's broker.
    ///
    /// - Parameter own: the variables of this process.
    static func ofBroker(_ own: [String: String]) throws -> BrokerPlaces {
        let environment = try HouseholdFile.completing(own)
        var places = BrokerPlaces(variables: environment)
        if let broker = HouseholdFile.current?.broker, !HouseholdFile.isOverridden(own) {
            places.household = Household(file: HouseholdFile.place(own), agentToken: broker.agentToken)
        }
        return places
    }

    private init(variables: [String: String]) {
        let database = BrokerConfiguration.database(variables)
        func place(_ setting: BrokerSetting, isFolder: Bool) -> URL? {
            guard let path = setting.value(in: variables) else { return nil }
            return URL(filePath: TypedPath.expanded(path), directoryHint: isFolder ? .isDirectory : .notDirectory)
                .standardizedFileURL
        }
        let secret = BrokerSetting.sealingSecret.value(in: variables).map { Secret($0) }
        self.init(
            database: database,
            sealing: secret.map { .variable($0) } ?? .file(SealingFile(besideDatabase: database).file),
            archive: place(.archive, isFolder: true), policy: place(.policyFile, isFolder: false))
    }

    /// Returns a folder for an archive: the household's own, or one beside it if documents are still there. Restoring
    /// overwrites nothing.
    private static func free(_ folder: URL) -> URL {
        var place = folder
        var number = 1
        while let names = try? FileManager.default.contentsOfDirectory(atPath: place.path), !names.isEmpty {
            number += 1
            place = folder.deletingLastPathComponent()
                .appending(path: "\(folder.lastPathComponent) (\(number))", directoryHint: .isDirectory)
        }
        return place
    }

    /// Returns the places for the household of a backup: in its old folder, or in this user's if that is another one.
    ///
    /// - Returns: the places, and the household as its file is written for them.
    static func ofHousehold(
        _ bytes: Data, _ own: [String: String]
    ) throws -> (places: BrokerPlaces, household: HouseholdFile) {
        let old: HouseholdFile
        do {
            old = try HouseholdFile(JSONReader.read(bytes))
        } catch {
            throw CommandFailure("the household's file in the backup cannot be read: \(error)")
        }
        var household = old.moved(to: HouseholdFile.dataFolder(own))
        guard let broker = household.broker else {
            throw CommandFailure(
                "the household's file in the backup names no broker, so nothing can be restored from it")
        }
        // A household makes these in its own folder. In a file that names another place, someone else has.
        let folder = HouseholdFile.dataFolder(own).standardizedFileURL.path + "/"
        for part in [broker.database, broker.sealingSecret, broker.agentToken]
        where !part.standardizedFileURL.path.hasPrefix(folder) {
            throw CommandFailure(
                "the household's file in the backup puts \(part.path) outside the household's folder; restore a backup that "
                    + "you made yourself")
        }
        var places = BrokerPlaces(variables: own)
        if places.archive == nil, let usual = broker.statements {
            let free = Self.free(usual)
            places.archive = free
            if free != usual { places.occupiedArchive = usual }
        }
        household.broker?.statements = places.archive
        places.database = broker.database
        places.sealing = .file(broker.sealingSecret)
        places.household = Household(file: HouseholdFile.place(own), agentToken: broker.agentToken)
        // A policy that lay elsewhere comes into the household's folder, where nothing else is written over.
        if places.policy == nil, household.settings.names.contains(BrokerSetting.policyFile.name) {
            let file = HouseholdFile.dataFolder(own).appending(path: "policy.yaml").standardizedFileURL
            places.policy = file
            household.settings.set(BrokerSetting.policyFile.name, to: file.path)
        }
        return (places, household)
    }
}
