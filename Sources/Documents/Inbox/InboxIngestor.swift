import Foundation
import Machine
import Messages
import Secrets
import Signer

/// Reports changes in a folder. A report is only a hint: regular scans find the changes that it misses.
protocol FolderWatch: Sendable {
    var events: AsyncStream<DirectoryEvent> { get }
}

extension DirectoryWatch: FolderWatch {}

/// The intervals at which an inbox is watched.
public struct IngestTiming: Sendable {
    /// The time between scans: 10 s (specification, section 13).
    public var reconciliation: Duration = .seconds(10)
    /// The time for which a file has to stay the same before it counts: 2 s.
    public var stability: Duration = .seconds(2)
    /// The time for which remains of a delivery have to stay the same, while their request has ended, before they go: half
    /// an hour. A phone needs moments between a file and its manifest, and a synced folder brings them minutes apart.
    public var remains: Duration = .seconds(1800)

    public init() {}
}

/// The broker's side of the synced folder: finds deliveries, verifies them, and hands them to the ledger.
///
/// Reports of the watch are hints; the scans at the start, every ten seconds and after an overflow are the truth. A file
/// counts when two looks, two seconds apart, see the same size and time. The PDF is copied into the broker's own store and
/// hashed in one pass: the bytes that were verified are the bytes that are kept. What a phone has left of a delivery that
/// cannot be completed any more goes after a time.
public actor InboxIngestor {
    private let folder: URL
    private let store: URL
    private let rejected: RejectedDeliveries
    private let verification = DeliveryVerification()
    private let secrets: ManifestSecrets
    private let ledger: any DeliveryLedger
    private let timing: IngestTiming
    private let remains: RemainsSweep
    private let watch: @Sendable (URL) throws -> any FolderWatch
    private var looks: [String: Look] = [:]
    private var hasScanned = false
    private var isThere = true
    /// The deliveries that could not be taken, with the reason that was told.
    private var postponed: [String: String] = [:]
    /// The refused deliveries that could not be removed, such as a folder with a manifest's name: each is reported once.
    private var immovable: Set<String> = []

    /// The number of deliveries that are verified at a time: while one waits for the disk, another is hashed.
    private static let atOnce = 4

    private struct Look {
        let manifest: InboxListing.Stamp
        let pdf: InboxListing.Stamp
        let at: ContinuousClock.Instant
    }

    /// Returns the secrets with which a manifest about a request may be signed; none when no device may deliver for it.
    public typealias ManifestSecrets = @Sendable (RequestID) async throws -> [SharedSecret]

    /// Makes an ingestor for any number of phones.
    ///
    /// - Parameters:
    ///   - store: the broker's own folder for accepted PDFs; made if it is missing.
    ///   - rejected: keeps the refused deliveries.
    ///   - secrets: called for each manifest with the request that it claims to be about.
    public init(
        folder: URL, store: URL, rejected: RejectedDeliveries, secrets: @escaping ManifestSecrets,
        ledger: any DeliveryLedger, timing: IngestTiming = .init()
    ) {
        self.init(
            folder: folder, store: store, rejected: rejected, secrets: secrets, ledger: ledger, timing: timing,
            watch: { try DirectoryWatch(folder: $0) })
    }

    /// - Parameter watch: begins to watch the folder.
    init(
        folder: URL, store: URL, rejected: RejectedDeliveries, secrets: @escaping ManifestSecrets,
        ledger: any DeliveryLedger, timing: IngestTiming,
        watch: @escaping @Sendable (URL) throws -> any FolderWatch
    ) {
        self.folder = folder
        self.store = store
        self.rejected = rejected
        self.secrets = secrets
        self.ledger = ledger
        self.timing = timing
        remains = RemainsSweep(folder: folder, rejected: rejected, ledger: ledger, span: timing.remains)
        self.watch = watch
    }

    /// Makes an ingestor for one phone, whose secret signs every manifest.
    public init(
        folder: URL, store: URL, rejected: RejectedDeliveries, secret: SharedSecret, ledger: any DeliveryLedger,
        timing: IngestTiming = .init()
    ) {
        self.init(
            folder: folder, store: store, rejected: rejected, secrets: { _ in [secret] }, ledger: ledger,
            timing: timing)
    }

    /// Ingests deliveries until the task is cancelled.
    ///
    /// - Throws: `FileError` when the folder cannot be watched, or the store cannot be made.
    public func run() async throws {
        try PrivateFolder.make(store)
        sweepStore()
        let watch = try watch(folder)
        let hints = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        hints.continuation.yield()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await event in watch.events where event.mayMatter { hints.continuation.yield() }
            }
            group.addTask { [timing] in
                while !Task.isCancelled {
                    try? await Task.sleep(for: timing.reconciliation)
                    hints.continuation.yield()
                }
            }
            for await _ in hints.stream {
                if Task.isCancelled { break }
                while await scan(), !Task.isCancelled { try? await Task.sleep(for: timing.stability) }
            }
            group.cancelAll()
        }
    }

    /// Removes the unfinished copies of a broker that was killed.
    private func sweepStore() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: store.path)) ?? []
        for name in names where name.hasPrefix("incoming-") { unlink(store.appending(path: name).path) }
    }

    /// Looks at every delivery in the inbox once.
    ///
    /// - Returns: whether any of them needs another look before it can count.
    @discardableResult
    public func scan() async -> Bool {
        let isFirst = !hasScanned
        hasScanned = true
        guard let listing = try? await BlockingWork.run({ [folder] in InboxListing(folder) }) else { return false }
        // The next scans look at the same path, and find what is there by then.
        if listing.isThere != isThere {
            isThere = listing.isThere
            await ledger.inboxChanged(isThere: isThere)
        }
        let names = Set(listing.deliveries.map(\.name) + listing.closings.map(\.name))
        looks = looks.filter { names.contains($0.key) }
        postponed = postponed.filter { names.contains($0.key) }
        immovable.formIntersection(names)
        var isUnsettled = false
        var settled: [String] = []
        for delivery in listing.deliveries where !immovable.contains(delivery.name) {
            switch (delivery.manifest, delivery.pdf) {
            case (.plain(let manifest), .plain(let pdf)):
                if isStable(delivery.name, manifest, pdf) {
                    settled.append(delivery.name)
                } else {
                    isUnsettled = true
                }
            case (.impostor, _), (_, .impostor):
                looks[delivery.name] = nil
                await reject(
                    delivery.name, DeliveryRefusal(reason: "the manifest or the PDF is not a plain file with one name"))
            case (.plain, .missing) where isFirst: await tidy(delivery.name)
            default:
                // The sync may bring manifest and PDF minutes apart.
                looks[delivery.name] = nil
            }
        }
        await verify(settled)
        for (name, file) in listing.closings where !immovable.contains(name) {
            switch file {
            case .plain(let stamp):
                if isStable(name, stamp, stamp) {
                    await verifyClosing(name)
                } else {
                    isUnsettled = true
                }
            case .impostor:
                looks[name] = nil
                await reject(name, DeliveryRefusal(reason: "the closing manifest is not a plain file with one name"))
            case .missing, .unreadable: looks[name] = nil
            }
        }
        await remains.look(at: listing.remains)
        return isUnsettled
    }

    /// Returns whether this look sees the same as one that is long enough ago.
    private func isStable(_ name: String, _ manifest: InboxListing.Stamp, _ pdf: InboxListing.Stamp) -> Bool {
        guard let look = looks[name], look.manifest == manifest, look.pdf == pdf else {
            looks[name] = Look(manifest: manifest, pdf: pdf, at: .now)
            return false
        }
        guard ContinuousClock.now - look.at >= timing.stability else { return false }
        looks[name] = nil
        return true
    }

    // MARK: Verification

    private func verify(_ names: [String]) async {
        var rest = names[...]
        await withTaskGroup(of: Void.self) { group in
            for name in rest.prefix(Self.atOnce) { group.addTask { await self.verify(name) } }
            rest = rest.dropFirst(Self.atOnce)
            while await group.next() != nil {
                guard !Task.isCancelled, let name = rest.popFirst() else { continue }
                group.addTask { await self.verify(name) }
            }
        }
    }

    private nonisolated func verify(_ name: String) async {
        let paths = InboxPaths(manifest: name, in: folder)
        do {
            let manifest = try await manifest(paths)
            let request = manifest.manifest.requestID
            switch try await ledger.verdict(on: manifest) {
            case .accepted: break
            case .duplicate: return await remove(paths)
            case .refused(let reason): throw DeliveryRefusal(reason: reason, requestID: request)
            }
            // The PDF has its name before the request is COMPLETED.
            let stored = store.appending(path: paths.pdf.lastPathComponent)
            try await BlockingWork.run { [verification] in
                try verification.store(paths, as: stored, checking: manifest)
            }
            switch try await ledger.accept(manifest, storedPDF: stored) {
            case .accepted, .duplicate: await remove(paths)
            case .refused(let reason):
                unlink(stored.path)
                throw DeliveryRefusal(reason: reason, requestID: request)
            }
        } catch let refusal as DeliveryRefusal {
            await reject(name, refusal)
        } catch {
            await postpone(name, [paths.manifest, paths.pdf], error)
        }
    }

    /// Verifies the end of several documents. It stays in the folder until all that it names have arrived.
    private func verifyClosing(_ name: String) async {
        let file = folder.appending(path: name)
        do {
            let signed = try await BlockingWork.run { [verification] in try verification.closing(file) }
            let secrets = try await secrets(signed.claimedRequestID ?? RequestID())
            let closing = try await BlockingWork.run { [verification] in
                try verification.verified(signed, name: name, with: secrets)
            }
            switch try await ledger.close(closing) {
            case .accepted, .duplicate: _ = try? await BlockingWork.run { unlink(file.path) }
            case .waiting: break
            case .refused(let reason):
                throw DeliveryRefusal(reason: reason, requestID: closing.closing.requestID)
            }
        } catch let refusal as DeliveryRefusal {
            await reject(name, refusal)
        } catch {
            await postpone(name, [file], error)
        }
    }

    /// Leaves a delivery for the next scan: the disk or the database failed.
    ///
    /// - Parameter files: those of the delivery. Where one of them went meanwhile, as when a sync moves it, nothing has failed, and
    ///   the next scan sees what is there.
    private func postpone(_ name: String, _ files: [URL], _ error: any Error) async {
        if error is CancellationError { return }
        if (error as? FileError)?.code == ENOENT, files.contains(where: { access($0.path, F_OK) != 0 }) { return }
        // A copy has another name at each try.
        let reason = (error as? FileError).map { "\($0.operation) \($0.code)" } ?? "\(error)"
        if postponed.updateValue(reason, forKey: name) != reason { await ledger.postponed(name, because: error) }
    }

    /// Reads and verifies the manifest. Its unverified request id only selects the secrets to verify it with.
    private nonisolated func manifest(_ paths: InboxPaths) async throws -> VerifiedManifest {
        let signed = try await BlockingWork.run { [verification] in try verification.manifest(paths) }
        let secrets = try await secrets(signed.claimedRequestID ?? RequestID())
        return try await BlockingWork.run { [verification] in try verification.verified(signed, paths, with: secrets) }
    }

    // MARK: Tidying

    /// Removes an accepted delivery from the synced folder. The manifest goes last, so that a broker that is killed in
    /// between finishes the removal at its next start.
    private nonisolated func remove(_ paths: InboxPaths) async {
        _ = try? await BlockingWork.run {
            unlink(paths.pdf.path)
            unlink(paths.manifest.path)
        }
    }

    /// Removes the manifest of an accepted delivery whose removal was interrupted.
    private func tidy(_ name: String) async {
        let paths = InboxPaths(manifest: name, in: folder)
        guard let manifest = try? await manifest(paths), (try? await ledger.verdict(on: manifest)) == .duplicate else {
            return
        }
        await remove(paths)
    }

    private func reject(_ name: String, _ refusal: DeliveryRefusal) async {
        let paths = InboxPaths(file: name, in: folder)
        let claimed = try? await BlockingWork.run { [verification] in try verification.manifest(paths).claimedRequestID
        }
        let losses = try? await BlockingWork.run { [rejected] in rejected.take(paths) }
        // A good delivery of the same name may be there already, and must be looked at.
        if losses?.remaining != 0 { immovable.insert(name) }
        await ledger.rejected(
            DeliveryRejection(
                name: name, requestID: refusal.requestID, claimedRequestID: claimed ?? nil, reason: refusal.reason,
                isFinal: refusal.isFinal, uncopied: losses?.uncopied ?? 0, discarded: losses?.discarded ?? 0))
    }
}

extension DirectoryEvent {
    fileprivate var mayMatter: Bool {
        switch self {
        case .changed(let name): !TemporaryNames.isTemporary(name)
        case .overflow: true
        }
    }
}
