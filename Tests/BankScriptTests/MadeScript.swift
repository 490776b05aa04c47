import Messages
import Selectors

@testable import BankScript

/// A script made of random steps, the same one for the same seed.
struct MadeScript {
    private var random: Dice

    static func script(seed: UInt64) -> BankScript {
        var maker = MadeScript(random: Dice(seed: seed))
        return BankScript(
            id: "made-\(seed)", name: maker.word("Bank"), origins: ["https://made.example"],
            credentials: ["username", "password", "pin"],
            parameters: Parameter.statementPeriod,
            interruptions: [
                Interruption(when: maker.condition(2)) { maker.pass },
                Interruption(when: maker.condition(1), fail: .bankLoginFailed, reason: .accountLocked),
            ],
            steps: maker.steps(12, nested: 2), forEachPeriod: maker.steps(4, nested: 1),
            finally: maker.steps(2, nested: 0))
    }

    private var pass: Press { Press("No, thanks") }

    private mutating func steps(_ count: Int, nested depth: Int) -> [Step] {
        var steps: [Step] = []
        for _ in 0..<count {
            let action = action(nested: depth)
            let isPage = flip() && action.words.hasPrefix("open")
            steps.append(Step(action, expecting: isPage ? 404...410 : nil))
        }
        return steps
    }

    private mutating func action(nested depth: Int) -> Action {
        switch random.below(depth > 0 ? 18 : 17) {
        case 0: return .open(Template("/" + word("path")))
        case 1: return .follow(locator(1))
        case 2: return .fill(locator(1), value())
        case 3: return .choose(locator(1), value())
        case 4: return .check(locator(1), flip())
        case 5: return .press(locator(1))
        case 6: return .pressEach(locator(0), ofCredential: "pin")
        case 7: return .submit(submit())
        case 8: return .enter(locator(1))
        case 9: return .secondFactor(secondFactor())
        case 10: return .expect(condition(2))
        case 11: return .fail(.navigationFailed, when: condition(1), reason: flip() ? .maintenance : nil)
        case 12: return .search(search())
        case 13: return .capture(capture())
        case 14: return .request(request())
        case 15:
            return .waitUntil(
                WaitStep(
                    condition: condition(1), poll: flip() ? request() : nil, interval: .seconds(random.below(5) + 1),
                    limit: .minutes(random.below(3) + 1), reloads: false))
        case 16: return .download(download())
        default:
            return .when(
                condition(1), steps(2, nested: depth - 1), otherwise: flip() ? steps(1, nested: depth - 1) : [])
        }
    }

    // MARK: Parts

    private mutating func flip() -> Bool { random.below(2) == 0 }

    private mutating func word(_ prefix: String) -> String { "\(prefix) \(random.below(1000))" }

    private mutating func template() -> Template {
        Template(flip() ? "{{ month.name }} " + word("text") : word("text"))
    }

    private mutating func match() -> TextMatch {
        switch random.below(3) {
        case 0: .name(word("Name"))
        case 1: .exact(word("Exact"))
        default: .regex("^R\(random.below(100))$")
        }
    }

    private mutating func locator(_ depth: Int) -> Locator {
        let ways: [Locator] = [
            .css(".c\(random.below(100))"), .xpath("//x\(random.below(100))"), .field(match()), .button(match()),
            .link(match()), .control(match()), .row(match()), .cell(header: match()), .text(match()), .heading(match()),
        ]
        var locator = ways[random.below(ways.count)]
        guard depth > 0 else { return locator }
        if random.below(4) == 0 { locator = locator.nth(random.below(5) + 1) }
        if random.below(4) == 0 { locator = locator.within(self.locator(0)) }
        if random.below(6) == 0 { locator = .any(locator, self.locator(0)) }
        return locator
    }

    private mutating func value() -> Value {
        switch random.below(3) {
        case 0: .template(template())
        case 1: .credential(["username", "password", "pin"][random.below(3)])
        default: .captured("kept")
        }
    }

