const MODULES = String.raw`(?:node:)?(?:assert(?:\/strict)?|test|vitest|mocha|ava|tape|tap|chai|@jest\/globals|bun:test)`;
/** Bounded, so that its time is proportional to the length of a source. */
const IMPORTS = new RegExp(
  String.raw`\bimport\s([^;'"]{1,500}?)\sfrom\s{0,9}['"]${MODULES}['"]|\b(?:const|let|var)\s([^=;]{1,500})=\s{0,9}(?:await\s{1,9}import|require)\(\s{0,9}['"]${MODULES}['"]`,
  'g',
);
/** Names of tests and assertions that exist without an import. */
const GLOBALS = 'assert expect test it describe chai unittest TestCase pytest';
/** How a program makes failures pass without a change of its tests. */
const OTHERS = new RegExp(
  [
    String.raw`\b(?:globalThis|global|window|self)(?:\.|\[['"\x60])(?:assert|expect|test|it|describe)\b['"\x60\]]*\s*=(?!=)`,
    String.raw`\brequire\(\s*['"]${MODULES}['"]\s*\)(?:\.\w+|\[[^\]]+\])+\s*=(?!=)`,
    String.raw`\b(?:vi|jest|mock)\.(?:mock|doMock|module|unstable_mockModule)\(\s*['"]${MODULES}['"]`,
    String.raw`\bModule\.(?:_load|_resolveFilename|_extensions|prototype)\b|\bregisterHooks\(`,
    String.raw`\bprocess\.(?:exit|reallyExit|exitCode)\s*=(?!=)|\bprocess\.on\(\s*['"](?:exit|uncaughtException|unhandledRejection)`,
    String.raw`\b\w*TestCase\.(?:assert\w*|fail)\s*=(?!=)|\bsetattr\(\s*(?:unittest|\w*TestCase|pytest)\b|\bbuiltins\.AssertionError\b`,
  ].join('|'),
  'g',
);

/** Number of places at which a source replaces assertions or the exit of a test run. */
export function countReplacedAssertions(text: string | null): number {
  if (text === null) return 0;
  const names = new Set(GLOBALS.split(' '));
  for (const [, imported, required] of text.matchAll(IMPORTS))
    for (const name of (imported ?? required ?? '').matchAll(/[\w$]+(?=\s*(?:[,}]|$))/g)) names.add(name[0]);
  const own = [...names].join('|').replaceAll('$', String.raw`\$`);
  const assigned = new RegExp(
    String.raw`(?<![\w$.])(?:${own})(?:\.\w+|\[[^\]\n]+\])+\s*=(?![=>])|\b(?:Object\.(?:assign|defineProperty|defineProperties|setPrototypeOf)|Reflect\.(?:set|defineProperty))\(\s*(?:${own})\b|\bdelete\s+(?:${own})\.`,
    'g',
  );
  return [...text.matchAll(assigned)].length + [...text.matchAll(OTHERS)].length;
}
