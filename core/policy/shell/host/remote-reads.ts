import { readOptions } from '../programs/options.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { isKnown, type Word } from '../expansion/word.ts';
import { forNames, toList } from '../../word-list.ts';
import type { HostFacts } from './host-facts.ts';

/** Words of a command that only reads from another machine, joined with spaces, by program. */
const READS: Readonly<Record<string, RegExp>> = {
  git: /^(?:fetch|pull|ls-remote|submodule update|submodule init|remote (?:show|update|-v)|clone)(?: |$)/,
  kubectl:
    /^(?:get (?!secrets?\b|.*\bsecrets?[/ ,])|describe (?!secrets?\b)|logs|top|explain|version|cluster-info|api-resources|api-versions|config (?:get-contexts|current-context|get-clusters)|diff|auth can-i|wait|rollout (?:status|history)|events)(?: |$)?/,
  helm: /^(?:list|ls|status|get (?:manifest|notes|hooks)|history|show|search|repo list|env)(?: |$)/,
  ...forNames(
    'terraform tofu',
    /^(?:plan|show|output|state list|state show|providers|graph|workspace (?:list|show))(?: |$)/,
  ),
  pulumi: /^(?:preview|stack ls|stack output|whoami|version)(?: |$)/,
  aws: /^(?:s3 ls|sts get-caller-identity|configure list|[\w-]+ (?:describe|list)-[\w-]+|logs tail|logs filter-log-events|[\w-]+ get-(?!secret-value|parameter|session-token|login|password|random-password|federation-token|authorization-token|credentials|access-key)[\w-]+|[\w-]+ wait)(?: |$)/,
  gcloud: /^(?:[\w -]*\b(?:list|describe|read)|config list|info|version|auth list)(?: |$)/,
  gsutil: /^(?:ls|du|stat|version)(?: |$)/,
  az: /^(?:[\w -]*\b(?:list|show)|version|account show)(?: |$)/,
  gh: /^(?:(?:pr|issue|run|release|repo|workflow|gist|label|search|project|ruleset|cache) (?:list|view|status|diff|checks|watch|prs|issues|repos|code|commits)|auth status|status|api (?!.*(?: -X| --method| -f | -F | --field| --raw-field| --input)))(?: |$)?/,
  glab: /^(?:(?:mr|issue|ci|pipeline|release|repo) (?:list|view|status|diff|trace)|auth status)(?: |$)/,
  doctl: /^[\w -]*\b(?:list|get)(?: |$)/,
  ...forNames(
    'vercel netlify fly flyctl heroku wrangler firebase',
    /^(?:ls|list|logs|status|whoami|inspect|tail|apps|releases|projects:list)(?: |$)/,
  ),
  'redis-cli': /./,
  rclone: /^(?:ls|lsd|lsl|lsf|size|about|check)(?: |$)/,
  cargo: /^(?:fetch|search)(?: |$)/,
  go: /^mod (?:download|tidy|verify|vendor)(?: |$)/,
  rustup: /^(?:toolchain list|target list|component list|show|check)(?: |$)/,
  ...forNames('ping dig nslookup host whois traceroute', /./),
  npm: /^(?:view|info|show|outdated|audit(?! fix)|search|ping|ls|list|doctor|fund|pack --dry-run)(?: |$)/,
};
/** Installs what the manifests of the project name. */
const INSTALLS: Readonly<Record<string, RegExp>> = {
  npm: /^(?:install|i|ci|clean-install|it|cit)$/,
  pnpm: /^(?:install|i)$/,
  yarn: /^(?:install)?$/,
  bun: /^(?:install|i)$/,
  ...forNames('pip pip3', /^install$/),
  uv: /^(?:sync|lock)$/,
  poetry: /^(?:install|lock)$/,
  pipenv: /^(?:install|sync)$/,
  bundle: /^install$/,
  composer: /^install$/,
};
const MANIFEST =
  /\/(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|\.npmrc|\.yarnrc(?:\.yml)?|requirements[\w.-]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|uv\.lock|poetry\.lock|Pipfile(?:\.lock)?|Gemfile(?:\.lock)?|composer\.(?:json|lock)|pip\.conf|constraints[\w.-]*\.txt)$/;
