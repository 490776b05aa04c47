import Automation
import Crypto
import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import KeyVault
import Languages
import Machine
import Messages
import Phone
import PhoneStore
import Secrets
import Storage
import WebURL

// The places besides the inbox: documents, banks, and settings with what stands below them.

extension PageRoutes {
    // MARK: Documents

    func documents(_ request: Request, _ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        let runner = try await state.unlocked()
        let bank = request.uri.queryParameters["bank"].map { String($0) }.flatMap { $0.isEmpty ? nil : $0 }
        let year = request.uri.queryParameters["year"].flatMap { Int($0) }
        let all = try await state.store.receivedDocuments()
        let shown = all.filter { (bank == nil || $0.bankID == bank) && (year == nil || $0.place.period.year == year) }
        let values = DocumentsView(all: all, shown: shown, bank: bank, year: year, name: runner.bankName).values
        let keeps = try await state.store.keepsCopies()
        var more: [String: Any] = [
            "keeps": keeps, "locked": keeps && runner.copies == nil && all.contains(where: \.isKept),
        ]
        if !keeps, case .copiesDeleted(let deleted)? = await told(request), deleted > 0 {
            more["deleted"] = String(deleted)
        }
        return PageViews.page(
            "documents", title: PageText.of("documents.title"), session: session, in: .documents,
            values.merging(more) { $1 })
    }

    /// Returns a document from the phone's own copies.
    func document(_ context: PageContext) async throws -> Response {
        _ = try PageRequest.session(context)
        let id = try requestID(context)
        guard let received = try await state.store.receivedDocument(context.parameters.get("name") ?? "", of: id) else {
            throw PageRefusal.notFound
        }
        return try await copy(of: received)
    }

    private func copy(of document: ReceivedDocument) async throws -> Response {
        guard document.isKept else { throw PageRefusal.notFound }
        guard let copies = try await state.unlocked().copies else { throw PageRefusal.locked }
        let bytes: [UInt8]?
        do {
            bytes = try await BlockingWork.run { try copies.bytes(of: document) }
        } catch let error as PhoneError {
            try await state.store.audit.record(
                AuditEvent(
                    .copyChanged, severity: .critical, requestID: document.requestID.description,
                    details: ["message": .string(error.message)]))
            throw PageRefusal.notFound
        }
        guard let bytes else { throw PageRefusal.notFound }
        let (place, id) = (document.place, document.requestID)
        try await state.store.audit.record(
            AuditEvent(
                .copyOpened, requestID: id.description,
                details: ["period": .string(place.span), "kind": .string(place.kind.rawValue)]))
        guard document.name != ReceivedDocument.statement else {
            return Self.file(bytes, named: place.period.fileStem(for: id) + ".pdf", kind: .pdf)
        }
        return Self.file(bytes, named: "\(id)-\(document.name).\(place.kind.fileExtension)", kind: place.kind)
    }

    /// Returns a document. Only a PDF opens in the browser: a bank's HTML must not run in the page's origin.
    private static func file(_ bytes: [UInt8], named name: String, kind: DocumentKind) -> Response {
        let isShown = kind == .pdf
        return Response(
            status: .ok,
            headers: [
                .contentType: isShown ? kind.mediaType : "application/octet-stream",
                .contentDisposition: "\(isShown ? "inline" : "attachment"); filename=\"\(name)\"",
            ], body: .init(byteBuffer: .init(bytes: bytes)))
    }

    /// The largest statement that the page shows, in bytes.
    private static let largestStatement = 64 << 20

    /// Returns the finished PDF from the inbox, if it is the one that this phone delivered: other programs can write to
    /// the synced folder.
    func statement(_ context: PageContext) async throws -> Response {
        _ = try PageRequest.session(context)
        let id = try requestID(context)
        let runner = try await state.unlocked()
        guard let stored = try await state.store.request(id), stored.status == .completed,
            stored.isStatement, let name = stored.resultFilename, name == stored.period.fileStem(for: id) + ".pdf",
            let digest = try await state.store.statementDigest(of: id)
        else { throw PageRefusal.notFound }
        let file = runner.inbox.appending(path: name)
        let bytes = try await BlockingWork.run { try? OpenedFile(file).bytes(atMost: Self.largestStatement) }
        guard let bytes else { throw PageRefusal.notFound }
        guard Base16.encode(SHA256.hash(data: bytes)) == digest else {
            try await state.store.audit.record(
                AuditEvent(
                    .statementChanged, severity: .critical, requestID: id.description,
                    details: ["file": .string(name)]))
            throw PageRefusal.notFound
        }
        try await state.store.audit.record(
            AuditEvent(.statementOpened, requestID: id.description, details: ["file": .string(name)]))
        return Self.file(bytes, named: name, kind: .pdf)
    }

    // MARK: Banks

