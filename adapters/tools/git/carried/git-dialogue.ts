import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { toolFailed } from '../../tool-failed.ts';
import { runGit, toGitError, type GitContext, type GitOptions } from '../git.ts';

/** Bytes of the output that an error can name. */
const SHOWN_BYTES = 65_536;

export interface DialogueOptions extends Pick<GitOptions, 'env' | 'repository' | 'timeoutMs'> {
  /**
   * Shell lines by the word of a request. Its arguments are `$@`, and `head -c "$size"` reads its input. A failure ends the
   * dialogue.
   */
  cases: Readonly<Record<string, string>>;
  /** Most bytes of one answer. */
  keepBytes: number;
}

interface Request {
  /** Without line breaks. The shell reads them byte by byte. */
  args?: readonly string[];
  /** Lines of the input. One that has a line break itself is left out. */
  input?: readonly string[];
}

/** A script in one sandbox that answers requests and changes nothing, so that the sandbox starts only once. */
export interface GitDialogue {
  /**
   * Sends a request when the one before is answered.
   *
   * @throws KlausError `tool.failed`, `cancelled`.
   */
  ask(word: string, request?: Request): Promise<string>;
  /** Resolves when the sandbox has ended. */
  close(): Promise<void>;
}

/** Starts a dialogue without waiting for its sandbox. */
export function openGitDialogue(context: GitContext, options: DialogueOptions): GitDialogue {
  const { repository, env, timeoutMs, keepBytes, cases } = options;
  const input = new PassThrough();
  // Ends an answer. Nothing in a repository can have guessed it.
  const mark = `end ${randomUUID()}`;
  let answer: Answer | undefined;
  const ended = runGit(context, ['/bin/sh', '-c', toScript(cases, mark)], {
    repository,
    env,
    timeoutMs,
    keepBytes: SHOWN_BYTES,
    stdin: input,
    onlyReads: true,
    onOutput(chunk, stream) {
      if (stream === 'stdout') answer?.add(chunk);
    },
  }).then((result) => {
    throw toGitError(result);
  });
  ended.catch(() => {});
  return {
    async ask(word, request = {}) {
      const received = (answer = createAnswer(keepBytes, Buffer.from(mark)));
      const args = request.args ?? [];
      if (args.some((arg) => arg.includes('\n'))) throw toolFailed('A name with a line break cannot be read.');
      const text = toLines((request.input ?? []).filter((line) => !line.includes('\n')));
      input.write(`${word} ${Buffer.byteLength(text)} ${args.length}\n${toLines(args)}${text}`);
      return Promise.race([received.text, ended]);
    },
    async close() {
      input.end();
      await ended.catch(() => {});
    },
  };
}

function toScript(cases: Readonly<Record<string, string>>, mark: string): string {
  const lines = Object.entries(cases).map(([word, script]) => `${word}) ${script} ;;`);
  return `
set -u
while read -r word size count; do
  set --
  while [ "$count" -gt 0 ]; do
    IFS= read -r line || exit 9
    set -- "$@" "$line"
    count=$((count - 1))
  done
  case $word in
    ${lines.join('\n    ')}
    *) exit 9 ;;
  esac
  printf '%s' '${mark}'
done`;
}

function toLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

type Answer = ReturnType<typeof createAnswer>;

function createAnswer(keepBytes: number, mark: Buffer) {
  const { promise: text, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  let size = 0;
  let tail = Buffer.alloc(0);
  return {
    text,
    add(chunk: Uint8Array) {
      size += chunk.length;
      if (size > keepBytes) return reject(toolFailed('The changes of a command are too many to be read.'));
      chunks.push(Buffer.from(chunk));
      tail = Buffer.concat([tail, chunk.subarray(-mark.length)]).subarray(-mark.length);
      if (tail.equals(mark)) resolve(Buffer.concat(chunks).toString('utf8', 0, size - mark.length));
    },
  };
}