    private mutating func condition(_ depth: Int) -> Condition {
        switch random.below(depth > 0 ? 10 : 7) {
        case 0: .shows(locator(0))
        case 1: .says(template())
        case 2: .titled(template())
        case 3: .path("/p\(random.below(100))")
        case 4: .status(200...(200 + random.below(100)))
        case 5: .json("$.j\(random.below(100))", is: flip() ? template() : nil)
        case 6: .equal("{{ year }}", template())
        case 7: .not(condition(depth - 1))
        case 8: .all([condition(depth - 1), condition(depth - 1)])
        default: .any([condition(depth - 1), condition(depth - 1)])
        }
    }

    private mutating func fields() -> [FormField] {
        (0..<random.below(3)).map { FormField("field-\($0)", value()) }
    }

    private mutating func submit() -> SubmitStep { SubmitStep(form: .css("#f\(random.below(9))"), fields: fields()) }

    private mutating func request() -> RequestStep {
        RequestStep(
            method: ["GET", "POST", "PUT"][random.below(3)], reference: Template("/r\(random.below(100))"),
            headers: flip()
                ? [.init("X-A", value()), .init("Authorization", .captured("kept"), scheme: "Bearer")] : [],
            basic: random.below(4) == 0 ? .init(user: .username, password: .password) : nil, query: fields(),
            body: flip() ? .object(["a": .value(value()), "b": .array([.number(1.5), .bool(flip()), .null])]) : nil,
            expected: 200...(200 + random.below(99)))
    }

    private mutating func secondFactor() -> SecondFactorStep {
        let method: SecondFactorStep.Method =
            switch random.below(4) {
            case 0: .code(field: locator(0), picture: flip() ? .css("img") : nil)
            case 1: .push(until: condition(1), polling: flip() ? request() : nil, every: .seconds(random.below(5) + 1))
            case 2: .choice(among: .css("label"))
            default: .captured(as: "kept")
            }
        return SecondFactorStep(
            method: method, limit: .seconds(30 + random.below(90)), confirm: flip() ? .button("Next") : nil,
            question: flip() ? template() : nil, token: flip() ? word("Token") : nil)
    }

    private mutating func search() -> SearchStep {
        let pages: SearchStep.Pages =
            flip()
            ? .html(target: locator(1), next: locator(0))
            : .json(path: "$.items[0]", next: request(), cursor: "$.next")
        return SearchStep(pages: pages, last: flip() ? condition(1) : nil, limit: random.below(20) + 1)
    }

    private mutating func capture() -> CaptureStep {
        let source: CaptureStep.Source =
            switch random.below(7) {
            case 0: .text(locator(1))
            case 1: .attribute("href", of: locator(0))
            case 2: .header("X-H")
            case 3: .cookie("c")
            case 4: .jsonPath("$.a")
            case 5: .template(template())
            default: .signed(SignedToken(.es256, key: "pin", claims: ["iss": .value(value())], life: .minutes(9)))
            }
        if case .signed = source { return CaptureStep(name: "kept", source: source, isSecret: true) }
        return CaptureStep(
            name: "kept", source: source, pattern: flip() ? "a(b)" : nil, filter: flip() ? "trim" : nil,
            isSecret: flip())
    }

    private mutating func download() -> DownloadStep {
        switch random.below(5) {
        case 0: DownloadStep(source: .control(locator(1)), content: .zip(of: [.csv, .pdf], named: template()))
        case 1: DownloadStep(source: .open(Template("/d\(random.below(9))")), content: .document(.csv), limit: 5 << 20)
        case 2: DownloadStep(source: .request(request()))
        case 3: DownloadStep(source: .submit(submit()), content: .document(.ofx))
        default: DownloadStep(source: .encoded(in: "$.pdf"), limit: 1000 + random.below(1000))
        }
    }
}

/// Repeatable random numbers (SplitMix64; Steele, Lea, Flood, 2014).
private struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Returns a number from zero up to, and without, a limit. Written out, because the standard library may change how
    /// it draws from a range.
    mutating func below(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ mixed >> 31) % UInt64(limit))
    }
}
