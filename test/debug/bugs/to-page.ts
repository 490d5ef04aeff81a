import type { Bug } from './bug.ts';

export interface Result {
  bug: Bug;
  isReached: boolean;
}

/** The page of the documentation with the figures of a complete run. */
export function toPage(npm: readonly Result[], pypi: readonly Result[]): string {
  return `# Public bugs and the runtime debugger

\`npm run test:debug-bugs\` runs small programs that meet a bug of a published package, each with the buggy and with the fixed version. \`npm run test:debug-bugs -- -u\` also writes this page. Function and variables are those that the commit of the fix changes; they were written down before the program ran. After it, three were corrected from the sources: the function of arrow, the name of the setter of jsdom, and a variable of sqlglot 30.8.0 that only the fixed version has. A bug is reached if the call stack of the error has that function with all these variables. With the fixed version the program must not fail.

${toSummary('npm', npm)}
${toSummary('PyPI', pypi)}

All bugs are in the packages, and all end in an error that passes through them: a wrong value that no code refuses has no call stack to look at. If a function returns a wrong value that is refused later, the debugger shows the place that refuses it.

## Not reached

${[...npm, ...pypi].flatMap(toReason).join('\n')}

## npm

${toTable(npm)}

## PyPI

${toTable(pypi)}
`;
}

function toSummary(registry: string, results: readonly Result[]): string {
  const reached = results.filter(({ isReached }) => isReached).length;
  const packages = new Set(results.map(({ bug }) => bug.name)).size;
  const percent = Math.floor((1000 * reached) / results.length) / 10;
  return `- ${registry}: ${reached} of ${results.length} bugs in ${packages} packages are reached, ${percent} %.`;
}

const toReason = ({ bug: { name, buggy, frame, missed }, isReached }: Result): string[] =>
  isReached ? [] : [`- ${name} ${buggy}, \`${frame}\`: ${missed}`];

function toTable(results: readonly Result[]): string {
  const rows = results.map(({ bug, isReached }) => {
    const [repository, hash] = bug.commit.split(' ');
    const frame = bug.frame === '' || bug.frame === '<anonymous>' ? 'without a name' : `\`${bug.frame}\``;
    const variables = bug.variables.map((name) => `\`${name}\``).join(', ');
    const versions = `${bug.buggy} → ${bug.fixed}`;
    return `| ${bug.name} | ${versions} | ${repository} ${hash!.slice(0, 10)} | ${frame} | ${variables} | ${isReached ? 'yes' : 'no'} |`;
  });
  return ['| package | versions | fix | function | variables | reached |', '|---|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}
