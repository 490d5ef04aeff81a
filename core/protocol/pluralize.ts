const rules = new Map<string, Intl.PluralRules>();

/**
 * The form of a noun that agrees with a number.
 *
 * @param language A language with two forms. Default English.
 */
export function pluralize(n: number, [one, other]: readonly [string, string], language = 'en'): string {
  let rule = rules.get(language);
  if (!rule) rules.set(language, (rule = new Intl.PluralRules(language)));
  return rule.select(n) === 'one' ? one : other;
}
