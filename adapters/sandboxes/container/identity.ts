/** Ids of a user and a group. */
export interface Identity {
  uid: number;
  gid: number;
}

/** No file belongs to it: the kernel shows it for ids that it cannot map. */
const OVERFLOW_ID = 65_534;

/** The user of the process that holds a container: another one than that of the commands, which cannot signal it. */
export function toEngineIdentity(user: Identity): Identity {
  const id = user.uid === OVERFLOW_ID ? OVERFLOW_ID - 1 : OVERFLOW_ID;
  return { uid: id, gid: id };
}
