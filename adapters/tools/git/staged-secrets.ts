import { fromSecretsAllow, SECRETS_ALLOW } from '@klaus/core/policy';
import { isKlausError } from '@klaus/core/protocol';
import type { FoundSecret, ToolContext } from '@klaus/core/agent';
import { readBlobs } from './read-blobs.ts';
import type { Repository } from './repository.ts';
import type { StagedFile } from './staging.ts';

export interface StagedSecret extends FoundSecret {
  /** Relative to the working tree's top. */
  path: string;
}

type Context = Pick<ToolContext, 'workspace' | 'sandbox' | 'signal' | 'findSecrets'>;

/**
 * Secrets in the files of a commit, as they are in Git's object store. Secrets that the parent commit has in the same
 * file are not reported, and neither are those in `.klaus/secrets-allow`.
 */
export async function findStagedSecrets(
  context: Context,
  { repository, files }: { repository: Repository; files: readonly StagedFile[] },
): Promise<StagedSecret[]> {
  const allowed = await readAllowed(context);
  const found: StagedSecret[] = [];
  const byBlob = Map.groupBy(files, ({ blob }) => blob);
  for await (const { blob, text, linesBefore } of readBlobs(context, { repository, blobs: [...byBlob.keys()] })) {
    for (const { path } of byBlob.get(blob)!) {
      for (const hit of context.findSecrets(text, { path })) {
        if (!allowed.has(hit.fingerprint)) found.push({ ...hit, path, line: hit.line + linesBefore });
      }
    }
  }
  if (found.length === 0) return [];
  const known = await readKnown(context, { repository, files, found });
  const fresh = found.filter(({ path, fingerprint }) => !known.has(`${path}\0${fingerprint}`));
  return [...new Map(fresh.map((one) => [`${one.path}\0${one.fingerprint}\0${one.line}`, one])).values()];
}

/** Secrets of the parent commit in the affected files. */
async function readKnown(
  context: Context,
  job: { repository: Repository; files: readonly StagedFile[]; found: readonly StagedSecret[] },
): Promise<Set<string>> {
  const hit = new Set(job.found.map(({ path }) => path));
  const before = job.files.filter((file) => file.before !== undefined && hit.has(file.path));
  const byBlob = Map.groupBy(before, (file) => file.before!);
  const known = new Set<string>();
  const blobs = [...byBlob.keys()];
  if (blobs.length === 0) return known;
  for await (const { blob, text } of readBlobs(context, { repository: job.repository, blobs })) {
    for (const { path } of byBlob.get(blob)!) {
      for (const { fingerprint } of context.findSecrets(text, { path })) known.add(`${path}\0${fingerprint}`);
    }
  }
  return known;
}

/** The fingerprints in the allow-list of the workspace. */
export async function readAllowed({ workspace }: Pick<ToolContext, 'workspace'>): Promise<Set<string>> {
  try {
    if ((await workspace.stat(SECRETS_ALLOW))?.kind !== 'file') return new Set();
    return fromSecretsAllow(Buffer.from(await workspace.read(SECRETS_ALLOW, { maxBytes: 1024 * 1024 })).toString());
  } catch (error) {
    if (isKlausError(error)) return new Set();
    throw error;
  }
}
