/** Reads rows of `ApprovalRow`, in the SQL of both stores. */
export const SELECT_APPROVALS = `SELECT approvals.id, session_id AS session, sessions.title AS "sessionTitle",
  workspace_dir AS workspace, kind, approvals.title, reason, tool_name AS "toolName", diff, command,
  limit_name AS "limitName", offer, approvals.created_at AS "createdAt", expires_at AS "expiresAt", answer,
  answered_by AS "answeredBy", note, answered_at AS "answeredAt"
  FROM approvals JOIN sessions ON sessions.id = session_id`;
