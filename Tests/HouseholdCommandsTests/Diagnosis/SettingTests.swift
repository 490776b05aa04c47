import Foundation
import Terminal
import TestSupport
import Testing

@testable import HouseholdCommands

@Suite("Settings")
struct SettingTests {
    @Test("a secret's value is dots, and a default is named as one")
    func dots() throws {
        let shown = Setting.shown(
            ["BROKER_PORT": "9000"], ["BROKER_PORT": "9000", "BROKER_API_TOKEN": "a secret"], source: "environment")
        let port = try #require(shown.first { $0.name == "BROKER_PORT" })
        #expect(port == Setting.Shown(name: "BROKER_PORT", value: "9000", source: "environment"))
        let token = try #require(shown.first { $0.name == "BROKER_API_TOKEN" })
        #expect(token.value == "••••••••" && token.source == "countersign up")
        let host = try #require(shown.first { $0.name == "BROKER_HOST" })
        #expect(host == Setting.Shown(name: "BROKER_HOST", value: "127.0.0.1", source: "default"))
        #expect(!shown.contains { $0.name == "BROKER_TLS_CERT" })
        let all = Setting.shown([:], [:], source: "environment", withUnset: true)
        #expect(all.map(\.name) == Setting.all.map(\.name))
        #expect(
            all.first { $0.name == "BROKER_TLS_CERT" }
                == Setting.Shown(name: "BROKER_TLS_CERT", value: "", source: "not set"))
    }
}

@Suite("Settings of a household")
struct HouseholdSettingTests {
    @Test(
        "that others decide are refused with the way to change them",
        arguments: [
            ("BROKER_HOST", "countersign up --host-name NAME"),
            ("broker_port", "BROKER_PORT is not changed here: countersign up decides it"),
            ("BROKER_LANGUGE", "did you mean BROKER_LANGUAGE?"), ("COLOUR", "see: countersign config set --help"),
        ])
    func refused(typed: String, words: String) {
        #expect { try HouseholdSetting.named(typed) } throws: { "\($0)".contains(words) }
    }

    @Test("each variable can be changed, or has its way, and what can be changed says what it is")
    func whole() throws {
        for setting in Setting.all {
            do throws(CommandFailure) {
                #expect(try !HouseholdSetting.named(setting.name).purpose.isEmpty)
                let isKept = HouseholdFile.isSetting(setting.name)
                #expect(isKept || setting.name == "BROKER_ARCHIVE_PATH", "the household's file takes \(setting.name)")
            } catch {
                #expect(!HouseholdFile.isSetting(setting.name))
                #expect(error.message.hasPrefix("\(setting.name) is not changed here: "), "\(error.message)")
            }
        }
    }

    @Test("values of this shell that are not taken are kept by name")
    func keeping() {
        #expect(HouseholdSetting.wordsOnKeeping(["BROKER_PORT"]) == nil)
        #expect(
            HouseholdSetting.wordsOnKeeping(["BROKER_LANGUAGE", "BROKER_PORT"])
                == "Keep it with: countersign config set BROKER_LANGUAGE")
        #expect(
            HouseholdSetting.wordsOnKeeping(["BROKER_LANGUAGE", "BROKER_POLICY_FILE"])
                == "Keep them with: countersign config set BROKER_LANGUAGE …")
    }

    @Test(
        "days for the phone's log are a whole number",
        arguments: [(nil, nil), ("", nil), ("30", 30)] as [(String?, Int?)])
    func days(value: String?, days: Int?) throws {
        #expect(try PhoneSetting.retentionDays(in: value.map { ["PHONE_RETENTION_DAYS": $0] } ?? [:]) == days)
        for wrong in ["0", "-1", "a month", "36501"] {
            #expect { try PhoneSetting.retentionDays(in: ["PHONE_RETENTION_DAYS": wrong]) } throws: {
                "\($0)".contains("write a number of days from 1 to 36500")
            }
        }
    }
}
