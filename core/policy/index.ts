export { covers, findOpenReds, isSound, isComplete } from './checks/covers.ts';
export { findClaims, type FoundClaim } from './checks/find-claims.ts';
export { findEnvironmentChanges, isEnvironmentFile } from './checks/find-environment-changes.ts';
export { findFewerTests } from './checks/fewer-tests.ts';
export type { ChangedFile } from './checks/changed-file.ts';
export { findWeakenings, isCheckFile } from './checks/find-weakenings.ts';
export { isJudgedFile } from './checks/judged-file.ts';
export { TOOL_MARKERS } from './names/tool-markers.ts';
export { isDerived } from './checks/is-derived.ts';
export { judgeClaims, toClaimStatus } from './checks/judge-claims.ts';
export { readChecks, type ReadChecks, type ReadChecksOptions } from './checks/read-checks.ts';
export {
  PIP_COMMAND,
  PIP_ENVIRONMENT,
  planFetch,
  toFetchHosts,
  type FetchStep,
  type PlanFetchOptions,
  type ReadProjectFile,
} from './fetch-plan.ts';
export { toProgramSource } from './project/program-source.ts';
export { readPackageManager, type DeclaredManager } from './project/package-manager.ts';
export { isNamedByPackage, readPackageFacts, toPackageName, type PackageFacts } from './project/package-facts.ts';
export { findTestDependencies, namesPythonModule } from './project/python-dependencies.ts';
export { combine, decide } from './gate.ts';
export { toFilesView } from './grant/files-view.ts';
export { allowsAccess, allowsTool, describeAccess, isOfAnyHost } from './grant/access.ts';
export { allowsToolUse } from './grant/allows-tool-use.ts';
export { delegableOf, heldBy, liveAt, intersect, isCovered, toGrant, unite } from './grant/algebra.ts';
export { attenuate, type Attenuated } from './grant/attenuate.ts';
export { allowsModel } from './grant/allows-model.ts';
export { isAmount } from './grant/authority.ts';
export { BUNDLE_NAMES, isBundleName, toDefaultGrant, type BundleName } from './grant/bundle.ts';
export { describeCapability, describeGrant, type GrantLine } from './grant/describe-grant.ts';
export { explainAccess, toNeedsText, type AccessExplanation, type ExplainedCall } from './grant/explain-access.ts';
export { toAuthorityText, toGrantText } from './grant/grant-text.ts';
export {
  chainOf,
  foldLineage,
  NO_LINEAGE,
  toEffectiveGrant,
  toEffectiveGrants,
  type Lineage,
  type LineageFact,
} from './grant/lineage.ts';
export { mergeFacts, toLineageFacts } from './grant/lineage-facts.ts';
export { toPlainCommands } from './grant/plain-commands.ts';
export { parseAuthorities, parseGrant, parseGrants, type ParseGrantOptions } from './grant/parse-grant.ts';
export { revoke, WIDEST, type RevokeOptions } from './grant/revoke.ts';
export {
  AGENT_CONFIGURATION,
  describePlace,
  placeOf,
  placesBelow,
  toRelative,
  type ProtectedPathKind,
} from './places.ts';
export { matchesGlob, toGlobTest, type GlobTest } from './glob.ts';
export { mapText } from './map-text.ts';
export { foldPath } from './names/fold-path.ts';
export { isFolded, withComparison, withoutComparison, type NameComparison } from './names/name-comparison.ts';
export { isPackageFile } from './names/package-file.ts';
export { readGitSettings, type GitSettings } from './git-settings.ts';
export { isBelow } from './path.ts';
export { isInWorkingCopy } from './working-copy.ts';
export {
  isLimitedAccess,
  toCommandNetwork,
  toNetAccess,
  toSecretAccess,
  type HeaderSecret,
  type LimitedNetwork,
} from './network/command-network.ts';
export { isRegistryHost } from './network/registry-hosts.ts';
export { toNetAuthorities, type ConfiguredHosts } from './network/presets.ts';
export { findPrivateHosts, toPublicNetwork, toPublicRules } from './network/public-rules.ts';
export { classifyAddress, parseAddress, type AddressClass } from './network/address.ts';
export {
  findRule,
  isLocalRule,
  parseAuthority,
  parseHostRule,
  toAllowedAddresses,
  toHostRules,
  type HostRule,
} from './network/host-rule.ts';
export { PROTECTED_PLACES, type PlaceRow, type ProtectedPlace } from './protected-places.ts';
export { createRedactor, type Redactor, type RedactorOptions, type SecretHit } from './redactor.ts';
export {
  askingRules,
  findRemembered,
  shorten,
  toRemembered,
  type Question,
  type FoundRemembered,
} from './remembered.ts';
export { renderCommand, toCommandKey } from './render-command.ts';
export { review, type Review } from './review.ts';
export { RULES } from './rules.ts';
export { isProgramPath } from './scripts/loaded-files.ts';
export { findFetchedPaths } from './scripts/fetched-paths.ts';
export { findWrittenPaths } from './scripts/written-paths.ts';
export { describeVariable } from './shell/rules/environment-rule.ts';
export { findScripts, isSystemPath, type ScriptUse } from './scripts/script-use.ts';
export type { CallFacts, ChangeFacts, Delegated, GateContext, Rule } from './rule.ts';
export { PROMISED_RULES } from './secrets/promised-rules.ts';
export type { SecretRule } from './secrets/secret-rule.ts';
export {
  createSecretScanner,
  type SecretFinding,
  type SecretScanner,
  toFingerprint,
} from './secrets/secret-scanner.ts';
export { CREDENTIAL_RULES, isCredentialFile } from './secrets/credential-files.ts';
export { isSecretFile, SECRET_FILE_GLOBS, SECRET_FILE_RULES } from './secrets/secret-files.ts';
export { fromSecretsAllow, isFingerprint, SECRETS_ALLOW } from './secrets/secrets-allow.ts';
export { toSecretValues } from './secrets/secret-values.ts';
export type { SecretValue } from './secrets/value-matcher.ts';
export { readTargets, type PolicyProblem, type PolicyTarget } from './policy/check-policy.ts';
export { toGlobsBelow, toHiddenGlobs, type Policy, type PolicyEntry, type PolicyKind } from './policy/policy.ts';
export { createPolicyRule, type PolicyRuleOptions } from './policy/policy-rule.ts';
export {
  decodeAs,
  decodeContent,
  decodeUnicode,
  encodeContent,
  hasNoControls,
  TEXT_ENCODINGS,
  toTextEncoding,
  type DecodedText,
  type TextEncoding,
} from './text-encoding.ts';
export {
  decodeText,
  keepHunks,
  MAX_SHOWN_BYTES,
  toChangeHunks,
  type ChangeContents,
  type KeptChange,
} from './change-hunks.ts';
export { applyHunks, replaceHunk, toHunks, toNewText, type HunkOptions } from './hunks.ts';
export { findNetworkNeed, judgeCommand, type CommandVerdict, type JudgeOptions } from './shell/judge-command.ts';
export { namesMetadata } from './shell/host/remote-reads.ts';
export { runsCode } from './shell/host/host-rules.ts';
export type { HostFacts, HostScript } from './shell/host/host-facts.ts';
export { isSecretPlace, SECRET_HOME_FOLDERS, type OwnPlaces } from './secrets/secret-places.ts';
export { evaluateCommand, type EvaluateOptions } from './shell/interpreter/evaluate-command.ts';
export { writesNothing } from './shell/writes-nothing.ts';
export { renderEvaluation, type CommandEvaluation, type SimpleCommand } from './shell/evaluation.ts';
export { findAddresses, toAddress, toChoiceBits, type AddressOrigin, type Taint } from './taint.ts';
export { isWorkaround, toDenialKey, toWorkaroundReason, type Denial } from './workaround.ts';
export { shellRule } from './shell/rules/shell-rule.ts';
