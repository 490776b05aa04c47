/// The open connections of a server, and the decision which of them has to go when there are too many.
///
/// A connection is silent while its client owes something: a request's head, a body, or the next request. One whose
/// answer the server prepares, such as a long poll, is never told to go. Nor is one that a phone uses.
struct ConnectionRoster<ID: Hashable & Sendable>: Sendable {
    /// The number of connections at which the oldest silent one makes room. It lies below the hard limit, so that a new
    /// connection is always accepted while any of the others is silent.
    let most: Int
    /// The number of connections that one address may have.
    let mostPerAddress: Int
    /// The number of connections that can be preferred, so that they cannot keep everyone else out.
    let mostPreferred: Int

    private struct Entry {
        let address: String
        /// The place in the order of silence; nil while an answer is prepared.
        var silentSince: UInt64?
        var isPreferred = false
    }

    private var entries: [ID: Entry] = [:]
    private var perAddress: [String: Int] = [:]
    private var turn: UInt64 = 0
    private var preferred = 0

    /// - Parameter limit: the hard limit of the server, at least 1.
    init(limit: Int) {
        most = max(1, limit - max(1, limit / 8))
        mostPerAddress = max(1, limit / 2)
        mostPreferred = limit / 4
    }

    var count: Int { entries.count }

    /// Adds a connection that has sent nothing yet.
    ///
    /// - Returns: the connections to close: perhaps this one, if its address has too many and none of them is silent.
    mutating func open(_ id: ID, from address: String) -> [ID] {
        entries[id] = Entry(address: address, silentSince: next())
        perAddress[address, default: 0] += 1
        var leaving: [ID] = []
        if perAddress[address, default: 0] > mostPerAddress,
            let oldest = oldestSilent(where: { $0.address == address })
        {
            leaving.append(oldest)
        }
        if entries.count - leaving.count > most,
            let oldest = oldestSilent(where: { $0.silentSince != turn }, except: leaving)
        {
            leaving.append(oldest)
        }
        for id in leaving { close(id) }
        return leaving
    }

    /// Notes that the server waits for the client. A connection that is silent already keeps its place.
    mutating func waitForClient(_ id: ID) {
        guard let entry = entries[id], entry.silentSince == nil else { return }
        let turn = next()
        entries[id]?.silentSince = turn
    }

    /// Notes that the server prepares an answer.
    mutating func prepareAnswer(_ id: ID) { entries[id]?.silentSince = nil }

    /// Notes that a phone uses the connection, so that it is not told to go. Does nothing when too many are preferred.
    mutating func prefer(_ id: ID) {
        guard entries[id]?.isPreferred == false, preferred < mostPreferred else { return }
        entries[id]?.isPreferred = true
        preferred += 1
    }

    mutating func close(_ id: ID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        if entry.isPreferred { preferred -= 1 }
        let left = (perAddress[entry.address] ?? 1) - 1
        perAddress[entry.address] = left == 0 ? nil : left
    }

    private mutating func next() -> UInt64 {
        turn += 1
        return turn
    }

    private func oldestSilent(where matches: (Entry) -> Bool, except leaving: [ID] = []) -> ID? {
        var oldest: (id: ID, since: UInt64)?
        for (id, entry) in entries where !entry.isPreferred && matches(entry) && !leaving.contains(id) {
            guard let since = entry.silentSince, since < oldest?.since ?? .max else { continue }
            oldest = (id, since)
        }
        return oldest?.id
    }
}
