import { toClaimStatus, type findClaims } from '../../policy/index.ts';
import type { Claim, ClaimStatus, Evidence, TreeId } from '../../protocol/index.ts';

/** The checks and claims of a run, as `run.finished` reports them. */
export interface ClosedEvidence {
  evidence: Evidence[];
  tree?: TreeId;
  claim: ClaimStatus;
  claims?: Claim[];
}

/** The checks of a run, those of earlier runs that its claims may rely on, and the claims of its last words. */
export interface OpenEvidence {
  own: readonly Evidence[];
  earlier: readonly Evidence[];
  claims: ReturnType<typeof findClaims>;
}

export function toClosedEvidence(evidence: Evidence[], judged: Claim[], tree?: TreeId): ClosedEvidence {
  const claims = judged.length > 0 ? judged : undefined;
  return { evidence, tree, claim: toClaimStatus(judged), claims };
}
