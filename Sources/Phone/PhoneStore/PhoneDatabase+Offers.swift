import Foundation
import GRDB
import Messages

extension PhoneDatabase {
    static let seenOffers = """
        -- The offers that the owner has been told of, so that each is announced once.
        CREATE TABLE seen_offers (id TEXT PRIMARY KEY, seen_at TEXT NOT NULL);
        """

    /// The days for which an offer is remembered: longer than a broker keeps one open.
    private static let rememberedDays = 180

    /// Notes the offers that the broker lists, and returns those that were not seen before.
    package func noteOffers(_ ids: [OfferID], at now: Date) async throws -> Set<OfferID> {
        try await database.write { database in
            var new: Set<OfferID> = []
            for id in ids {
                try database.execute(
                    sql: "INSERT OR IGNORE INTO seen_offers VALUES (?, ?)",
                    arguments: [id.description, StoreTime.text(now)])
                if database.changesCount == 1 { new.insert(id) }
            }
            let end = now.addingTimeInterval(-86_400 * Double(Self.rememberedDays))
            try database.execute(sql: "DELETE FROM seen_offers WHERE seen_at < ?", arguments: [StoreTime.text(end)])
            return new
        }
    }
}
