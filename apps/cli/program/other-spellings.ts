/** Options of Agent Builder, and the command of `klaus agents` that does the same. */
const SPELLINGS: Readonly<Record<string, string>> = {
  '--list': 'list',
  '--export': 'export',
  '--import': 'import',
  '--delete': 'delete',
};

/** A command line that begins with another spelling, as the command that it means: `--export NAME`, `--export=NAME`. */
export function toCommandWords(words: readonly string[]): readonly string[] {
  const [first = '', ...rest] = words;
  const [, flag = first, value] = /^(--[a-z]+)=(.*)$/s.exec(first) ?? [];
  if (!Object.hasOwn(SPELLINGS, flag)) return words;
  return ['agents', SPELLINGS[flag]!, ...(value === undefined ? [] : [value]), ...rest];
}
