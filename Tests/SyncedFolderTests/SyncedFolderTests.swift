// Tests of SyncedFolder.
