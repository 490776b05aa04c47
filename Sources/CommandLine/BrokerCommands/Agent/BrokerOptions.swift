import ArgumentParser
import Broker
import BrokerClient
import Encodings
import Foundation
import Messages
import Secrets
import Terminal

/// The broker's address and the agent's token.
struct BrokerOptions: ParsableArguments {
    @Option(
        help: """
            The broker's address, or unix: and the path of its socket; by default BROKER_URL, or the household's own.
            """)
    var broker: String?

    @Option(help: "A file whose first line is the agent's token; by default BROKER_API_TOKEN.")
    var tokenFile: String?

    @Option(help: "A PEM file with the authority of the broker's certificate (BROKER_CA_FILE).")
    var caFile: String?

    @Flag(
        help: """
            Send the token over plain HTTP also to a broker that cannot prove that it knows it, because it knows only the \
            specification (BROKER_TRUST_UNPROVEN=yes). Any program at its port then gets the token.
            """)
    var trustUnprovenBroker = false

    func client() throws -> AgentClient {
        let own = ProcessInfo.processInfo.environment
        // The household's token is for its own broker alone, and only while that one listens. An agent with a token of its own
        // asks the same broker; where that is elsewhere, the usual address is asked.
        let environment =
            switch (broker, tokenFile) {
            case (nil, nil): try HouseholdFile.completing(own)
            case (nil, .some): (try? HouseholdFile.completing(own)) ?? own
            default: own
            }
        if own["BROKER_API_TOKEN"] == nil, environment["BROKER_API_TOKEN"] != nil {
            guard let running = try? BrokerAdministration(environment: environment), running.isRunning else {
                throw CommandFailure("the household's broker does not run; start it with: countersign up")
            }
        }
        let place = BrokerPlace(typed: broker, own: own, complete: environment)
        try place.check()
        let authority = (caFile ?? environment["BROKER_CA_FILE"]).map { URL(filePath: $0) }
        let unknownProof = try unknownProof(environment, place.address)
        if let tokenFile {
            return AgentClient(
                baseURL: place.address, token: try Asking.secret(inFile: tokenFile), sockets: place.sockets,
                authority: authority, unknownProof: unknownProof)
        }
        guard let token = environment["BROKER_API_TOKEN"], !token.isEmpty else {
            throw missingToken(environment)
        }
        return AgentClient(
            baseURL: place.address, token: Secret(token), sockets: place.sockets, authority: authority,
            unknownProof: unknownProof)
    }

    private func missingToken(_ environment: [String: String]) -> CommandFailure {
        let elsewhere = "set BROKER_API_TOKEN, or give --token-file"
        guard HouseholdFile.current == nil else {
            let (place, way) =
                broker.map { ($0.inLine(limit: 80), "leave --broker out") }
                ?? (environment["BROKER_URL"]?.inLine(limit: 80) ?? "another broker", "unset BROKER_URL")
            return CommandFailure(
                "the agent's token is missing: \(place) does not get the household's own, which goes to its own broker alone. To "
                    + "ask that one, \(way); for another broker, \(elsewhere)")
        }
        guard broker == nil, environment["BROKER_URL"] == nil else {
            return CommandFailure("the agent's token is missing; \(elsewhere)")
        }
        return CommandFailure(
            "no household is set up on this machine; make one with: countersign up. For a broker elsewhere, give --broker, "
                + "and \(elsewhere)")
    }

    /// Returns a client that shows a token of this process's own to the broker.
    func client(showing token: Secret) throws -> AgentClient {
        let own = ProcessInfo.processInfo.environment
        let environment = try HouseholdFile.completing(own)
        let place = BrokerPlace(typed: broker, own: own, complete: environment)
        return AgentClient(
            baseURL: place.address, token: token, sockets: place.sockets,
            authority: (caFile ?? environment["BROKER_CA_FILE"]).map { URL(filePath: $0) },
            unknownProof: try unknownProof(environment, place.address))
    }

    /// Returns the error with the place of the token that the broker does not know.
    func namingToken(_ error: AgentError) -> AgentError {
        guard error.code == ErrorCode.unauthorized.rawValue, let tokenFile else { return error }
        var error = error
        let own = ProcessInfo.processInfo.environment
        let isHouseholds =
            broker == nil && own["BROKER_URL"] == nil && own["BROKER_API_TOKEN"] == nil
            && HouseholdFile.current?.broker != nil
        let without = isHouseholds ? "leave --token-file out to ask as the household's own agent, or " : ""
        error.message =
            "the broker does not know the token in \(tokenFile); \(without)make one with: countersign agent add NAME"
        return error
    }

    /// Asks the broker with a client that is closed afterwards, and says what to do when that fails.
    func asking<Answer>(_ ask: (AgentClient) async throws -> Answer) async throws -> Answer {
        let client = try client()
        return try await reportingFailures {
            do {
                let answer = try await ask(client)
                await client.close()
                return answer
            } catch {
                await client.close()
                throw (error as? AgentError).map { namingToken($0.inOptions) } ?? error
            }
        }
    }

    /// Returns what to do where a broker does not answer because the household was stopped meanwhile; else the error itself.
    func explained(_ error: any Error) -> any Error {
        let own = ProcessInfo.processInfo.environment
        guard let failure = error as? AgentError, failure.code == nil, broker == nil, tokenFile == nil,
            own["BROKER_API_TOKEN"] == nil, let environment = try? HouseholdFile.completing(own),
            environment["BROKER_API_TOKEN"] != nil,
            (try? BrokerAdministration(environment: environment))?.isRunning != true
        else { return error }
        return CommandFailure(
            "the household's broker has stopped, and the request may still wait; start it with countersign up, and look with: "
                + "countersign requests")
    }

    private func unknownProof(_ environment: [String: String], _ address: String) throws -> UnknownProof {
        let variable = environment["BROKER_TRUST_UNPROVEN"] ?? ""
        guard ["", "yes", "no"].contains(variable) else {
            throw CommandFailure("BROKER_TRUST_UNPROVEN is “\(variable)”, but must be yes or no", status: 2)
        }
        guard trustUnprovenBroker || variable == "yes" else { return .refused }
        return .trusted {
            Console.standard.error(
                "warning: the program at \(address) gets the token without a proof that it is the broker "
                    + "(--trust-unproven-broker)")
        }
    }
}
