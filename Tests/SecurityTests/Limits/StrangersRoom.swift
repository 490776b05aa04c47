@testable import ApprovalPage
@testable import Broker
@testable import BrokerStore

/// One thing that a caller without proof can fill or use up. `docs/limits.md` is made of this table.
struct StrangersRoom: Sendable {
    /// The program that has it.
    let server: String
    let what: String
    let bound: String
    /// The reason why a caller with the right name, token or code is served all the same.
    let fairness: String
    /// The file of the test, in `Tests`, and the test's words.
    let test: (file: String, words: String)

    private static let limits = BrokerLimits()

    static let all: [StrangersRoom] = [
        StrangersRoom(
            server: "broker", what: "open connections",
            bound: "\(limits.connections); one address has half of them",
            fairness:
                "the oldest silent connection makes room; a quarter is kept for phones that have shown their token",
            test: (
                "SecurityTests/SilentConnectionsTests.swift",
                "600 silent connections do not block a broker's health check"
            )),
        StrangersRoom(
            server: "broker", what: "its Unix socket",
            bound: "none: another user's connection ends before a byte is read",
            fairness: "it has connections and counts of its own, of which a flood of the port takes none",
            test: (
                "SecurityTests/UnderFloodTests.swift",
                "a broker answers its own user at its socket, while strangers take what its port has"
            )),
        StrangersRoom(
            server: "broker", what: "wrong tokens",
            bound: "\(whole(limits.rates.wrongTokensPerMinute)) a minute, a third of them at once",
            fairness: "a right token has a bucket of its own, and is never counted there",
            test: (
                "BrokerTests/Server/TallyTests.swift",
                "calls that were refused with 429 are counted apart from wrong tokens"
            )),
        StrangersRoom(
            server: "broker", what: "questions for a proof",
            bound: "malformed ones \(whole(limits.rates.proofBurst)) at once, then "
                + "\(whole(limits.rates.proofsPerSecond)) a second; unknown names count as wrong tokens",
            fairness: "a question that names a token of this broker is never counted",
            test: (
                "BrokerTests/API/TokenProofAPITests.swift",
                "a flood of malformed, too long and unknown questions keeps no client of the broker waiting"
            )),
        StrangersRoom(
            server: "broker", what: "pairing calls",
            bound: "\(whole(limits.rates.pairingBurst)) at once, then \(whole(limits.rates.pairingPerSecond)) a second",
            fairness: "paired devices and agents do not use that bucket",
            test: (
                "BrokerTests/Pairing/PairingTests.swift",
                "has a rate limit of its own, which does not affect paired devices"
            )),
        StrangersRoom(
            server: "broker", what: "attempts of a pairing session",
            bound: "\(PairingDesk.attemptsPerSession) that have begun; \(PairingSession.wrongTries) wrong codes; "
                + "five minutes",
            fairness: "the oldest attempt makes room, and a phone claims right after it begins",
            test: (
                "BrokerTests/Pairing/PairingTests.swift",
                "of 120 wrong codes at once, five are checked"
            )),
        StrangersRoom(
            server: "broker", what: "records of the audit log",
            bound: "one at once, then one a minute for all wrong tokens together",
            fairness: "the record has their number, so that none hides another",
            test: (
                "BrokerTests/Server/TallyTests.swift",
                "six wrong tokens in a row are six in the log, also those after the first, once the broker has ended"
            )),
        StrangersRoom(
            server: "broker", what: "refused deliveries in the synced folder",
            bound: "100 files and 256 MB for seven days, the oldest go first",
            fairness: "a true delivery is taken after any number of forged ones",
            test: (
                "InboxTests/RejectedDeliveriesTests.swift",
                "the oldest go when there are too many, or too many bytes"
            )),
        StrangersRoom(
            server: "Telegram", what: "messages of strangers to the bot",
            bound: "one answer to each chat",
            fairness: "the owner's nudges have a budget of their own",
            test: (
                "SecurityTests/NudgeFloodTests.swift",
                "a stranger's /start is answered once, however often it comes, and delays no nudge"
            )),
        StrangersRoom(
            server: "approval page", what: "open connections",
            bound: "as at the broker",
            fairness: "the oldest silent connection makes room",
            test: (
                "SecurityTests/SilentConnectionsTests.swift",
                "600 silent connections do not block the approval page"
            )),
        StrangersRoom(
            server: "approval page", what: "passphrases",
            bound: "\(whole(SignInLimit.burst)) at once from one address, then one in "
                + "\(SignInLimit.pause.components.seconds) s, and only with a code from the terminal",
            fairness: "without a code none is tried, so a stranger uses up nothing",
            test: (
                "SecurityTests/StrangersGuessTests.swift",
                "a stranger without a code from the terminal uses up no passphrase try, and delays no one"
            )),
        StrangersRoom(
            server: "approval page", what: "browsers that it knows",
            bound: "\(PageSessions.most)",
            fairness: "only a code from the terminal admits one; the longest unused makes room",
            test: (
                "ApprovalPageTests/Routes/RememberedBrowserTests.swift",
                "one that is known stays known, signed out, with another form token; one that is forgotten does not"
            )),
        StrangersRoom(
            server: "approval page", what: "open passkey questions",
            bound: "\(Challenges.most), each for \(Challenges.lifetime.components.seconds) s",
            fairness: "only browsers that have shown a code are asked",
            test: (
                "ApprovalPageTests/Routes/PasskeyPageTests.swift",
                "an answer for one purpose does not count for another"
            )),
        StrangersRoom(
            server: programs, what: "open connections",
            bound: "\(RemoteAccessServer.mostConnections), and deadlines for each call",
            fairness:
                "a silent connection ends at its deadline, and only programs of this machine reach the server",
            test: (
                "BrokerTests/RemoteAccess/HostileProgramTests.swift",
                "that sends too much, too often, or the wrong way is told so"
            )),
        StrangersRoom(
            server: programs, what: "calls without a known token",
            bound: "\(rate(.message)); `/mcp` is counted alone, `/token` and `/revoke` together",
            fairness: "an allowed program has a bucket of its own, also with a token that has ended",
            test: (
                "BrokerTests/RemoteAccess/HostileProgramTests.swift",
                "that tries tokens by the hundred keeps no allowed program from renewing its own"
            )),
        StrangersRoom(
            server: programs, what: "registrations",
            bound: "\(rate(.registering)); none is kept",
            fairness:
                "each address has its own, questions do not use it, and a program that is known does not register again",
            test: (
                "BrokerTests/RemoteAccess/RemoteLimitsTests.swift",
                "a thousand registrations of one address at once keep no known program from asking, and no other address"
            )),
        StrangersRoom(
            server: programs, what: "questions that wait for a person",
            bound: "\(AuthorizationServer.mostWaiting), each for \(whole(AuthorizationServer.askLife)) s; calls "
                + "\(rate(.asking))",
            fairness:
                "each address has its own calls, and a new question takes the place of one of the address that has the most, "
                + "if that has two more than its own",
            test: (
                "BrokerTests/RemoteAccess/ManyStrangersTests.swift",
                "of one address take no other address's place among the questions that wait for a person"
            )),
        StrangersRoom(
            server: programs, what: "records of the audit log",
            bound: "one of less than 500 bytes for each question that waits",
            fairness: "it has a host or a digest, and nothing else that a stranger says",
            test: (
                "BrokerTests/RemoteAccess/HostileProgramTests.swift",
                "with 2 KB of a name leaves a short record in the audit log"
            )),
        StrangersRoom(
            server: "assistant", what: "passkey questions",
            bound: "no state before the proof: the question carries its own seal",
            fairness: "nothing is displaced",
            test: (
                "AssistantTests/API/PasskeySignInTests.swift",
                "1,200 questions of strangers displace no person's, and store nothing"
            )),
    ]

    private static let programs = "`mcp --http`"

    private static func rate(_ call: RemoteLimits.StrangersCall) -> String {
        let rate = RemoteLimits.Party.stranger(call, from: "").rate
        let words =
            rate.perSecond < 1
            ? "\(whole(rate.burst)) at once, then one in \(whole(1 / rate.perSecond)) s"
            : "\(whole(rate.burst)) at once, then \(whole(rate.perSecond)) a second"
        return "\(words) from one address, and \(RemoteLimits.addressesTogether) times that from all"
    }

    private static func whole(_ number: Double) -> String { String(Int(number)) }

    /// The page of the documentation.
    static var page: String {
        let head = """
            # What strangers can fill

            Each server has places that a caller without a token, a code or a passkey can fill. This table lists them, with
            the bound, and with why a right name or token is served all the same. It is made from `Tests/SecurityTests/Limits`,
            which takes the numbers from the code. The limits of agents and phones that have shown a token are in the
            [broker's guide](broker.md).

            | server | what | bound | why the right caller is served | test |
            |---|---|---|---|---|

            """
        return head
            + all.map { room in
                "| \(room.server) | \(room.what) | \(room.bound) | \(room.fairness) | `\(room.test.file)` |\n"
            }.joined()
    }
}
