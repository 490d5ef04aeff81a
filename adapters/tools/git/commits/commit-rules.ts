import { isKlausError } from '@klaus/core/protocol';
import type { ExecResult, ToolContext } from '@klaus/core/agent';
import { addSignature, checkPayload } from './signed-commit.ts';
import type { StagedTree } from '../staging.ts';
import { isTrue } from './user-git.ts';

/** The address of the identity that Klaus uses where none is configured. */
const INVENTED = 'klaus@localhost';

/** Git's settings of the user, by their names in lower case. */
type Settings = ReadonlyMap<string, string>;

/** The identity where neither the repository nor the user has configured one. */
export interface Identity {
  name: string;
  email: string;
  /** True if the settings name none. */
  isInvented: boolean;
}

export function toIdentity({ gitIdentity }: Pick<ToolContext, 'gitIdentity'>): Identity {
  return { ...gitIdentity, isInvented: gitIdentity.email === INVENTED };
}

/** What becomes of a commit that Git has made without a signature. */
export interface SignedCommit {
  /** For the script that takes it. */
  env: Readonly<Record<string, string>>;
  /** Why it has no signature, although one is wanted. */
  failure?: string;
}

interface SignRequest {
  sign: (payload: string) => Promise<string>;
  staged: StagedTree;
  user: Settings;
}

/** Signs a commit if the repository or the user wants that. A failure leaves it unsigned. */
export async function signCommit(
  { stdout }: Pick<ExecResult, 'stdout'>,
  { sign, staged, user }: SignRequest,
): Promise<SignedCommit> {
  const [, own = '', commit = '', payload = ''] = /^(.*)\n(\S+)\n([^]*)$/.exec(stdout) ?? [];
  const unsigned = { KLAUS_COMMIT: commit, KLAUS_OBJECT: '' };
  if (!isSigning(own, user)) return { env: unsigned };
  try {
    // The signature is one of the commit that was decided about, and of nothing else.
    checkPayload(payload, { commit, staged });
    const signature = await sign(payload);
    return { env: { ...unsigned, KLAUS_OBJECT: addSignature(payload, signature) } };
  } catch (error) {
    if (!isKlausError(error)) throw error;
    return { env: unsigned, failure: error.message };
  }
}

/** @param own The value of the repository; empty without one. */
function isSigning(own: string, user: Settings): boolean {
  return own === '' ? isTrue(user.get('commit.gpgsign')) : own === 'true';
}

/** What a repository says about its commits. Each value is empty without a setting. */
export interface RepositoryRules {
  /** `true` or `false`. */
  gpgSign: string;
  encoding: string;
  template: string;
  /** True also for an identity of the user. */
  hasIdentity: boolean;
}

/** The rules of the user and the repository that a commit does not follow. */
export function describeRules(
  repository: RepositoryRules,
  { user, identity, signed }: { user: Settings; identity: Identity; signed: SignedCommit | undefined },
): string[] {
  const why = signed ? signed.failure : 'the setting git.sign does not allow it';
  const hooks = user.get('core.hookspath');
  const encoding = repository.encoding || user.get('i18n.commitencoding') || 'utf-8';
  const template = repository.template || user.get('commit.template');
  const isUnsigned = isSigning(repository.gpgSign, user) && why !== undefined;
  return [
    ...(isUnsigned ? [`Not signed, although commit.gpgSign is set: ${why}.`] : []),
    ...(identity.isInvented && !repository.hasIdentity
      ? [`The identity is ${identity.name} <${identity.email}>: none is configured (user.name, user.email).`]
      : []),
    ...(/^utf-?8$/i.test(encoding) ? [] : [`The message is in UTF-8, although i18n.commitEncoding is ${encoding}.`]),
    ...(template ? [`commit.template, ${template}, was not used, because a message was given.`] : []),
    ...(hooks === undefined
      ? []
      : [`The hooks of your core.hooksPath, ${hooks}, did not run: commands cannot read it.`]),
  ];
}
