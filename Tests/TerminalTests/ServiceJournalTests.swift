import Foundation
import TestSupport
import Testing

@testable import Terminal

@Suite("The journal of a service")
struct ServiceJournalTests {
    @Test("is known by its device and inode")
    func known() throws {
        let (journal, other) = (Pipe(), Pipe())
        var status = stat()
        #expect(fstat(journal.fileHandleForWriting.fileDescriptor, &status) == 0)
        let stream = "\(status.st_dev):\(status.st_ino)"
        #expect(ServiceJournal.takes(journal.fileHandleForWriting.fileDescriptor, stream: stream))
        #expect(!ServiceJournal.takes(other.fileHandleForWriting.fileDescriptor, stream: stream))
        for text in [nil, "", "0:0", stream + "0"] {
            #expect(!ServiceJournal.takes(journal.fileHandleForWriting.fileDescriptor, stream: text))
        }
    }
}
