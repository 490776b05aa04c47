import PhoneStore

extension PhoneRunner {
    /// Deletes everything that this program keeps in the home, which this runner has claimed, for the process that serves its page.
    /// Nothing else uses the runner any more, and the caller has closed its own database.
    ///
    /// The files of the locks go, too, while this process holds them: a phone that is set up here next has its own.
    ///
    /// - Returns: the names that are left in the folder; an empty folder is removed.
    package func forgetHome() throws(PhoneError) -> [String] {
        // Closed first: SQLite deletes the files beside a database by their names, which may be another phone's by then.
        store.close()
        return try home.deleteOwnFiles()
    }
}
