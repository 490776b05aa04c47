import Encodings
import Foundation
import TestSupport
import Testing

@Suite("Canonical JSON (RFC 8785)", .needsVectors)
struct CanonicalJSONTests {
    @Test("gives the six published outputs")
    func published() throws {
        let names = try Vectors.names(in: "jcs/testdata/input")
        #expect(names.count == 6)
        for name in names {
            let input = try JSONReader.read(Vectors.data("jcs/testdata/input/\(name)"))
            #expect(try input.canonicalBytes() == Array(Vectors.data("jcs/testdata/output/\(name)")), "\(name)")
        }
    }

    @Test("writes ten thousand numbers as ECMAScript does")
    func numbers() throws {
        let lines = try String(decoding: Vectors.data("jcs/es6testfile_10000.txt"), as: UTF8.self).split(
            separator: "\n")
        #expect(lines.count == 10_000)
        for line in lines {
            let halves = line.split(separator: ",")
            let bits = try #require(UInt64(halves[0], radix: 16))
            let text = try JSONValue.number(Double(bitPattern: bits)).canonicalBytes()
            #expect(String(decoding: text, as: UTF8.self) == halves[1])
        }
    }
}

@Suite("Writing JSON")
struct WritingJSONTests {
    @Test(
        "writes numbers in ECMAScript's form",
        arguments: [
            (0, "0"), (-0.0, "0"), (1, "1"), (-1.5, "-1.5"), (1e21, "1e+21"), (1e20, "100000000000000000000"),
            (1e-6, "0.000001"), (1e-7, "1e-7"), (123_456_789.25, "123456789.25"), (.leastNonzeroMagnitude, "5e-324"),
            (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
        ] as [(Double, String)])
    func numbers(value: Double, text: String) {
        #expect(JSONValue.number(value).compactText() == text)
    }

    @Test("sorts names by UTF-16 code units, and escapes what has to be")
    func names() throws {
        let value: JSONValue = ["\u{FB33}": 1, "😀": 2, "a\"\\\u{1}": "\u{7F}\n", "": nil]
        #expect(value.compactText() == #"{"":null,"a\"\\\u0001":"\#u{7F}\n","😀":2,"דּ":1}"#)
    }

    @Test("refuses a value without a JSON form", arguments: [Double.nan, .infinity, -.infinity])
    func unwritable(value: Double) {
        #expect(throws: JSONError.self) { try JSONValue.number(value).canonicalBytes() }
    }
}
