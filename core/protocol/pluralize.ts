const rules = new Map<string, Intl.PluralRules>();

/** The form of a noun that agrees with a number. @param language One with two forms; default English. */
export function pluralize(n: number, { one, other }: { one: string; other: string }, language = 'en'): string {
  let rule = rules.get(language);
  if (!rule) rules.set(language, (rule = new Intl.PluralRules(language)));
  return rule.select(n) === 'one' ? one : other;
}
