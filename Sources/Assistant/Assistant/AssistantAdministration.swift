import AssistantJobs
import AssistantStore
import Foundation
import Synchronization

/// The tasks of the operator, beside the running service.
package struct AssistantAdministration: Sendable {
    private let configuration: AssistantConfiguration

    package init(_ configuration: AssistantConfiguration) {
        self.configuration = configuration
    }

    /// Makes an invitation for one new user.
    ///
    /// - Returns: its code, which is kept nowhere.
    /// - Throws: ``AssistantStartError`` when the state folder has no key: with a new one the code would never work.
    package func invite(days: Int, at now: Date = Date()) async throws -> String {
        let root = configuration.state.appending(path: "root.key")
        guard access(root.path, F_OK) == 0 else {
            throw AssistantStartError(
                "\(root.path) is missing: an invitation counts only under the service's key. Start the service once, and "
                    + "run this as its user, with its variables")
        }
        let keys = try StateKeys(in: configuration.state)
        let code = InvitationCode.random()
        try await withDatabase { database in
            try await database.invitations.add(
                keys.digest(code, for: "invitation"), expires: now.addingTimeInterval(86_400 * Double(days)), at: now)
        }
        return code
    }

    /// The key to which browsers subscribe, and how many have.
    package struct PushKey: Sendable {
        package let version: Int
        package let publicKey: String
        package let browsers: Int
    }

    /// Returns the key for notifications of browsers.
    ///
    /// - Throws: ``AssistantStartError`` before the first start, which makes it.
    package func pushKey() async throws -> PushKey {
        guard let server = try configuration.notices.storedApplicationServer(in: configuration.state) else {
            throw AssistantStartError(
                "this assistant has no key for notifications yet; it makes one at its first start")
        }
        let browsers = try await withDatabase { database in try await database.devices.countBrowsers() }
        return PushKey(version: server.version, publicKey: server.publicKey, browsers: browsers)
    }

    /// Replaces the key for notifications, and forgets the browsers that subscribed to the earlier one. A service that runs goes on
    /// with the earlier key until it starts anew.
    ///
    /// - Returns: the new key, with the number of browsers that were forgotten.
    /// - Throws: ``AssistantStartError`` before the first start, which makes the key.
    package func replacePushKey() async throws -> PushKey {
        guard try configuration.notices.storedApplicationServer(in: configuration.state) != nil else {
            throw AssistantStartError("this assistant has no key for notifications that could be replaced")
        }
        let forgotten = Mutex(0)
        // First the browsers: one that stayed behind the key would never be heard of.
        let next = try await configuration.notices.replaceApplicationServer(in: configuration.state) {
            let count = try await withDatabase { database in try await database.devices.removeBrowsers() }
            forgotten.withLock { $0 = count }
        }
        return PushKey(version: next.version, publicKey: next.publicKey, browsers: forgotten.withLock { $0 })
    }

    private func withDatabase<Value: Sendable>(
        _ body: @Sendable (AssistantDatabase) async throws -> Value
    ) async throws -> Value {
        let database = try await AssistantDatabase.open(
            configuration.databaseURL, password: configuration.databasePassword,
            authorities: configuration.authorities)
        do {
            let value = try await body(database)
            await database.close()
            return value
        } catch {
            await database.close()
            throw error
        }
    }
}