    func banks(_ request: Request, _ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        let runner = try await state.unlocked()
        let slots = try state.home.vault.slots()
        let times = try await state.store.credentialTimes()
        let programs = try await state.store.credentialPrograms()
        let links = try await state.store.linkedTokens()
        let drift = try await state.store.drift()
        let pages = try await state.store.changedPages()
        let accounts = try await state.store.accounts()
        let offers = runner.offers.map(\.offer.bankID)
        let consents = try await state.store.storedConsents()
        let known = try await state.store.banksThatKnowThisPhone()
        let change = await told(request)
        let withdrawals = VouchedFiles.withdrawals(
            in: runner.scripts, of: runner.scripts.all.map(\.id), by: state.home)
        var banks: [[String: Any]] = []
        for script in runner.scripts.all {
            let hold = try await state.store.hold(onBank: script.id)
            let knownSince = known.first { $0.bankID == script.id }?.since
            banks.append(
                BankView(
                    script: script, times: times[script.id], programs: programs[script.id] ?? [:], hold: hold,
                    consent: consents.first { $0.bankID == script.id }, knownSince: knownSince,
                    isForgotten: change == .deviceForgotten(bank: script.id) && knownSince == nil, now: Date(),
                    token: links.first { $0.bankID == script.id }?.issuer,
                    drift: drift.filter { $0.bankID == script.id },
                    pages: pages.filter { $0.bankID == script.id },
                    isAccepted: runner.scripts.acceptedDigest(forBank: script.id) != nil,
                    withdrawal: withdrawals[script.id].map(RefusalWords.of), slots: slots,
                    accounts: accounts.filter { $0.bankID == script.id }, offers: offers.count { $0 == script.id },
                    csrf: session.csrfToken, ownAddress: try await state.ownAddress(forBank: script.id)
                ).values)
        }
        var values: [String: Any] = [
            "banks": banks,
            // Each names its file.
            "refusals": runner.scripts.refusals.map { ["message": ReportText.cleaned($0.message, limit: 400)] },
        ]
        if let addition = await state.openAddition {
            values["adding"] = ["name": addition.script.name.inLine(limit: 80), "path": Self.end(of: addition)]
        }
        if case .credentialsStored(let bank)? = change { values["stored"] = runner.bankName(bank) }
        return PageViews.page("banks", title: PageText.of("banks.title"), session: session, in: .banks, values)
    }

    // MARK: Settings

    func settings(_ request: Request, _ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        let runner = try await state.unlocked()
        let passkeys = try state.home.vault.slots().count { !$0.isPassphrase }
        let keeps = try await state.store.keepsCopies()
        var values: [String: Any] = [
            "passkeys": passkeys == 0
                ? PageText.of("settings.no-passkey")
                : passkeys == 1
                    ? PageText.of("settings.one-passkey")
                    : PageText.of("settings.many-passkeys", ["count": String(passkeys)]),
            "copies": PageText.of(keeps ? "settings.copies-kept" : "settings.copies-none"),
            "authority": authority != nil, "household": configuration.household != nil,
            "paired": PageText.of(runner.isPaired ? "settings.paired" : "settings.not-paired"),
        ]
        if let id = request.uri.queryParameters["forgotten"],
            let record = try await latestRecord(of: .pageBrowserForgotten, "id", String(id))
        {
            let name = ReportText.cleaned(record.event.details["browser"]?.stringValue ?? "", limit: 60)
            values["forgotten"] = KnownBrowser.words(of: name)
        }
        let chosen = await state.language
        values["languages"] = PageResources.sentences.offered.map {
            ["code": $0.rawValue, "name": $0.name, "selected": $0 == chosen] as [String: Any]
        }
        values["browsers"] = await state.browsers.map { known in
            var row: [String: Any] = [
                "name": known.browser.words, "since": PageViews.moment(known.browser.admittedAt),
                "state": PageText.of(known.isSignedIn ? "settings.signed-in" : "settings.signed-out"),
                "own": known.id == session.id,
            ]
            if known.id != session.id { row["remove"] = ["id": known.browser.id, "csrf": session.csrfToken] }
            return row
        }
        if let key = await state.announcements?.publicKey {
            values["push"] =
                [
                    "key": key,
                    "subscriptions": try await state.store.pushSubscriptions().map { subscription in
                        var row: [String: Any] = [
                            "host": (try? URLRecord(parsing: subscription.endpoint))?.host?.description ?? "",
                            "since": PageViews.moment(subscription.createdAt),
                        ]
                        row["delivered"] = subscription.deliveredAt.map(PageViews.moment)
                        return row
                    },
                ] as [String: Any]
        }
        return PageViews.page("settings", title: PageText.of("settings.title"), session: session, in: .settings, values)
    }

    /// Returns the latest record of a kind with a value that the page's address names. The page tells what is in the record, and
    /// nothing that stands in the address alone.
    private func latestRecord(of kind: AuditKind, _ member: String, _ value: String) async throws -> AuditRecord? {
        try await state.store.audit.records(AuditFilter(type: kind.rawValue, limit: 20)).last {
            $0.event.details[member]?.stringValue == value
        }
    }

