// SyncedFolder: files that appear whole, reads that cannot be raced, and changes that are noticed.
