import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One recipe: a diff against the sources, and the commands that prove it. */
export interface Recipe {
  name: string;
  /** A unified diff. */
  diff: string;
  /** Command lines, run in order in the folder of the sources. */
  commands: string[];
}

const SECTION = /^### (?<name>.+)\n(?<body>[\s\S]*?)(?=^##|(?![\s\S]))/gm;

/** The recipes of AGENTS.md and docs/recipes.md that have a diff. */
export function readRecipes(root: string): Recipe[] {
  const page = ['AGENTS.md', 'docs/recipes.md'].map((name) => readFileSync(join(root, name), 'utf8')).join('\n');
  return [...page.matchAll(SECTION)].flatMap(({ groups }) => {
    const { name = '', body = '' } = groups ?? {};
    const diff = readBlock(body, 'diff');
    if (diff === undefined) return [];
    const commands = readBlock(body, 'sh')?.trim().split('\n') ?? [];
    return [{ name, diff, commands }];
  });
}

function readBlock(body: string, language: string): string | undefined {
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(body)?.[1];
}

/** The parts of a diff by the file that each changes or adds. */
export function splitDiff(diff: string): Map<string, { text: string; isNew: boolean }> {
  const parts = diff.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
  return new Map(
    parts.map((text) => [/^\+\+\+ b\/(.+)$/m.exec(text)?.[1] ?? '', { text, isNew: /^--- \/dev\/null$/m.test(text) }]),
  );
}
