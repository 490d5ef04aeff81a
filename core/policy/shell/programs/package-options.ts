import { toSet } from '../../word-list.ts';
import type { Word } from '../expansion/word.ts';

/** Options of npm, pnpm, yarn and bun before and after their command that take no value. */
const FLAGS = toSet(
  '-f --force -g --global -l --long -s --silent -q --quiet -d -dd -ddd --verbose -y --yes -h --help -v --version --versions -S --save -B --save-bundle -D --save-dev -E --save-exact -O --save-optional -P --save-prod --save-peer -iwr --include-workspace-root -ws --workspaces -r --recursive -p --parseable ' +
    '--all --allow-same-version --audit --bin-links --color --commit-hooks --description --dry-run --engine-strict --foreground-scripts --format-package-lock --fund --git-tag-version --global-style --if-present --ignore-scripts --include-staged --install-links --json --legacy-bundling --legacy-peer-deps --link --offline --package-lock --package-lock-only --prefer-dedupe --prefer-offline --prefer-online --production --progress --provenance --read-only --rebuild-bundle --save --shrinkwrap --sign-git-commit --sign-git-tag --strict-peer-deps --strict-ssl --timing --unicode --update-notifier --usage --workspaces-update ' +
    '--workspace-root --parallel --stream --frozen-lockfile --immutable --non-interactive --ignore-workspace --aggregate-output --sequential --bail --prod --dev --no-optional --bun --watch --hot --smol --silent',
);

/** Those that take a value, unless it follows `=`. */
const VALUED = toSet(
  '-C --prefix --dir --cwd -w --workspace --filter -F --tag --otp --registry --access --cache --scope --userconfig --globalconfig --script-shell --loglevel --omit --include --only --auth-type --before --cafile --ca --cert --key --call -c --package --cpu --os --libc --depth --diff --editor --fetch-retries --fetch-timeout --git --heading --https-proxy --proxy --noproxy --init-module --install-strategy --lockfile-version --local-address --location --maxsockets --message -m --node-options --pack-destination --password --preid --provenance-file --replace-registry-host --save-prefix --searchlimit --searchopts --shell --tag-version-prefix --umask --user-agent --viewer --which --workspace-concurrency --reporter --network-concurrency --mutex --modules-folder --config --env-file --cache-folder --lockfile-dir --store-dir --virtual-store-dir',
);

/**
 * What the command of a package manager can be: the words from it on. An option that is in no table can take a value or
 * none, so that there are several readings, and a rule must cover each.
 *
 * @param name Of the package manager.
 * @param args Without it.
 */
export function readPackageCommand(name: string, args: readonly Word[]): (readonly Word[])[] {
  const starts = new Set<number>();
  const seen = new Set<number>();
  const read = (at: number): void => {
    const arg = args[at];
    if (arg === undefined || seen.has(at)) return;
    seen.add(at);
    if (arg === '--') starts.add(at + 1);
    else if (!arg.startsWith('-') || arg === '-') starts.add(at);
    else if (arg.includes('=') || FLAGS.has(arg) || arg.startsWith('--no-')) read(at + 1);
    else if (isValued(name, arg)) read(at + 2);
    else {
      read(at + 1);
      if (args[at + 1]?.startsWith('-') === false) read(at + 2);
    }
  };
  read(0);
  return [...starts].map((at) => args.slice(at));
}

/** `pnpm -w` is the root of the workspace, `npm -w` names one of its packages. */
function isValued(name: string, flag: string): boolean {
  return VALUED.has(flag) && !(name === 'pnpm' && flag === '-w');
}
