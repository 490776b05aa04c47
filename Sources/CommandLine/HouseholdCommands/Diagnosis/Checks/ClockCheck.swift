import CurlClient
import Foundation

/// Tells whether this machine's clock can be trusted: requests are valid for minutes, and codes for seconds.
struct ClockCheck {
    let installation: Installation
    /// The folder in which systemd's time service says that it has set the clock.
    var timeService = "/run/systemd/timesync"
    private static let tolerance: TimeInterval = 30

    func findings() async -> [Finding] {
        var found: [Finding] = []
        if let late = newest(), late.date.timeIntervalSinceNow > Self.tolerance {
            found.append(
                .error(
                    .clock, .clockBehind,
                    "\(late.path) was written \(Self.words(late.date.timeIntervalSinceNow)) in the future: the clock was set "
                        + "back", remedy: "set the clock: sudo timedatectl set-ntp true"))
        }
        if let difference = await differenceToBroker(), abs(difference) > Self.tolerance {
            found.append(
                .error(
                    .clock, .clockDiffers,
                    "the broker's clock is \(Self.words(abs(difference))) \(difference > 0 ? "ahead of" : "behind") this one",
                    remedy: "set the clocks of both machines: sudo timedatectl set-ntp true"))
        }
        if FileManager.default.fileExists(atPath: timeService),
            !FileManager.default.fileExists(atPath: timeService + "/synchronized")
        {
            found.append(
                .warning(
                    .clock, .clockNotSynchronised, "no time server has set this machine's clock since it was started",
                    remedy: "look at: timedatectl timesync-status"))
        }
        return found.isEmpty ? [.good(.clock, "nothing says that the clock is wrong")] : found
    }

    /// The file that was written last.
    private func newest() -> (path: String, date: Date)? {
        let database = installation.database
        let files = [
            database.path, database.path + "-wal",
            installation.phoneHome.appending(path: "phone.sqlite").path,
            installation.phoneHome.appending(path: "vault.json").path,
        ]
        return files.compactMap { path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return (attributes?[.modificationDate] as? Date).map { (path, $0) }
        }.max { $0.1 < $1.1 }
    }

    /// Returns by how many seconds the clock of a broker on another machine is ahead; nil when it does not say.
    private func differenceToBroker() async -> TimeInterval? {
        guard let address = installation.brokerAddress else { return nil }
        var configuration = CurlConfiguration()
        configuration.limits.connect = .seconds(5)
        configuration.limits.whole = .seconds(10)
        configuration.extraCAFile = installation.environment["BROKER_CA_FILE"].map { URL(filePath: $0) }
        let http = CurlSession(configuration)
        let answer = try? await http.send(HTTPRequest("GET", address + "/healthz"))
        await http.close()
        guard let text = answer?.headers.first(where: { $0.name.lowercased() == "date" })?.value else { return nil }
        return Self.date(ofHeader: text)?.timeIntervalSinceNow
    }

    /// Reads a date such as “Sun, 06 Nov 1994 08:49:37 GMT” (RFC 9110, section 5.6.7).
    static func date(ofHeader text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: text)
    }

    private static func words(_ seconds: TimeInterval) -> String {
        Duration.seconds(seconds).formatted(
            .units(allowed: [.days, .hours, .minutes, .seconds], width: .wide, maximumUnitCount: 2))
    }
}
