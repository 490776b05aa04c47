import Foundation
import TestSupport
import Testing

@testable import AttestedKeys

@Suite("AWS credentials in a file") struct AmazonCredentialsTests {
    private static func read(_ text: String, mode: mode_t = 0o600) throws -> AmazonCredentials {
        let folder = try TemporaryFolder()
        let file = folder.appending("credentials")
        try Data(text.utf8).write(to: file)
        chmod(file.path, mode)
        return try AmazonCredentials(file)
    }

    @Test(
        "the form of AWS's own tools is read",
        arguments: [
            "[default]\naws_access_key_id = AKIDTESTFILE\naws_secret_access_key = key+of/this=test+only/unique1\n",
            "# a comment\r\n[other]\naws_access_key_id=x\n[default]\r\nregion=eu-central-1\n"
                + "AWS_SECRET_ACCESS_KEY=key+of/this=test+only/unique1\n  aws_access_key_id=AKIDTESTFILE\n[last]\n"
                + "aws_access_key_id=y\n",
        ])
    func form(_ text: String) throws {
        let credentials = try Self.read(text)
        #expect(credentials.accessKeyID == "AKIDTESTFILE")
        #expect(credentials.secretAccessKey.revealed() == "key+of/this=test+only/unique1")
        #expect(credentials.sessionToken == nil)
    }

    @Test("a named section is read, and no other")
    func profiles() throws {
        let folder = try TemporaryFolder()
        let file = folder.appending("credentials")
        let text = """
            [default]
            aws_access_key_id=AKIDDEFAULT
            aws_secret_access_key=key+of/this=test+only/unique3
            [bank]
            aws_access_key_id=AKIDOFBANK
            aws_secret_access_key=key+of/this=test+only/unique4
            [by-role]
            role_arn=arn:aws:iam::111122223333:role/key-service
            source_profile=bank
            """
        try Data(text.utf8).write(to: file)
        chmod(file.path, 0o600)
        #expect(try AmazonCredentials(file, profile: "bank").accessKeyID == "AKIDOFBANK")
        for (name, words) in [("by-role", "roles"), ("absent", "[absent]")] {
            #expect {
                try AmazonCredentials(file, profile: name)
            } throws: {
                ($0 as? AmazonKeysError)?.description.contains(words) == true
            }
        }
    }

    @Test("temporary credentials have a token")
    func temporary() throws {
        let credentials = try Self.read(
            "[default]\naws_access_key_id=ASIATESTFILE\naws_secret_access_key=key+of/this=test+only/unique2\n"
                + "aws_session_token=token==of==this==test==only\n")
        #expect(credentials.sessionToken?.revealed() == "token==of==this==test==only")
    }

    @Test(
        "a file without credentials, or that others can read, is named with what to do",
        arguments: [
            ("", 0o600, "aws_access_key_id"), ("[default]\naws_access_key_id=A\n", 0o600, "aws_secret_access_key"),
            ("[other]\naws_access_key_id=A\naws_secret_access_key=B\n", 0o600, "[default]"),
            ("[default]\naws_access_key_id=\naws_secret_access_key=\n", 0o600, "aws_access_key_id"),
            ("[default]\n", 0o640, "0600"),
        ] as [(String, mode_t, String)])
    func wrong(_ text: String, _ mode: mode_t, _ words: String) {
        #expect {
            try Self.read(text, mode: mode)
        } throws: {
            ($0 as? AmazonKeysError)?.description.contains(words) == true
        }
        #expect(throws: AmazonKeysError.self) { try AmazonCredentials(URL(filePath: "/nonexistent/credentials")) }
    }
}
