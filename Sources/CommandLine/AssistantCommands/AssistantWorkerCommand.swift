import ArgumentParser
import AssistantJobs
import Foundation
import Terminal

struct AssistantWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "Perform the users' jobs: reminders, briefs and alerts.",
        discussion: """
            It reads calendars and mail at Google with access tokens from the enclave, and sends notices. Any number of \
            workers may share a PostgreSQL. On SQLite, “assistant serve” starts the one that is needed.

            Configured by environment variables:
              ASSISTANT_CALENDAR_SYNC_SECONDS (60)   the seconds between two looks at a user's calendars
              ASSISTANT_MAIL_SYNC_SECONDS (120)      the seconds between two looks at a user's mail
              ASSISTANT_DATABASE_URL, ASSISTANT_DATABASE_PASSWORD_FILE   as for the API
              ASSISTANT_ENCLAVE_SOCKET, ASSISTANT_ENCLAVE_USER           as for the API
              ASSISTANT_GOOGLE_CLIENT_ID, ASSISTANT_GOOGLE_API_URL       as for the API
              APNS_TEAM_ID, APNS_KEY_ID, APNS_KEY_FILE, APNS_TOPIC, APNS_URL   as for the API
              WEBPUSH_ORIGINS, VAPID_SUBJECT     as for the API
              ASSISTANT_BROKER_URL               the broker that is asked for statements; by default none
              ASSISTANT_BROKER_TOKEN_FILE        a file of mode 0600 with the token of the assistant's own agent
              ASSISTANT_BROKER_USERS             the ids of the users who may ask, with commas
              ASSISTANT_STATEMENT_SCHEDULE       when last month's statements are offered: monthly DAY TIME ZONE
              ASSISTANT_CA_FILE                  more certificate authorities for outgoing connections (PEM)
            It uses the state folder of the API, and runs as the API's user.
            """)

    @OptionGroup var options: ProcessOptions

    func run() async throws {
        try await reportingFailures {
            let configuration = try WorkerConfiguration(environment: ProcessInfo.processInfo.environment)
            let logger = options.logger("worker")
            let process = WorkerProcess(configuration, logger: logger, onReady: { logger.info("worker is ready") })
            try await options.run([process])
            logger.info("worker has ended")
        }
    }
}
