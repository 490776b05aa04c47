// Inbox: publish and ingest.
