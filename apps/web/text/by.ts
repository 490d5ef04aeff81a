/**
 * Who took an action, in words.
 *
 * @param who As in the log: a door such as `server/page`, with the person after a colon if the sign-in names one.
 * @param clients Words for the doors.
 * @param by The word before a name.
 */
export function toBy(who: string, clients: Readonly<Record<string, string>>, by: string): string {
  const at = who.indexOf(':');
  const [door, person] = at < 0 ? [who] : [who.slice(0, at), who.slice(at + 1)];
  const words = clients[door];
  if (person === undefined) return words ?? `${by} ${who}`;
  return `${by} ${person}${words === undefined ? '' : ` ${words}`}`;
}
