/** Bytes of a SKILL.md. A larger one is not text that a person wrote. */
export const MAX_SKILL_BYTES = 256 * 1_024;

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([^]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/;

/** Splits a Markdown file into its YAML and its body. `head` is undefined for a file without front matter. */
export function splitFrontMatter(text: string): { head: string | undefined; body: string } {
  const found = FRONT_MATTER.exec(text);
  const body = found ? text.slice(found[0].length) : text;
  // Without the empty line before it and the end of its last line.
  return { head: found?.[1], body: body.replace(/^\r?\n/, '').replace(/\r?\n$/, '') };
}

/**
 * The instructions of a skill with its arguments. `$ARGUMENTS` and `$1` to `$9` are replaced; without a place for them,
 * they follow the text. `${CLAUDE_SKILL_DIR}` is the folder of the skill. Shell commands in the text do not run.
 */
export function expandSkill(body: string, { folder, given = '' }: { folder: string; given?: string }): string {
  const text = body.replaceAll('${CLAUDE_SKILL_DIR}', () => folder);
  if (given === '') return text;
  if (!/\$(?:ARGUMENTS|[1-9])/.test(text)) return `${text}\n\nArguments: ${given}`;
  const words = given.split(/\s+/);
  return text
    .replaceAll('$ARGUMENTS', () => given)
    .replaceAll(/\$([1-9])(?!\d)/g, (_, at: string) => words[Number(at) - 1] ?? '');
}

/** The prompt of a user who called a skill as `/NAME`. */
export function toSkillPrompt(name: string, given: string): string {
  const input = JSON.stringify({ name, ...(given === '' ? {} : { arguments: given }) });
  return `Use the skill ${name}: load it with use_tool {"name":"use_skill","input":${input}}, then follow it.`;
}
