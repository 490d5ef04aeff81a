import { randomUUID } from 'node:crypto';
import { toolFailed } from '../tool-failed.ts';
import { runGit, toGitError, type GitContext } from './git.ts';
import type { Repository } from './repository.ts';

/** Bytes that one command reads; less than the longest output. */
const GROUP = 2 * 1024 * 1024;
/** Bytes that two pieces of a long file share. No secret is longer. */
const OVERLAP = 8 * 1024;

/** A piece of a file as text. Invalid UTF-8 is replaced. */
export interface BlobPiece {
  blob: string;
  text: string;
  linesBefore: number;
}

/** Reads Git objects: small ones in groups, large ones in overlapping pieces. */
export async function* readBlobs(
  context: GitContext,
  { repository, blobs }: { repository: Repository; blobs: readonly string[] },
): AsyncGenerator<BlobPiece> {
  const run = async (command: readonly string[], stdin = ''): Promise<string> => {
    const result = await runGit(context, command, { repository, stdin });
    if (result.exitCode !== 0) throw toGitError(result);
    if (result.truncated) throw toolFailed('The files to commit cannot be read.');
    return result.stdout;
  };
  const lines = (words: readonly string[]) => words.map((word) => `${word}\n`).join('');
  const sizes = (await run(['git', 'cat-file', '--batch-check=%(objectsize)'], lines(blobs))).trim().split('\n');
  let group: string[] = [];
  let groupSize = 0;
  const readGroup = async (): Promise<BlobPiece[]> => {
    const mark = randomUUID();
    const texts = (await run(['git', 'cat-file', `--batch=${mark}`], lines(group))).split(`${mark}\n`).slice(1);
    return texts.map((text, i) => ({ blob: group[i]!, text: text.replace(/\n$/, ''), linesBefore: 0 }));
  };
  for (const [i, blob] of blobs.entries()) {
    const size = Number(sizes[i]);
    if (!Number.isSafeInteger(size)) throw toolFailed(`Git has no object ${blob}.`);
    if (size > GROUP) {
      let linesBefore = 0;
      for (let offset = 0; offset < size; offset += GROUP - OVERLAP) {
        const cut = `git cat-file blob ${blob} | tail -c +${offset + 1} | head -c ${GROUP}`;
        const text = await run(['/bin/sh', '-c', cut]);
        yield { blob, text, linesBefore };
        const fresh = Buffer.from(text).subarray(0, GROUP - OVERLAP);
        linesBefore += fresh.filter((byte) => byte === 10).length;
      }
      continue;
    }
    if (groupSize + size > GROUP) {
      yield* await readGroup();
      [group, groupSize] = [[], 0];
    }
    group.push(blob);
    groupSize += size;
  }
  if (group.length > 0) yield* await readGroup();
}
