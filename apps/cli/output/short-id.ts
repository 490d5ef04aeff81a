/** Characters of an id that are shown: the time and some of the random part. A command accepts them. */
export const SHORT_ID = 14;

export function toShortId(id: string): string {
  return id.slice(0, SHORT_ID);
}
