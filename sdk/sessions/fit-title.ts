interface Titled {
  title: string | null;
  /** Shown in place of a title. */
  firstPrompt: string | null;
}

/** Characters of a text that can be a title. */
const MAX_TITLE = 200;
/** A beginning of an id. A title, which a model can choose, is never taken for an id with a wrong character. */
const ID = /^0[\dA-HJKMNP-TV-Z]*$/i;

/** True if the text can name a session by its title. */
export function canBeTitle(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_TITLE && !ID.test(text);
}

/** The sessions with this title, else those whose title begins with the text; upper and lower case are the same. */
export function fitTitle<T extends Titled>(text: string, sessions: readonly T[]): T[] {
  if (!canBeTitle(text)) return [];
  const wanted = text.trim().toLowerCase();
  const toTitle = ({ title, firstPrompt }: Titled): string => (title ?? firstPrompt ?? '').trim().toLowerCase();
  const equal = sessions.filter((session) => toTitle(session) === wanted);
  return equal.length > 0 ? equal : sessions.filter((session) => toTitle(session).startsWith(wanted));
}
