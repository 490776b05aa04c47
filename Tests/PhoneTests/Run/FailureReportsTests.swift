import Crypto
import Foundation
import KeyVault
import Messages
import PhoneStore
import Secrets
import TestSupport
import Testing

@testable import Phone

@Suite("The reports of failed runs")
struct FailureReportsTests {
    private static let request = RequestID()

    private static func inHome(_ body: (PhoneHome, Secret, URL) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let home = PhoneHome(folder.url)
        try home.prepare()
        let key = SymmetricKey(size: .bits256).withUnsafeBytes { Secret(bytes: $0) }
        try body(home, key, home.failures.appending(path: "\(request).txt.sealed"))
    }

    @Test("name the version of their key")
    func version() throws {
        try Self.inHome { home, key, file in
            let reports = try FailureReports(of: home, key: key)
            try reports.keep("the page has no link “Documents”", as: .description, of: Self.request)
            #expect(VersionedKey.version(of: Array(try Data(contentsOf: file))) == 1)
            #expect(try reports.text(.description, of: Self.request) == "the page has no link “Documents”")
            #expect(try reports.text(.page, of: Self.request) == nil)
        }
    }

    @Test("of before there were versions are read")
    func earlier() throws {
        try Self.inHome { home, key, file in
            let name = Array("\(Self.request).txt".utf8)
            let symmetric = key.withUnsafeBytes { SymmetricKey(data: $0) }
            let sealed = try SealedBytes.seal(Array("an earlier report".utf8), under: symmetric, binding: name)
            try Data(sealed).write(to: file)
            #expect(try FailureReports(of: home, key: key).text(.description, of: Self.request) == "an earlier report")
        }
    }

    @Test("of another version, another request or another vault are refused with the reason")
    func refused() throws {
        try Self.inHome { home, key, file in
            let reports = try FailureReports(of: home, key: key)
            func refusal() -> String? {
                let error = #expect(throws: PhoneError.self) { try reports.text(.description, of: Self.request) }
                return error?.message
            }
            try reports.keep("a report", as: .description, of: Self.request)
            let own = try Data(contentsOf: file)
            var later = own
            later[3] = 2
            try later.write(to: file)
            #expect(refusal()?.contains("version 2 of the key") == true, "also when only the version was changed")
            try own.dropLast().write(to: file)
            #expect(refusal()?.contains("cannot be decrypted") == true)
            try Data().write(to: file)
            #expect(refusal()?.contains("cannot be decrypted") == true)
            let stranger = SymmetricKey(size: .bits256).withUnsafeBytes { Secret(bytes: $0) }
            try own.write(to: file)
            let error = #expect(throws: PhoneError.self) {
                try FailureReports(of: home, key: stranger).text(.description, of: Self.request)
            }
            #expect(error?.message.contains("another vault's") == true)
            let other = RequestID()
            try own.write(to: home.failures.appending(path: "\(other).txt.sealed"))
            #expect(throws: PhoneError.self) { try reports.text(.description, of: other) }
        }
    }
}
