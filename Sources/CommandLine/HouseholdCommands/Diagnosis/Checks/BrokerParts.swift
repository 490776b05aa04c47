import Broker
import CountersignPlugins
import Foundation

/// Looks at the broker of this machine: its configuration, its database, its answers, and its Telegram bot.
struct BrokerParts {
    let installation: Installation

    func findings() async -> [Finding] {
        guard installation.hasBroker else { return [] }
        var found: [Finding] = []
        if FileManager.default.fileExists(atPath: installation.database.path) {
            do {
                _ = try BrokerAdministration(environment: installation.environment)
            } catch {
                found.append(
                    .error(
                        .broker, .databaseUnusable, "\(error)",
                        remedy:
                            "use the program that wrote it, or stop the broker and put a copy by “countersign broker "
                            + "backup” in its place")
                )
            }
        }
        do {
            let configuration = try BrokerConfiguration(
                environment: installation.environment, usesTelegram: installation.usesTelegram)
            found.append(.good(.configuration, "the broker's variables are complete"))
            // InboxCheck looks at the inbox more closely.
            for finding in await BrokerCheck(configuration, channels: Plugins.current.channels).findings()
            where finding.subject != .inbox {
                found.append(Self.finding(finding))
            }
        } catch {
            found += error.problems.map {
                .error(
                    .configuration, .configurationUnusable, $0,
                    remedy: "correct the variable, then: countersign config check")
            }
        }
        return found
    }

    private static func finding(_ finding: BrokerCheck.Finding) -> Finding {
        let subject: Finding.Subject = finding.subject == .telegram ? .telegram : .broker
        guard !finding.isGood else { return .good(subject, finding.text) }
        switch finding.subject {
        case .telegram:
            return .error(
                .telegram, .telegramUnreachable, finding.text,
                remedy:
                    "check TELEGRAM_BOT_TOKEN and this machine's way to the internet, or give --no-telegram to the broker"
            )
        case .credentials:
            return .error(
                .broker, .brokerTokenWrong, finding.text,
                remedy: "start the broker anew with the variables of now, or set those that it was started with")
        case .channel(let name):
            return .error(
                .broker, .channelUnusable, finding.text,
                remedy: "correct the settings of the channel “\(name)”, which this program has as a plug-in")
        case .port:
            return .warning(
                .broker, .brokerPortTaken, finding.text,
                remedy: "stop the program that has the port, and start the broker again")
        case .socket:
            return .warning(
                .broker, .brokerSocketMissing, finding.text,
                remedy:
                    "see the broker's log, and start the broker again; on a disk that takes no sockets, such as exFAT, its port "
                    + "serves all programs")
        case .health, .inbox:
            return .error(
                .broker, .brokerNotRunning, finding.text,
                remedy:
                    "start it: countersign up, or countersign broker serve; as a service: systemctl status countersign-broker"
            )
        }
    }
}
