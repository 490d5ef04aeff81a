interface Titled {
  title: string | null;
  /** Shown in place of a title. */
  firstPrompt: string | null;
}

/** The sessions with this title, else those whose title begins with the text; upper and lower case are the same. */
export function fitTitle<T extends Titled>(text: string, sessions: readonly T[]): T[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const toTitle = ({ title, firstPrompt }: Titled): string => (title ?? firstPrompt ?? '').trim().toLowerCase();
  const equal = sessions.filter((session) => toTitle(session) === wanted);
  return equal.length > 0 ? equal : sessions.filter((session) => toTitle(session).startsWith(wanted));
}
