/// Variables of this shell that a household does not take.
package enum UntakenVariables {
    /// Returns those that no program of a household gets: its own file decides instead.
    package static func ofHousehold(_ environment: [String: String]) -> [String] {
        names(in: environment, ["BROKER_", "PHONE_", "ICLOUD_"])
    }

    /// Returns those that a household gets which is started here, and that its service does not: a service has no shell.
    static func ofService(_ environment: [String: String]) -> [String] {
        names(in: environment, ["TELEGRAM_", "PAPERLESS_", "VAPID_"])
    }

    private static func names(in environment: [String: String], _ prefixes: [String]) -> [String] {
        environment.filter { name, value in !value.isEmpty && prefixes.contains(where: name.hasPrefix) }.keys.sorted()
    }
}