/** Options of curl and wget that send something, read options from elsewhere, or write outside of the folder. */
const SENDS =
  /^(?:-[a-zA-Z]*[dFTKXxubcHe]|--(?:data.*|form.*|upload-file|request|config|json|proxy.*|user|cookie.*|post-data|post-file|body-data|body-file|method|execute|header|referer|unix-socket|netrc.*|cert.*|key|next|resolve|connect-to))(?:=|$)/;
/** Services that give credentials to the machine on which they run. */
const METADATA = /\b169\.254\.\d+\.\d+|metadata\.google|\b100\.100\.100\.200\b|fd00:ec2|^file:/i;
/** True for an address of a service that gives credentials, or of a file. */
export function namesMetadata(text: string): boolean {
  return METADATA.test(text);
}

const HARMLESS_HEADER = /^(?:accept|user-agent|content-type|if-[\w-]+|range|cache-control)\s*:/i;

/**
 * True for a command that only reads from another machine, or installs what the project names: for the guard of another
 * agent, which may fetch pages as well. What it sends is not more than a page's address.
 */
export function onlyReadsRemote(command: SimpleCommand, host: HostFacts): boolean {
  if (host.readsRemote !== true) return false;
  const { name, argv } = command;
  if (argv.some((word) => !isKnown(word))) return false;
  const args = argv.slice(1);
  if (args.some((arg) => namesMetadata(arg))) return false;
  if (name === 'curl' || name === 'wget') return isPlainFetch(args);
  if (name === 'kubectl' && args.some((word) => /^--dry-run(?:=(?:client|server))?$/.test(word))) return true;
  const { rest } = readOptions(
    args,
    toList(
      '-C -n --namespace --context --kubeconfig -o --output -l --selector --region --profile --project --query --format --filter -R --repo --limit -L --json --jq -q -f --since --tail -c --container',
    ),
  );
  const words = rest.join(' ');
  if (
    args.some((word) =>
      /^--(?:kubeconfig|post-renderer|upload-pack|exec|receive-pack|config|template|raw)(?:=|$)/.test(word),
    )
  )
    return false;
  if (Object.hasOwn(READS, name) && READS[name]!.test(words)) return !/\bext::|^-c$/.test(args.join(' '));
  const module = name.startsWith('python') && args[0] === '-m' ? args[1] : undefined;
  return installsManifest(module ?? name, module === undefined ? args : args.slice(2), host);
}

function isPlainFetch(args: readonly Word[]): boolean {
  return args.every((arg, at) => {
    if (!SENDS.test(arg)) return true;
    if (/^(?:-H|--header)$/.test(arg)) return HARMLESS_HEADER.test(args[at + 1] ?? '');
    return /^-X$|^--request$/.test(arg) && /^(?:GET|HEAD)$/.test(args[at + 1] ?? '');
  });
}

/** False if the session wrote a manifest: it names the packages then. */
function installsManifest(name: string, args: readonly Word[], { written, code }: HostFacts): boolean {
  const pattern = Object.hasOwn(INSTALLS, name) ? INSTALLS[name] : undefined;
  if (pattern === undefined) return false;
  const options = toList(
    '--prefix --dir --cwd -C -r --requirement -c --constraint --registry -i --index-url --extra-index-url',
  );
  const { rest, flags } = readOptions(args, options);
  const isOther = [...flags].some((flag) =>
    /^(?:-g|--global|-i|--index-url|--extra-index-url|--registry|--target|-t|--user|--script-shell|--find-links|-f)$/.test(
      flag,
    ),
  );
  if (isOther || !pattern.test(rest[0] ?? '')) return false;
  const names = rest.slice(1);
  const isManifest = /^pip3?$/.test(name)
    ? names.length === 0
      ? flags.has('-r') || flags.has('--requirement')
      : names.every((word) => /^\.(?:\[[\w,-]+\])?$/.test(word))
    : names.length === 0;
  return isManifest && ![...written, ...code.keys()].some((path) => MANIFEST.test(path));
}
