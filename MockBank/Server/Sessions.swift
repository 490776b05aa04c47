import Foundation

/// The active sessions of visitors.
actor Sessions {
    enum Stage: Sendable, Hashable {
        case anonymous
        /// The user name and password were correct; the second factor is missing.
        case passwordAccepted
        /// The second factor was correct too, but the customer must complete another page first.
        case heldBack
        case signedIn
    }

    struct Session: Sendable {
        var stage = Stage.anonymous
        let csrf = Sessions.randomToken()
        var codeTries = 0
        /// The six digits that the picture shows.
        let pictureCode = String((0..<6).map { _ in "0123456789".randomElement()! })
        /// Chooses the positions of the memorable word that this session asks for.
        let wordStart = Int.random(in: 0..<100)
        /// The keys of the pad, in their places.
        var pad: [(key: String, digit: String)] = []
        /// The digits that were entered with the pad.
        var typed = ""
        var visits = 0
        /// The ordered statements, each with the number of requests for it since.
        var orders: [String: Int] = [:]
    }

    private var sessions: [String: Session] = [:]
    private var tickets: [String: String] = [:]
    /// The values of the cookies by which the bank knows devices.
    private var devices: Set<String> = []

    static func randomToken() -> String {
        UUID().uuidString.replacing("-", with: "").lowercased()
    }

    func session(_ token: String?) -> Session? { token.flatMap { sessions[$0] } }

    func begin() -> (token: String, session: Session) {
        let token = Self.randomToken()
        let session = Session()
        sessions[token] = session
        return (token, session)
    }

    func begin(at stage: Stage) -> String { raise("", to: stage) }

    /// Moves a session to another stage under a new token, against session fixation.
    func raise(_ token: String, to stage: Stage) -> String {
        sessions[token] = nil
        let fresh = Self.randomToken()
        var session = Session()
        session.stage = stage
        sessions[fresh] = session
        return fresh
    }

    func countCodeTry(_ token: String) -> Int {
        sessions[token]?.codeTries += 1
        return sessions[token]?.codeTries ?? 0
    }

    /// Gives the pad's keys new places and names.
    func shufflePad(_ token: String) -> Session? {
        sessions[token]?.pad = "0123456789".shuffled().map { (Self.randomToken(), String($0)) }
        return sessions[token]
    }

    func type(_ digit: String, in token: String) -> String {
        sessions[token]?.typed += digit
        return sessions[token]?.typed ?? ""
    }

    func clearTyped(_ token: String) { sessions[token]?.typed = "" }

    func countVisit(_ token: String) -> Int {
        sessions[token]?.visits += 1
        return sessions[token]?.visits ?? 0
    }

    func order(_ path: String, by token: String) { sessions[token]?.orders[path] = 0 }

    /// Counts another request for every ordered statement.
    func look(_ token: String) {
        guard let orders = sessions[token]?.orders else { return }
        sessions[token]?.orders = orders.mapValues { $0 + 1 }
    }

    /// Returns a single-use ticket that carries the session to another host.
    func ticket(for token: String) -> String {
        let ticket = Self.randomToken()
        tickets[ticket] = token
        return ticket
    }

    func redeem(_ ticket: String) -> String? { tickets.removeValue(forKey: ticket) }

    /// Makes a device known from now on.
    func rememberDevice() -> String {
        let device = Self.randomToken()
        devices.insert(device)
        return device
    }

    /// Returns whether a device is known, and forgets it: it gets another value at each visit.
    func recognise(_ device: String?) -> Bool { device.map { devices.remove($0) != nil } ?? false }

    func end(_ token: String) { sessions[token] = nil }
}