    func audit(_ request: Request, _ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        let severity = request.uri.queryParameters["severity"].flatMap { AuditSeverity(rawValue: String($0)) } ?? .info
        let type = request.uri.queryParameters["type"].map { String($0.prefix(40)) } ?? ""
        let filter = AuditFilter(leastSeverity: severity, type: type.isEmpty ? nil : type, limit: 200)
        let runner = try await state.unlocked()
        let records = try await state.store.audit.records(filter)
        let subjects = try await subjects(of: records, runner)
        let rows = records.reversed().map { record in
            var row: [String: Any] = [
                "time": PageViews.moment(record.event.time), "severity": record.event.severity.rawValue,
                "mark": record.event.severity > .info,
                "severityName": PageText.of("severity.\(record.event.severity.rawValue)"),
                "sentence": EventWords.of(record.event, bankName: runner.bankName),
                "type": record.event.type, "details": record.event.details.compactText(),
            ]
            row["subject"] = record.event.requestID.flatMap { subjects[$0] }
            return row
        }
        let severities = AuditSeverity.allCases.map {
            ["value": $0.rawValue, "name": PageViews.words(least: $0), "selected": $0 == severity] as [String: Any]
        }
        let verification = try await state.store.audit.verify()
        var values: [String: Any] = [
            "rows": Array(rows), "severities": severities, "type": type, "verification": EventWords.of(verification),
        ]
        // A long digest is for those who keep it elsewhere, and compare it later.
        if case .intact(_, let last) = verification { values["checkpoint"] = last.description }
        return PageViews.page("audit", title: PageText.of("audit.title"), session: session, in: .settings, values)
    }

    /// Returns what the requests of records ask for, by the requests' ids.
    private func subjects(of records: [AuditRecord], _ runner: PhoneRunner) async throws -> [String: String] {
        var subjects: [String: String] = [:]
        for text in Set(records.compactMap(\.event.requestID)) {
            guard let id = Messages.RequestID(text), let stored = try await state.store.request(id) else { continue }
            subjects[text] = "\(PageViews.words(stored.subject)) · \(runner.bankName(stored.bankID))"
        }
        return subjects
    }

    func export(_ request: Request, _ context: PageContext) async throws -> Response {
        _ = try PageRequest.session(context)
        guard let format = request.uri.queryParameters["format"].flatMap({ AuditExport(rawValue: String($0)) }) else {
            throw PageRefusal.badInput
        }
        let text = format.text(of: try await state.store.audit.records(AuditFilter(limit: 100_000)))
        return Response(
            status: .ok,
            headers: [
                .contentType: format == .csv ? "text/csv; charset=utf-8" : "application/jsonl; charset=utf-8",
                .contentDisposition: "attachment; filename=\"audit.\(format.rawValue)\"",
            ], body: .init(byteBuffer: .init(string: text)))
    }

    /// Returns the name that a way into the vault was made with. A passphrase gets it in English; only the owner renames it.
    private static func name(of slot: KeySlot) -> String {
        slot.isPassphrase && slot.name == "Passphrase" ? PageText.of("vault.short") : slot.name
    }

    func passkeys(_ request: Request, _ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        let slots = try state.home.vault.slots()
        let names = try await state.store.slotNames()
        var rows: [[String: Any]] = []
        for slot in slots {
            var row: [String: Any] = [
                "id": slot.id, "name": names[slot.id] ?? Self.name(of: slot),
                "kind": slot.isPassphrase
                    ? PageText.of("passkeys.passphrase-kind")
                    : PageText.of(slot.needsBoth ? "passkeys.both-kind" : "passkeys.passkey-kind"),
                "time": PageViews.moment(slot.createdAt), "csrf": session.csrfToken,
                "removable": PageState.isRemovable(slot, among: slots), "isPassphrase": slot.isPassphrase,
            ]
            if let passkey = slot.passkey,
                let used = try await state.store.passkeyState(passkey.credentialID)?.lastUsedAt
            {
                row["used"] = PageViews.moment(used)
            }
            rows.append(row)
        }
        var values: [String: Any] = [
            "slots": rows, "hasPasskeys": slots.contains { !$0.isPassphrase },
            "needsBoth": slots.contains(where: \.needsBoth),
            "mayRequireBoth": slots.contains { !$0.isPassphrase && !$0.needsBoth },
        ]
        if let id = request.uri.queryParameters["removed"],
            let record = try await latestRecord(of: .passkeyRemoved, "slot", String(id))
        {
            values["removed"] = ReportText.cleaned(record.event.details["name"]?.stringValue ?? "", limit: 40)
        }
        return PageViews.page(
            "passkeys", title: PageText.of("passkeys.menu"), session: session, in: .settings, values)
    }
}
