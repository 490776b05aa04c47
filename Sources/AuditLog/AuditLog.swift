// AuditLog: append-only, hash-chained events.
