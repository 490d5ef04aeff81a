import { dirname, join, resolve } from 'node:path';
import { homedir } from 'node:os';
import { isBelow } from '@klaus/sdk/guard';
import { readFrontMatter } from '@klaus/sdk/skills';
import { allow, type GuardFinding, type JudgeCall, type JudgeContext } from '../judge-context.ts';
import { findNamedFiles, listNamedFiles, type NamedFile } from './find-named-files.ts';

/** A command in a skill or a command: `` !`git status` ``, or a block of lines after ```!. */
const COMMANDS = /!`([^`\n]+)`|^\s*```!\s*\n([^]*?)^\s*```/gm;
/** A file that is put into the conversation: `@src/a.ts`, `@~/notes.md`. */
const MENTIONS = /(?:^|[\s("'`,;:!])@((?:~|\.{1,2})?\/?[\w.~+-][\w./~+@-]*|"[^"\n]+")/g;
/** Fields of a front matter that start programs without a call. */
const PROGRAMS = ['hooks', 'mcpServers'] as const;
/** Agents of Claude Code itself, which have no file. Source: 2.1.197 and 2.1.332. */
const BUILT_IN = /^(?:general-purpose|explore|plan|claude|statusline-setup|claude-code-guide|output-style-setup)$/i;

const RANK = { allow: 0, ask: 1, deny: 2 } as const;

/**
 * Judges what a skill or a command runs and reads when Claude Code expands it, which no other event reports.
 *
 * @param name As the call or the prompt names it.
 */
export function judgeExpansion(name: string, context: JudgeContext, judge: JudgeCall): Promise<GuardFinding> {
  return new Expanding(context, judge).skill(name);
}

/** Judges what an agent loads when it starts: hooks, servers and skills of its file. */
export function judgeAgent(name: string, context: JudgeContext, judge: JudgeCall): Promise<GuardFinding> {
  return new Expanding(context, judge).agent(name);
}

class Expanding {
  readonly #context: JudgeContext;
  readonly #judge: JudgeCall;
  /** Files that are judged: an agent and a skill can name each other. */
  readonly #seen = new Set<string>();

  constructor(context: JudgeContext, judge: JudgeCall) {
    this.#context = context;
    this.#judge = judge;
  }

  async skill(name: string): Promise<GuardFinding> {
    const found = findNamedFiles('skill', name, this.#context);
    if (found.length === 0) return ask(`the guard does not find the file of ${name}, and cannot judge it`);
    return this.#all(found, (file) => this.#judgeSkill(file));
  }

  async agent(name: string): Promise<GuardFinding> {
    const found = findNamedFiles('agent', name, this.#context);
    if (found.length > 0) return this.#all(found, (file) => this.#judgeFields(file));
    if (BUILT_IN.test(name)) return worst([]);
    // It was given on the command line, or is in a folder that was: it can start anything, and load any skill.
    const skills = await this.#all(listNamedFiles('skill', this.#context), (file) => this.#judgeSkill(file));
    const lasting = `the agent ${name}`;
    if (await this.#context.isKnown?.(lasting)) return skills;
    const reason = `the guard does not find the file of ${lasting}, and cannot judge it`;
    return worst([{ ...ask(reason), rule: 'definition', lasting }, skills]);
  }

  async #all(files: readonly NamedFile[], judge: (file: NamedFile) => Promise<GuardFinding>): Promise<GuardFinding> {
    const findings: GuardFinding[] = [];
    for (const file of files) {
      if (this.#seen.has(file.path)) continue;
      this.#seen.add(file.path);
      const finding = await judge(file);
      findings.push({ ...finding, reason: `${file.path}: ${finding.reason}` });
    }
    return worst(findings);
  }

  async #judgeSkill(file: NamedFile): Promise<GuardFinding> {
    const { path, text } = file;
    const findings: GuardFinding[] = [];
    // They run on the machine, not in the sandbox.
    const onHost = { ...this.#context, sandbox: undefined };
    for (const [, inline, block] of text.matchAll(COMMANDS)) {
      const command = toKnown(inline ?? block ?? '');
      findings.push(await this.#judge({ kind: 'command', command }, onHost));
    }
    findings.push(
      await judgeMentions(text, { ...this.#context, cwd: dirname(path) }, this.#judge),
      await judgeMentions(text, this.#context, this.#judge),
      await this.#judgeFields(file),
    );
    return worst(findings);
  }

  /** What the front matter starts and loads. */
  async #judgeFields({ path, text }: NamedFile): Promise<GuardFinding> {
    const fields = await readFrontMatter(text);
    if (fields === undefined) {
      const isHarmless = !/^["']?(?:hooks|mcpServers|skills|agent)["']?\s*:/m.test(text);
      return isHarmless ? worst([]) : ask('the guard cannot read its front matter');
    }
    const findings: GuardFinding[] = [];
    const programs = PROGRAMS.find((name) => isSet(fields[name]));
    // A file of the user is like settings of the user.
    if (programs !== undefined && isBelow(path, this.#context.root) && !(await this.#context.isKnown?.(text)))
      findings.push({ ...ask(`it defines ${programs}, which run unseen`), rule: 'definition', lasting: text });
    for (const name of toNames(fields['skills'])) findings.push(await this.skill(name));
    for (const name of toNames(fields['agent'])) findings.push(await this.agent(name));
    return worst(findings);
  }
}

function isSet(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

/** A list, or one text with commas or spaces between the names. */
function toNames(value: unknown): string[] {
  const given = Array.isArray(value) ? (value as unknown[]) : typeof value === 'string' ? value.split(/[\s,]+/) : [];
  return given.filter((name): name is string => typeof name === 'string' && name !== '');
}

/** Arguments of a command are only known when it runs. */
function toKnown(command: string): string {
  return command.replaceAll(/\$ARGUMENTS(?:\[\d+\])?|\$\d+\b/g, '"$UNKNOWN_ARGUMENT"');
}

/** Judges the files that a text mentions with `@`. */
export async function judgeMentions(text: string, context: JudgeContext, judge: JudgeCall): Promise<GuardFinding> {
  const findings: GuardFinding[] = [];
  for (const path of findMentions(text, context.cwd))
    findings.push(await judge({ kind: 'read', path, reads: 'file' }, context));
  return worst(findings);
}

/** Absolute paths of the files that a text mentions with `@`. */
export function findMentions(text: string, cwd: string): string[] {
  const found = new Set<string>();
  for (const [, mention = ''] of text.matchAll(MENTIONS)) {
    const plain = mention.replaceAll('"', '').replace(/[.,;:!?]+$/, '');
    if (plain !== '') found.add(plain.startsWith('~') ? join(homedir(), plain.slice(1)) : resolve(cwd, plain));
  }
  return [...found];
}

function ask(reason: string): GuardFinding {
  return { verdict: 'ask', rule: 'skill', reason };
}

/** The strictest of them; of equal ones, one that is about the call alone: an allowance of another hides none. */
export function worst(findings: readonly GuardFinding[]): GuardFinding {
  const none = allow('skill', 'it runs nothing, and mentions no secret file');
  return findings.reduce((found, next) => {
    const more = RANK[next.verdict] - RANK[found.verdict];
    return more > 0 || (more === 0 && found.lasting !== undefined) ? next : found;
  }, none);
}
