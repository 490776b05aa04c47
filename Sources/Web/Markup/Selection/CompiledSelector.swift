import Encodings
import Selectors

/// A selector whose names are interned in a document, so that each comparison compares addresses or bytes.
struct CompiledSelector {
    struct Part {
        let combinator: ComplexSelector.Combinator
        let compound: Compound
    }

    struct Compound {
        enum TypeTest {
            case any
            case named(InternedName)
            /// The page has no element with the name.
            case never
        }

        let type: TypeTest
        let tests: [Test]
    }

    indirect enum Test {
        case id(ByteString)
        case `class`(ByteString)
        case attribute(Attribute)
        case `is`([CompiledSelector])
        case not([CompiledSelector])
        case has([Relative])
        case nth(Nth)
        case state(SimpleSelector.State)
        case lang([String])
    }

    /// An argument of `:has()`.
    struct Relative {
        let parts: [Part]
        /// The index of its cached results.
        let slot: Int
    }

    struct Attribute {
        /// Nil when the page does not have the attribute.
        let name: InternedName?
        let op: AttributeSelector.Operator
        let value: ByteString
        let isCaseSensitive: Bool
    }

    struct Nth {
        let a: Int
        let b: Int
        let fromEnd: Bool
        let ofType: Bool
        let of: [CompiledSelector]?
        /// The index of its cached counts.
        let slot: Int
    }

    /// From left to right; the last one is the subject.
    let parts: [Part]
}

/// A compiler that interns a selector list's names.
struct SelectorCompiler {
    /// Attributes whose values HTML compares case-insensitively (HTML Standard, section 4.16.2).
    private static let caseless: Set<String> = [
        "accept", "accept-charset", "align", "alink", "axis", "bgcolor", "charset", "checked", "clear", "codetype",
        "color", "compact", "declare", "defer", "dir", "direction", "disabled", "enctype", "face", "frame", "hreflang",
        "http-equiv", "lang", "language", "link", "media", "method", "multiple", "nohref", "noresize", "noshade",
        "nowrap", "readonly", "rel", "rev", "rules", "scope", "scrolling", "selected", "shape", "target", "text",
        "type", "valign", "valuetype", "vlink",
    ]

    let document: Document
    /// The number of `:nth-…()` selectors, each with its counts.
    private(set) var slots = 0
    /// The number of arguments of `:has()`, each with its results.
    private(set) var relativeSlots = 0

    init(_ document: Document) {
        self.document = document
    }

    mutating func compile(_ list: SelectorList) -> [CompiledSelector] { compile(list.selectors) }

    private mutating func compile(_ selectors: [ComplexSelector]) -> [CompiledSelector] {
        selectors.map { selector in
            CompiledSelector(
                parts: selector.parts.map { .init(combinator: $0.combinator, compound: compile($0.compound)) })
        }
    }

    private mutating func compile(_ compound: CompoundSelector) -> CompiledSelector.Compound {
        let type: CompiledSelector.Compound.TypeTest =
            compound.type.map { document.interned($0).map { .named($0) } ?? .never } ?? .any
        return .init(type: type, tests: compound.simple.map { compile($0) })
    }

    private mutating func compile(_ simple: SimpleSelector) -> CompiledSelector.Test {
        switch simple {
        case .id(let id): .id(ByteString(id))
        case .class(let name): .class(ByteString(name))
        case .attribute(let selector): .attribute(compile(selector))
        case .is(let list): .is(compile(list))
        case .not(let list): .not(compile(list))
        case .has(let selectors): .has(compile(selectors).map { relative($0) })
        case .nth(let nth): .nth(compile(nth))
        case .state(let state): .state(state)
        case .lang(let ranges): .lang(ranges)
        }
    }

    private mutating func relative(_ selector: CompiledSelector) -> CompiledSelector.Relative {
        defer { relativeSlots += 1 }
        return .init(parts: selector.parts, slot: relativeSlots)
    }

    private func compile(_ selector: AttributeSelector) -> CompiledSelector.Attribute {
        let isCaseSensitive = selector.isCaseSensitive ?? !Self.caseless.contains(selector.name)
        return .init(
            name: document.interned(selector.name), op: selector.op,
            value: ByteString(isCaseSensitive ? selector.value : selector.value.asciiLowercased),
            isCaseSensitive: isCaseSensitive)
    }

    private mutating func compile(_ nth: NthSelector) -> CompiledSelector.Nth {
        let of = nth.of.map { compile($0) }
        defer { slots += 1 }
        return .init(a: nth.a, b: nth.b, fromEnd: nth.fromEnd, ofType: nth.ofType, of: of, slot: slots)
    }
}
