import ArgumentParser
import Encodings
import Foundation
import KeyCustody
import Storage
import Terminal

struct AssistantKeyServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kms", abstract: "Run the local key service, rotate its key, and show who went around it.",
        subcommands: [
            KeyServiceServeCommand.self, KeyServiceRotateCommand.self, KeyServiceVersionsCommand.self,
            KeyServiceRemoveCommand.self, KeyServiceLogCommand.self,
        ],
        defaultSubcommand: KeyServiceServeCommand.self)
}

struct KeyServiceServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the key service, which opens data keys for the enclave only.",
        discussion: """
            Configured by environment variables:
              ASSISTANT_KMS_SOCKET               where it is called, by default in the state folder
              ASSISTANT_KEY_POLICY_FILE          the policy (JSON, mode 0600), made at the first start and read
                                                 again before each decision
              ASSISTANT_KMS_SEALING_SECRET_FILE  a file of mode 0600 whose first line, of 32 bytes or more, seals the
                                                 master keys; by default one in the state folder
              ASSISTANT_EVIDENCE_KEY_FILE        the enclave's public key, for evidence made by software
              ASSISTANT_KMS                      local (default), or aws for a key at AWS KMS, for Nitro enclaves only
              ASSISTANT_AWS_REGION, ASSISTANT_AWS_KEY_ID   that key
              ASSISTANT_AWS_CREDENTIALS_FILE     a file of mode 0600 with credentials, in the form of AWS's tools; by
                                                 default the one that these tools read
              AWS_PROFILE (default)              the section of that file
              ASSISTANT_AWS_KMS_URL              by default AWS's own of that region
              ASSISTANT_NITRO_ROOT_SHA256        the digest of the root for evidence by Nitro, by default AWS's
              ASSISTANT_TPM_KEY_FILE, ASSISTANT_TPM_PCRS   the enrolled key and the registers for evidence by a TPM
              ASSISTANT_API_USER, ASSISTANT_ENCLAVE_USER   the users who may call it, by default its own user
            """)

    @OptionGroup var options: ProcessOptions

    func run() async throws {
        try await reportingFailures {
            let configuration = try KeyServiceConfiguration(environment: ProcessInfo.processInfo.environment)
            let logger = options.logger("kms")
            let process = KeyServiceProcess(
                configuration, logger: logger,
                onReady: {
                    logger.info(
                        "key service is ready", metadata: ["socket": "\(configuration.places.keyServiceSocket.path)"])
                })
            try await options.run([process])
            logger.info("key service has ended")
        }
    }
}

struct KeyServiceRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Make a new version of the master key, and seal every token again under it.",
        discussion: """
            Run it as the key service's user, with its variables and those of the database. Earlier versions stay, for \
            backups of the database from before, until you remove them.
            """)

    @Flag(help: "Make no new version; seal again what a rotation has left that was interrupted.")
    var onlyReseal = false

    func run() async throws {
        let outcome = try await reportingFailures {
            let rotation = KeyRotation(
                try KeyServiceConfiguration(environment: ProcessInfo.processInfo.environment))
            return onlyReseal ? try await rotation.finish() : try await rotation.rotate()
        }
        print("\(outcome.active.tokenKeyID), version \(outcome.active.tokenVersion), is active")
        print("tokens sealed again: \(outcome.resealed)")
        guard !outcome.lost.isEmpty else { return }
        print("connections that have to be made again, as their token cannot be opened: \(outcome.lost.count)")
        for id in outcome.lost { print("  con_\(id.uuidString.lowercased())") }
        throw ExitCode(1)
    }
}

struct KeyServiceVersionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions", abstract: "List the versions of the master key, each with the tokens under it.",
        discussion: "Run it as the key service's user, with its variables and those of the database.")

    func run() async throws {
        let versions = try await reportingFailures {
            try await KeyVersions(
                try KeyServiceConfiguration(environment: ProcessInfo.processInfo.environment)
            ).all()
        }
        for version in versions {
            let use = version.isActive ? ", active" : version.tokens == 0 ? ", can be removed" : ""
            print("\(version.key.tokenKeyID), version \(version.key.tokenVersion): \(version.tokens) tokens\(use)")
        }
    }
}

struct KeyServiceRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a version of the master key for ever, if no token is sealed under it.",
        discussion: """
            Run it as the key service's user, with its variables and those of the database. Backups of the database from \
            before the rotation do not open any more.
            """)

    @Argument(help: "The number of the version; “versions” lists them.")
    var version: Int

    func run() async throws {
        let key = try await reportingFailures {
            try await KeyVersions(
                try KeyServiceConfiguration(environment: ProcessInfo.processInfo.environment)
            ).remove(version)
        }
        print("\(key.tokenKeyID), version \(key.tokenVersion), is gone")
    }
}

struct KeyServiceLogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show each change of the policy and each rotation, and verify that none is missing.")

    func run() async throws {
        let (entries, verdict) = try await reportingFailures {
            let configuration = try KeyServiceConfiguration(environment: ProcessInfo.processInfo.environment)
            let log = try BreakGlassLog(configuration.breakGlass)
            return (try await log.entries(), try await log.verify())
        }
        for entry in entries {
            let time = entry.event.time.formatted(.iso8601)
            Console.standard.line("\(time) \(entry.event.type) \(entry.event.details.compactText())")
        }
        guard case .intact(let count, _) = verdict else {
            throw CommandFailure("the log was changed: \(verdict)")
        }
        print("\(count.counted("entry", "entries")), the chain is whole")
    }
}
