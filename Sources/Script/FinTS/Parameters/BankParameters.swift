/// The parameters of a bank (FinTS 3.0, Formals, chapter D: BPD): its name, and the jobs that it does in which versions.
package struct BankParameters: Sendable {
    /// The version of the parameters, 0 before any were received.
    package private(set) var version = 0
    package private(set) var bankCode = ""
    package private(set) var bankName = ""
    package private(set) var tanMethods: [TANMethod] = []
    /// The segments that the parameters came in.
    private(set) var segments: [Segment] = []
    /// The parameter segments by the code of their job.
    private var offers: [String: [Segment]] = [:]
    /// The jobs that need a TAN, by their code.
    private var tanJobs: Set<String> = []

    package init() {}

    /// Takes the parameters from a message; keeps these when it has none.
    ///
    /// - Throws: ``FinTSFailure`` for parameters that cannot be read.
    package mutating func take(_ segments: [Segment]) throws(FinTSFailure) {
        let heads = segments.filter { $0.code == "HIBPA" }
        guard heads.count <= 1 else {
            throw FinTSFailure(.garbled, "the bank sent its parameters twice in one message")
        }
        guard let head = heads.first else { return }
        guard let version = head.element(1).number, let code = head.element(2, 2).text else {
            throw FinTSFailure(.garbled, "the bank's parameters have no version or no bank code")
        }
        var fresh = BankParameters()
        fresh.version = version
        fresh.bankCode = code
        fresh.bankName = head.element(3).text ?? ""
        fresh.segments = [head]
        for segment in segments where segment.code.utf8.count == 6 && segment.code.hasSuffix("S") {
            let job = segment.code.prefix(1) + "K" + segment.code.dropFirst(2).prefix(3)
            fresh.segments.append(segment)
            fresh.offers[String(job), default: []].append(segment)
            if segment.code == "HITANS" { fresh.tanMethods += try TANMethod.all(in: segment) }
            if segment.code == "HIPINS" { try fresh.takeRules(segment.group(4)) }
        }
        self = fresh
    }

    /// Takes the list that says which jobs need a TAN (HIPINS version 1).
    private mutating func takeRules(_ group: ElementGroup) throws(FinTSFailure) {
        let pairs = Array(group.dropFirst(5))
        for start in stride(from: 0, to: pairs.count, by: 2) {
            guard let job = pairs.element(start + 1).text else {
                throw FinTSFailure(.garbled, "the bank's list of jobs with a TAN cannot be read")
            }
            if pairs.element(start + 2).isYes { tanJobs.insert(job) }
        }
    }

    /// Returns the newest version of a job that both sides know; nil without one.
    ///
    /// - Parameter versions: those that this program writes.
    package func version(of job: String, among versions: [Int]) -> Int? {
        (offers[job] ?? []).map(\.version).filter(versions.contains).max()
    }

    /// Returns the parameters of a job: the group behind the number of jobs, of signatures, and the security class.
    package func parameters(of job: String, version: Int) -> ElementGroup {
        offers[job]?.first { $0.version == version }?.group(4) ?? []
    }

    package func needsTAN(for job: String) -> Bool { tanJobs.contains(job) }
}
