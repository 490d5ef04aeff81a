/** A ULID. A variable with another text is ignored. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** From where a session is started: the instance and its current session, which the variables of the process name. */
export function toOrigin(env: Readonly<NodeJS.ProcessEnv>): { instance?: string; startedBy?: string } {
  const { KLAUS_INSTANCE_ID: instance = '', KLAUS_SESSION_ID: startedBy = '' } = env;
  return { ...(ULID.test(instance) ? { instance } : {}), ...(ULID.test(startedBy) ? { startedBy } : {}) };
}
