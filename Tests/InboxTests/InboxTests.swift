// Tests of Inbox.
