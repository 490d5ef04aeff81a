import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import mustache from 'mustache';
import { CliFailure } from '../program/cli-failure.ts';
import { VARIABLES, type PromptData } from './prompt-data.ts';
import { BUILTIN_TEMPLATES, type TemplateName } from './builtin-templates.ts';

export interface TemplateFolders {
  /** Folder from `--templates`, whose files must be readable. */
  given?: string;
  /** `$KLAUS_HOME/klendathu`. */
  user: string;
}

/**
 * Renders a template: that of the option, else that of the user, else ours. Values are inserted unchanged, without
 * escapes for HTML, and are not rendered again.
 *
 * @throws CliFailure `config` for a template that cannot be read, parsed, or names an unknown variable.
 */
export function renderPrompt(name: TemplateName, data: PromptData, folders: TemplateFolders): string {
  const { path, text } = findTemplate(name, folders);
  let rendered: string;
  try {
    checkNames(mustache.parse(text) as Token[], path);
    rendered = mustache.render(text, data, undefined, { escape: String });
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    throw new CliFailure('config', `The template ${path} is invalid: ${(error as Error).message}`);
  }
  if (rendered.trim() === '') throw new CliFailure('config', `The template ${path} is empty.`);
  return rendered.replaceAll(/\n{3,}/g, '\n\n').trim();
}

/** Type, name or text, start, end, and the parts of a section. */
type Token = [type: string, value: string, start: number, end: number, parts?: Token[]];

function checkNames(tokens: readonly Token[], path: string): void {
  const known: readonly string[] = VARIABLES;
  for (const [type, value, , , parts] of tokens) {
    if (type === '>') throw new CliFailure('config', `The template ${path} uses a partial, which is not supported.`);
    if (['name', '&', '#', '^'].includes(type) && !known.includes(value)) {
      throw new CliFailure('config', `The template ${path} uses the unknown variable ${JSON.stringify(value)}.`, {
        hint: `The variables are ${known.join(', ')}.`,
      });
    }
    if (Array.isArray(parts)) checkNames(parts, path);
  }
}

function findTemplate(name: TemplateName, { given, user }: TemplateFolders): { path: string; text: string } {
  const file = `${name}.mustache`;
  const own = join(user, file);
  const path = given === undefined ? (existsSync(own) ? own : undefined) : join(given, file);
  if (path === undefined) return { path: file, text: BUILTIN_TEMPLATES[name] };
  try {
    return { path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    throw new CliFailure('config', `The template ${path} cannot be read: ${(error as Error).message}`);
  }
}
