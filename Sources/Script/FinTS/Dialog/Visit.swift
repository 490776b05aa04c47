import Clocks
import Foundation
import Secrets

/// A visit to a bank: the parameters, the sign-in, jobs one after the other, and the end.
///
/// The PIN leaves only after the bank has not contradicted its bank code, in this visit or in the one whose parameters are
/// known. Each message with the PIN follows an answer that did not refuse it, so a wrong PIN is sent once.
package struct Visit {
    /// The data that a user has from the bank, and the program's own marks.
    package struct Access: Sendable {
        /// Eight digits (“Bankleitzahl”).
        package var bankCode: String
        package var user: String
        /// Given by the bank at the first sign-in, and kept; nil before.
        package var systemID: String?
        /// The number of the TAN method that the person chose, such as `946`; nil to ask.
        package var securityFunction: String?
        /// The name of the TAN medium that the person chose; nil to ask where the bank needs it.
        package var medium: String?
        package var product: Dialog.Product

        package init(
            bankCode: String, user: String, systemID: String? = nil, securityFunction: String? = nil,
            medium: String? = nil, product: Dialog.Product
        ) {
            self.bankCode = bankCode
            self.user = user
            self.systemID = systemID
            self.securityFunction = securityFunction
            self.medium = medium
            self.product = product
        }
    }

    /// The most that a bank may send.
    package struct Limits: Sendable {
        /// The parts of one answer, and their bytes: those of one document.
        package var parts = 500
        package var bytesOfAnswer = 64 << 20
        /// The bytes of a whole dialog: an account's statements are kept until all its months are found.
        package var bytes = 256 << 20
        package init() {}
    }

    package private(set) var access: Access
    package private(set) var bank = BankParameters()
    package private(set) var user = UserParameters()
    /// True once the bank has taken the PIN in this visit.
    package private(set) var isSignedIn = false
    /// True once the PIN may have left.
    package private(set) var hasSentPIN = false
    /// True if no answer to the PIN came, or none that can be read.
    package private(set) var isPINUnanswered = false
    /// True if the bank refused a sign-in with a code that does not say whether it took the PIN.
    package private(set) var mayHaveRefusedPIN = false
    private let pin: Secret
    private let carrier: any MessageCarrier
    private let approver: any Approver
    private let clock: any RunClock
    /// The dialog under way, so that ``end()`` leaves it however the visit ended.
    private var dialog: Dialog? {
        didSet {
            hasSentPIN = hasSentPIN || dialog?.hasSentPIN == true
            isPINUnanswered = isPINUnanswered || dialog?.isPINUnanswered == true
        }
    }
    /// The bank's list of SEPA accounts, from this visit or an earlier one; empty before.
    private var accountList: [Segment] = []
    /// True while the list is that of an earlier visit.
    package private(set) var hasKnownAccounts = false
    /// The thing of an earlier visit that made the bank refuse this one's first sign-in.
    private var stale: Staleness?
    /// The names of the user's TAN media, where a method needs one.
    private var media: [String] = []
    private var release: Release?
    private let limits: Limits

    /// - Parameter known: the parameters of an earlier visit; those of another bank code are left out.
    package init(
        _ access: Access, knowing known: KnownParameters? = nil, pin: Secret, over carrier: any MessageCarrier,
        approver: any Approver, clock: any RunClock, limits: Limits = Limits()
    ) {
        self.access = access
        self.limits = limits
        if let known, known.bank.bankCode == access.bankCode {
            (bank, user, accountList) = (known.bank, known.user, known.accountList)
            hasKnownAccounts = !accountList.isEmpty
        }
        self.pin = pin
        self.carrier = carrier
        self.approver = approver
        self.clock = clock
    }

    /// Signs in, with a second factor if the bank wants one.
    package mutating func signIn() async throws(FinTSFailure) {
        if let method = knownMethod {
            do throws(FinTSFailure) {
                return try await openDialog(method, isKnown: true)
            } catch {
                guard let stale else { throw error }
                await end()
                forget(stale)
            }
        }
        try await askForParameters()
        let allowed = try await synchronise()
        let method = try await chooseMethod(allowed)
        if let method { try await chooseMedium(for: method) }
        try await openDialog(method)
    }

    /// The method of an earlier visit, if all that a sign-in with it needs is known; nil otherwise.
    private var knownMethod: TANMethod? {
        guard access.systemID != nil, let kept = access.securityFunction, let method = methods([kept]).first,
            !method.needsMedium || access.medium != nil
        else { return nil }
        return method
    }

    private mutating func forget(_ stale: Staleness) {
        bank = BankParameters()
        user = UserParameters()
        (accountList, hasKnownAccounts) = ([], false)
        if stale != .parameters { (access.securityFunction, access.medium) = (nil, nil) }
        if stale == .installation { access.systemID = nil }
    }

    // The anonymous dialog: FinTS 3.0, Formals, chapter C (“Anonymer Zugang”). Banks may refuse it.
    private mutating func askForParameters() async throws(FinTSFailure) {
        var anonymous = Dialog(over: carrier, clock: clock, envelope: nil, pin: nil)
        defer { dialog = anonymous }
        approver.began("ask for the bank's parameters without signing in")
        let answer = try await anonymous.send([
            Segment(
                "HKIDN", version: 2,
                [[.text("280"), .word(access.bankCode)], [.text("9999999999")], [.text("0")], [.text("0")]]),
            preparation,
        ])
        if Refusal.first(in: answer.answers) == nil || answer.segments.contains(where: { $0.code == "HIBPA" }) {
            try takeParameters(answer)
        }
        if answer.has("9078") || answer.has("9997") {
            throw Refusal.first(in: answer.answers) ?? FinTSFailure(.refused, "the bank refused the message")
        }
        await anonymous.end()
    }

    private mutating func takeParameters(_ answer: BankMessage) throws(FinTSFailure) {
        try bank.take(answer.segments)
        let known = user.accounts
        try user.take(answer.segments)
        if user.accounts != known { (accountList, hasKnownAccounts) = ([], false) }
        guard bank.bankCode.isEmpty || bank.bankCode == access.bankCode else {
            throw FinTSFailure(
                .otherBank,
                "the server belongs to the bank code \(Self.digits(bank.bankCode)), and the bank's file says "
                    + "\(Self.digits(access.bankCode)); correct one of the two")
        }
    }

    /// The digits of a bank code, for a message. The server's could be any text.
    private static func digits(_ bankCode: String) -> String {
        String(bankCode.filter { $0.isASCII && $0.isNumber }.prefix(12))
    }

    private var preparation: Segment {
        // 0: the bank's own language.
        Segment(
            "HKVVB", version: 3,
            [
                [.number(bank.version)], [.number(user.version)], [.text("0")],
                [.word(String(access.product.registration.prefix(25)))],
                [.word(String(access.product.version.prefix(5)))],
            ])
    }

    private func identification(_ systemID: String) -> Segment {
        Segment(
            "HKIDN", version: 2,
            [[.text("280"), .word(access.bankCode)], [.word(access.user)], [.word(systemID)], [.text("1")]])
    }

    private mutating func newDialog(systemID: String, securityFunction: String) -> Dialog {
        Dialog(
            over: carrier, clock: clock,
            envelope: SecurityEnvelope(
                bankCode: access.bankCode, user: access.user, systemID: systemID, securityFunction: securityFunction),
            pin: pin)
    }

    /// Gets the system id and the user's TAN methods (FinTS 3.0, Formals, chapter C: HKSYN), unless both are kept.
    ///
    /// - Returns: the numbers of the methods that the user may use.
    private mutating func synchronise() async throws(FinTSFailure) -> [String] {
        if access.systemID != nil, let kept = access.securityFunction, !methods([kept]).isEmpty { return [kept] }
        var dialog = newDialog(systemID: access.systemID ?? "0", securityFunction: "999")
        defer { self.dialog = dialog }
        approver.began("sign in for the list of TAN methods (HKIDN, HKSYN)")
        // A kept system id stays: with a new one, the bank would forget that it knows this installation.
        let request = access.systemID == nil ? [Segment("HKSYN", version: 3, [[.text("0")]])] : []
        let answer = try await dialog.send([identification(access.systemID ?? "0"), preparation] + request)
        // 9075 ends this dialog at banks that want two factors even here; it still tells the methods.
        if let refusal = Refusal.first(in: answer.answers), refusal.code != "9075" {
            note(refusal, of: answer)
            throw refusal
        }
        isSignedIn = isSignedIn || dialog.hasAcceptedPIN
        try takeParameters(answer)
        if let given = try answer.segment("HISYN")?.element(1).text, !given.isEmpty {
            guard given.utf8.count <= 30 else {
                throw BankMessage.garbled("the bank gave a system id that is too long")
            }
            access.systemID = given
        }
        let allowed = answer.answers.filter { $0.code == "3920" }.flatMap(\.parameters)
        if access.medium == nil, methods(allowed).contains(where: \.needsMedium) {
            media = try await listMedia(in: &dialog)
        }
        await dialog.end()
        guard access.systemID != nil else { throw BankMessage.garbled("the bank gave no system id") }
        return allowed
    }

    private func methods(_ allowed: [String]) -> [TANMethod] {
        var newest: [String: TANMethod] = [:]
        for method in bank.tanMethods where allowed.contains(method.securityFunction) {
            if let other = newest[method.securityFunction], other.version >= method.version { continue }
            newest[method.securityFunction] = method
        }
        return newest.values.sorted { $0.securityFunction < $1.securityFunction }
    }

    /// - Returns: nil for a bank that offers no HKTAN with which a sign-in can be released.
    private mutating func chooseMethod(_ allowed: [String]) async throws(FinTSFailure) -> TANMethod? {
        let offered = methods(allowed)
        guard let first = offered.first else { return nil }
        if let kept = offered.first(where: { $0.securityFunction == access.securityFunction }) { return kept }
        var method = first
        if offered.count > 1 {
            let names = offered.map { "\($0.name) (\($0.securityFunction))" }
            let picked = try await approver.pick(among: names, question: "Which TAN method do you want to use?")
            guard offered.indices.contains(picked) else {
                throw FinTSFailure(.approvalMissing, "no TAN method was chosen; ask for the documents again")
            }
            method = offered[picked]
        }
        access.securityFunction = method.securityFunction
        return method
    }

    /// Returns the names of the user's active media (HKTAB).
    private func listMedia(in dialog: inout Dialog) async throws(FinTSFailure) -> [String] {
        guard let version = bank.version(of: "HKTAB", among: [4, 5]) else { return [] }
        approver.began("ask for the TAN media (HKTAB)")
        // Active media (1) of every class (A).
        let answer = try await dialog.send([Segment("HKTAB", version: version, [[.text("1")], [.text("A")]])])
        if let refusal = Refusal.first(in: answer.answers) { throw refusal }
        // Version 4 has eleven elements before the name, of which four are the account; version 5 has one more.
        let place = version == 4 ? 13 : 14
        return try answer.segments("HITAB").flatMap { segment in
            segment.groups.dropFirst().compactMap { $0.element(place).text }.filter { !$0.isEmpty }
        }
    }

    private mutating func chooseMedium(for method: TANMethod) async throws(FinTSFailure) {
        guard method.needsMedium, access.medium == nil else { return }
        access.medium = media.first
        guard media.count > 1 else { return }
        let picked = try await approver.pick(among: media, question: "Which TAN medium do you want to use?")
        guard media.indices.contains(picked) else {
            throw FinTSFailure(.approvalMissing, "no TAN medium was chosen; ask for the documents again")
        }
        access.medium = media[picked]
    }

    /// - Parameter isKnown: true if the method and its form are from an earlier visit.
    private mutating func openDialog(_ method: TANMethod?, isKnown: Bool = false) async throws(FinTSFailure) {
        var dialog = newDialog(
            systemID: access.systemID ?? "0", securityFunction: method?.securityFunction ?? "999")
        defer { self.dialog = dialog }
        let release = method.map { Release(method: $0, medium: access.medium, approver: approver, clock: clock) }
        let segments =
            [identification(access.systemID ?? "0"), preparation] + (release.map { [$0.request(for: "HKIDN")] } ?? [])
        approver.began("sign in (HKIDN, HKVVB\(release == nil ? "" : ", HKTAN"))")
        var answer = try await dialog.send(segments)
        if let refusal = Refusal.first(in: answer.answers) {
            if isKnown { stale = Staleness(answer.answers) }
            note(refusal, of: answer)
            throw refusal
        }
        isSignedIn = isSignedIn || dialog.hasAcceptedPIN
        try takeParameters(answer)
        if let release {
            answer = try await release.complete(
                answer, requestNumber: dialog.firstNumber + 2, in: &dialog)
            try takeParameters(answer)
        }
        self.release = release
    }

    /// Notes whether a refused sign-in may be a refused PIN. With 0901 the bank says that the PIN is right; a code such as 9040, “not
    /// the rights”, says no such thing, and banks have answered failed sign-ins with it.
    private mutating func note(_ refusal: FinTSFailure, of answer: BankMessage) {
        if refusal.kind == .refused, !answer.has("0901") { mayHaveRefusedPIN = true }
    }

    /// Does a job, with all parts of its answer (FinTS 3.0, Formals, chapter B: “Aufsetzpunkt”).
    ///
    /// - Returns: the results; nil when the bank offers the job in no version that this program knows, or not for the
    ///   account.
    package mutating func perform(_ job: Job) async throws(FinTSFailure) -> JobResults? {
        guard var dialog else { throw FinTSFailure(.refused, "the visit has not signed in") }
        defer { self.dialog = dialog }
        guard let version = bank.version(of: job.code, among: job.versions) else { return nil }
        if let allowed = job.account?.jobs, !allowed.contains(job.code) { return nil }
        let national = bank.parameters(of: "HKSPA", version: bank.version(of: "HKSPA", among: [1, 2, 3]) ?? 1).element(
            2
        ).isYes
        var results: [Segment] = []
        var touchDown: String?
        var seen: Set<String> = []
        let before = dialog.bytesReceived
        for _ in 0..<limits.parts {
            let segment = job.segment(version: version, touchDown: touchDown, national: national)
            approver.began(job.words)
            let release = bank.needsTAN(for: job.code) ? release : nil
            var answer = try await dialog.send([segment] + (release.map { [$0.request(for: job.code)] } ?? []))
            try Self.check(answer, dialog.firstNumber)
            if let release {
                answer = try await release.complete(answer, requestNumber: dialog.firstNumber + 1, in: &dialog)
                try Self.check(answer, nil)
            }
            for (most, received) in [
                (limits.bytesOfAnswer, dialog.bytesReceived - before), (limits.bytes, dialog.bytesReceived),
            ] where received > most {
                throw BankMessage.garbled("the bank sends more than \(most) bytes")
            }
            results += try answer.segments(job.answerCode)
            guard let more = answer.answers.first(where: { $0.code == "3040" && !$0.parameters.isEmpty }) else {
                return JobResults(results)
            }
            guard let next = more.parameters.first, (1...35).contains(next.utf8.count), seen.insert(next).inserted
            else {
                throw BankMessage.garbled("the bank sends the same part of its answer again and again")
            }
            touchDown = next
        }
        throw BankMessage.garbled("the bank's answer has more than \(limits.parts) parts")
    }

    private static func check(_ answer: BankMessage, _ number: Int?) throws(FinTSFailure) {
        if answer.answers.contains(where: { $0.code == "3010" }), !answer.answers.contains(where: \.isRefusal) {
            return
        }
        guard let refusal = Refusal.first(in: answer.answers, for: number) else { return }
        // A code of the bank's own is not about the PIN, which the bank has taken before.
        if refusal.kind == .wrongPIN, !AnswerMeaning.isKnown(refusal.code ?? "") {
            throw FinTSFailure(
                .refused, "the bank refused the request; ask it, and name the code", code: refusal.code,
                bankWords: refusal.bankWords)
        }
        throw refusal
    }

    /// The accounts, with IBAN and BIC where the bank tells them.
    ///
    /// - Parameter anew: true to ask the bank even where the list of an earlier visit is known.
    package mutating func accounts(anew: Bool = false) async throws(FinTSFailure) -> [BankAccount] {
        if anew || accountList.isEmpty, let listed = try await perform(.accounts) {
            accountList = listed.segments
            hasKnownAccounts = false
        }
        var merged = user
        merged.merge(JobResults(accountList).accounts)
        return merged.accounts
    }

    /// The parameters for a later visit.
    package var known: KnownParameters { KnownParameters(bank: bank, user: user, accountList: accountList) }

    package mutating func end() async {
        guard var dialog else { return }
        await dialog.end()
        self.dialog = nil
    }
}
