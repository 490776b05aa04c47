import Foundation

/// Counts what a page uses while it is parsed, against its ``DocumentLimits``.
struct ParsingBudget {
    /// Reading the clock takes longer than most tokens.
    private static let workBetweenLooks = 1 << 14
    /// About the memory of a document and its dictionary before the first element.
    private static let base = 6 << 10

    private let limits: DocumentLimits
    private var elements = 0
    private var bytes = Self.base
    private var work = 0
    /// The thread's processor time when the clock was first read. Most pages are finished before that.
    private var began: Duration?
    private(set) var failure: DocumentError?

    init(_ limits: DocumentLimits) {
        self.limits = limits
    }

    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Counts a token. Returns false once a limit is exceeded.
    mutating func allows(_ tokenizer: Tokenizer) -> Bool {
        if tokenizer.hasTooManyAttributes {
            fail(
                .tooManyAttributes, "an element has more attributes than the attribute limit of \(limits.attributes)")
        }
        spend(16)
        return failure == nil
    }

    mutating func addElement() {
        elements += 1
        // A node and the notes on it.
        hold(144)
        if elements > limits.elements {
            fail(.tooManyElements, "the page has more elements than the element limit of \(limits.elements)")
        }
    }

    mutating func check(depth: Int) {
        if depth > limits.depth {
            fail(.tooDeep, "the page nests deeper than the depth limit of \(limits.depth)")
        }
    }

    mutating func hold(_ count: Int) {
        bytes += count
        if bytes > limits.memory {
            fail(.tooMuchMemory, "the page's tree takes more than the memory limit of \(limits.memory) bytes")
        }
    }

    /// Counts work, in steps of a few nanoseconds each.
    mutating func spend(_ steps: Int) {
        work += steps
        if work >= Self.workBetweenLooks { look() }
    }

    private mutating func look() {
        work = 0
        let now = Self.processorTime
        guard let began else {
            began = now
            return
        }
        guard now - began > limits.time else { return }
        let milliseconds = Int(limits.time / .milliseconds(1))
        fail(.tooMuchTime, "the page takes longer to parse than the parser's time limit of \(milliseconds) ms")
    }

    private mutating func fail(_ code: DocumentError.Code, _ message: String) {
        if failure == nil { failure = DocumentError(code: code, message: message) }
    }
}
