// Tests of AuditLog.
