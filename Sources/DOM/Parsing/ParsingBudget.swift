import Foundation

/// What a page may take before its parsing is ended: see ``DocumentLimits``.
struct ParsingBudget {
    /// A look at the clock takes longer than most tokens.
    private static let workBetweenLooks = 1 << 14
    /// About what a document and its dictionary take before there is an element.
    private static let base = 6 << 10

    private let limits: DocumentLimits
    private var elements = 0
    private var bytes = Self.base
    private var work = 0
    /// The thread's own time at the first look: most pages are over before that.
    ///
    /// A duration, as a clock's instant has a size that only the standard library knows, and so would have the parser.
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

    /// Whether there may be one more token.
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
        // libxml2’s node, and what malloc adds.
        hold(136)
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
            fail(.tooMuchMemory, "the page’s tree takes more than the memory limit of \(limits.memory) bytes")
        }
    }

    /// Takes note of work, in steps of a few nanoseconds each.
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
        fail(.tooMuchTime, "the page takes longer to parse than the parser’s time limit of \(milliseconds) ms")
    }

    private mutating func fail(_ code: DocumentError.Code, _ message: String) {
        if failure == nil { failure = DocumentError(code: code, message: message) }
    }
}
