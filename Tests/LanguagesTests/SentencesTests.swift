import Foundation
import Testing

@testable import Languages

@Suite("The sentences of a page")
struct SentencesTests {
    private static func book(_ english: String, german: String) -> SentenceBook {
        SentenceBook([.english: Array(english.utf8), .german: Array(german.utf8)])
    }

    private static let english = #"{"a.one": "Needs {{needed}} of <b>{{bank}}</b>", "a.two": "Two"}"#

    @Test(
        "a language that is not whole is not offered, and says what it lacks",
        arguments: [
            (#"{"a.one": "{{needed}} bei <b>{{bank}}</b>", "a.two": "Zwei"}"#, [String]()),
            (#"{"a.one": "{{needed}} bei <b>{{bank}}</b>"}"#, ["a.two: the sentence is missing"]),
            (#"{"a.one": "{{needed}} bei <b>{{bank}}</b>", "a.two": ""}"#, ["a.two: the sentence is missing"]),
            (
                #"{"a.one": "{{needed}} bei <b>{{bank}}</b>", "a.two": "Zwei", "a.three": "Drei"}"#,
                ["a.three: English has no sentence with this key"]
            ),
            (
                #"{"a.one": "bei <b>{{bank}}</b>", "a.two": "Zwei"}"#,
                ["a.one: it has </b> <b> {{bank}}, and English </b> <b> {{bank}} {{needed}}"]
            ),
            (
                #"{"a.one": "{{needed}} bei {{bank}}", "a.two": "Zwei"}"#,
                ["a.one: it has {{bank}} {{needed}}, and English </b> <b> {{bank}} {{needed}}"]
            ),
            (
                #"{"a.one": "{{needed}} bei <b>{{bank}}</b>", "a.two": "\"Zwei\""}"#,
                ["a.two: it has \" \", and English "]
            ), ("not JSON", ["a.one: the sentence is missing", "a.two: the sentence is missing"]),
        ])
    func whole(german: String, faults: [String]) {
        let book = Self.book(Self.english, german: german)
        #expect(book.faults(of: .german) == faults)
        #expect(book.offered == (faults.isEmpty ? [.english, .german] : [.english]))
    }

    @Test("a sentence that a language lacks is English, and one that all lack is its key")
    func fallback() {
        let sentences = Self.book(Self.english, german: #"{"a.two": "Zwei"}"#)[.german]
        #expect(sentences["a.two"] == "Zwei")
        #expect(sentences("a.one", ["needed": "x"]) == "Needs x of <b>{{bank}}</b>")
        #expect(sentences["a.three"] == "a.three" && !sentences.has("a.three"))
    }

    @Test("a value that looks like a place stays a value")
    func values() {
        let sentences = Self.book(Self.english, german: "{}")[.english]
        #expect(
            sentences("a.one", ["needed": "{{bank}}", "bank": "[[a.two]]"]) == "Needs {{bank}} of <b>[[a.two]]</b>")
    }

    @Test("marks in a text become sentences, and the language's code")
    func marks() {
        let sentences = Self.book(Self.english, german: #"{"a.two": "\"Zwei\"\nDrei\\"}"#)[.german]
        #expect(
            sentences.filling(#"<html lang="[[language]]">[[a.two]] [[locale]] /x[[query]] [[0]] [[A]]"#)
                == "<html lang=\"de\">\"Zwei\"\nDrei\\ de-DE /x?de [[0]] [[A]]")
        #expect(
            sentences.filling(#"say("[[a.two]]")"#, escaping: Sentences.inLiteral) == #"say("\"Zwei\"\nDrei\\")"#)
        #expect(Sentences.keys(in: "[[a.one]] [[language]] [[query]] [[a.two]] [[a.one]]") == ["a.one", "a.two"])
    }

    @Test(
        "a moment is written as the language writes it",
        arguments: [
            (Language.english, "1 Mar 2026, 09:30"), (.german, "1. März 2026, 09:30"),
            (.french, "1er mars 2026, 09:30"), (.spanish, "1 mar 2026, 09:30"),
        ])
    func moment(language: Language, words: String) {
        let patterns = [
            Language.english: "d MMM yyyy, HH:mm", .german: "d. MMM yyyy, HH:mm",
            .french: "d MMM yyyy, HH:mm", .spanish: "d MMM yyyy, HH:mm",
        ]
        let book = SentenceBook(patterns.mapValues { Array(#"{"date.time": "\#($0)"}"#.utf8) })
        let date = Date(timeIntervalSince1970: 1_772_357_400)
        #expect(book[language].date(date, as: "date.time", zone: .gmt) == words)
    }
}
