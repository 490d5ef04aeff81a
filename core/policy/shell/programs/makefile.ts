import { UNKNOWN } from '../expansion/word.ts';

/** A makefile as far as its rules are plain text. */
interface Makefile {
  variables: Map<string, string>;
  rules: Rule[];
  /** True if rules can come from elsewhere: every recipe counts then. */
  isOpen: boolean;
}

interface Rule {
  targets: string[];
  needs: string[];
  recipe: string[];
}

/** Directives by which a makefile gets rules that are not in its text. */
const OPEN = /^\s*-?(?:s?include|define|\$\(eval|\$\(call|vpath)\b|\$\(eval\b/m;
const VARIABLE = /^(?:export\s+|override\s+)*([\w.-]+)\s*(\?|\+|::?:?|!)?=\s*(.*)$/;
const DEEPEST = 8;

/**
 * The commands that `make` runs for these goals, with the values of its variables. Values that are not in the text are
 * unknown. Recipes of other goals are left out, unless rules can come from elsewhere.
 *
 * @param goals Names of targets; none: the first one.
 * @param given Variables of the command line.
 */
export function toRecipes(text: string, goals: readonly string[], given: ReadonlyMap<string, string>): string[] {
  const makefile = read(text, given);
  const wanted = makefile.isOpen ? makefile.rules : reach(makefile, goals);
  return wanted.flatMap(({ recipe, targets, needs }) =>
    recipe.map((line) =>
      expand(line, {
        variables: makefile.variables,
        automatic: {
          '@': targets[0] ?? '',
          '<': needs[0] ?? '',
          '^': needs.join(' '),
        },
      }),
    ),
  );
}

function read(text: string, given: ReadonlyMap<string, string>): Makefile {
  const variables = new Map<string, string>([
    ['MAKE', 'make'],
    ['SHELL', '/bin/sh'],
    ['RM', 'rm -f'],
    ['CC', 'cc'],
    ['CXX', 'g++'],
    ['CURDIR', '.'],
  ]);
  const rules: Rule[] = [];
  const isOpen = OPEN.test(text);
  for (const line of text.replaceAll(/\\\n[ \t]*/g, ' ').split('\n')) {
    if (line.startsWith('\t')) {
      rules.at(-1)?.recipe.push(withoutFlags(line));
      continue;
    }
    const plain = line.replace(/(?<!\\)#.*$/, '').trimEnd();
    const assigned = VARIABLE.exec(plain);
    if (assigned) {
      const [, name = '', kind = '', value = ''] = assigned;
      if (given.has(name)) continue;
      if (kind === '!') variables.set(name, UNKNOWN);
      else if (kind === '+') variables.set(name, `${variables.get(name) ?? ''} ${value}`.trim());
      else if (kind !== '?' || !variables.has(name)) variables.set(name, value);
      continue;
    }
    const rule = /^([^:=\t]+?)\s*::?(?!=)([^=]*)$/.exec(plain.split(';')[0] ?? '');
    if (!rule) continue;
    const inline = /^[^;]*;(.*)$/.exec(plain)?.[1];
    rules.push({
      targets: words(expand(rule[1] ?? '', { variables })),
      needs: words(expand(rule[2] ?? '', { variables })).filter((need) => need !== '|'),
      recipe: inline === undefined ? [] : [withoutFlags(inline)],
    });
  }
  for (const [name, value] of given) variables.set(name, value);
  return { variables, rules, isOpen };
}

const withoutFlags = (line: string): string => line.replace(/^[-@+\s]*/, '');
const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/** The rules of the goals and of all that they need. A pattern counts for every name. */
function reach({ rules }: Makefile, goals: readonly string[]): Rule[] {
  const first = rules.find(({ targets }) => targets.some((target) => !/^\.[A-Z_]+$|%/.test(target)));
  const queue = goals.length > 0 ? [...goals] : [...(first?.targets ?? [])];
  const names = new Set<string>();
  const found = new Set<Rule>(
    rules.filter(({ targets }) => targets.some((target) => target.includes('%') || target.includes(UNKNOWN))),
  );
  for (const rule of found) queue.push(...rule.needs);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (names.has(name)) continue;
    names.add(name);
    for (const rule of rules)
      if (rule.targets.includes(name)) {
        found.add(rule);
        queue.push(...rule.needs);
      }
  }
  return rules.filter((rule) => found.has(rule));
}

/** Values of `$(NAME)`, and of `$@`, `$<` and `$^` in a recipe. */
interface Values {
  variables: ReadonlyMap<string, string>;
  automatic?: Readonly<Record<string, string>>;
}

/** Expands `$(NAME)`, `${NAME}`, `$@` and `$$`. Functions, and names without a value, are unknown. */
function expand(text: string, values: Values, depth = 0): string {
  if (depth > DEEPEST) return UNKNOWN;
  return text.replaceAll(/\$(?:\$|\([^()]*(?:\([^()]*\)[^()]*)*\)|\{[^{}]*\}|[@<^*?+%|\w])/g, (all) => {
    if (all === '$$') return '$';
    const name = /^\$[({]/.test(all) ? all.slice(2, -1) : all.slice(1);
    const automatic = values.automatic?.[name];
    if (automatic !== undefined) return automatic;
    // Reading the output of a command runs it: it stays a substitution, which the shell evaluates.
    const command = /^shell\s+([^]*)$/.exec(name)?.[1];
    if (command !== undefined) return `$(${expand(command, values, depth + 1)})`;
    const value = values.variables.get(name);
    return value === undefined ? UNKNOWN : expand(value, values, depth + 1);
  });
}
