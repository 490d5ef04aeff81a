import { ask, type ShellFinding } from '../rules/command-rule.ts';
import { readOptions } from '../programs/options.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { isKnown, showWord, type Word } from '../expansion/word.ts';
import { toList } from '../../word-list.ts';
import type { HostFacts } from './host-facts.ts';
import { toHostPaths } from './host-words.ts';

const REMOTE = /^(?:https?:|git\+|git@|git:|ssh:|github:|gitlab:|bitbucket:|gist:|npm:|jsr:|node:|hf:|oci:|docker:)/;
/** Options of `docker run` that take a value. */
const DOCKER_VALUED = toList(
  '-v --volume --mount -e --env --env-file -p --publish --name -w --workdir -u --user --network --net --entrypoint --platform -h --hostname --add-host --cpus -m --memory --gpus -l --label --restart --pull --shm-size --ulimit --tmpfs --security-opt --cap-add --cap-drop --device --ipc --pid --userns --cgroupns --volumes-from --dns --expose --health-cmd --log-driver --stop-timeout --runtime --cidfile -c --config -H --host --context',
);
/** Subcommands of docker and podman that only show something. */
const DOCKER_SHOWS =
  /^(?:ps|images|image ls|image list|image inspect|version|info|logs|inspect|top|stats|port|diff|history|search|events|container ls|container inspect|volume ls|volume inspect|network ls|network inspect|context ls|compose ps|compose logs|compose config|compose ls|compose images|compose top|compose version|system df|manifest inspect|buildx ls|buildx version)$/;

/** Runs code that is fetched from elsewhere. What is installed in the workspace, and an image of this machine, is not. */
export function judgeRemoteCode(command: SimpleCommand, host: HostFacts): ShellFinding | undefined {
  const { name, argv } = command;
  const args = argv.slice(1);
  switch (name) {
    case 'npx':
    case 'bunx':
    case 'pnpx':
      return judgePackageProgram(args, command, host);
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'bun': {
      const [verb = '', program = ''] = readOptions(
        args,
        toList('-C --prefix --dir --cwd -w --workspace --filter -F'),
        true,
      ).rest;
      if (/^(?:dlx|create|init|innit)$/.test(verb) && program !== '') return fetched(`${name} ${verb} ${program}`);
      if (/^(?:exec|x)$/.test(verb)) return judgePackageProgram(args.slice(args.indexOf(verb) + 1), command, host);
      return undefined;
    }
    case 'uvx':
      return fetched(`uvx ${args.find((arg) => !arg.startsWith('-')) ?? ''}`);
    case 'uv': {
      const { rest, flags } = readOptions(
        args,
        toList('--with --python -p --group --extra --package --env-file --with-requirements --from'),
        true,
      );
      if (rest[0] === 'tool' && rest[1] === 'run') return fetched('uv tool run');
      if (
        rest[0] === 'run' &&
        (flags.has('--with') ||
          args.some((arg) => /^--with(?:-requirements|-editable)?(?:=|$)/.test(arg) || REMOTE.test(arg)))
      )
        return fetched('uv run --with');
      return undefined;
    }
    case 'pipx':
      return args.find((arg) => !arg.startsWith('-')) === 'run' ? fetched('pipx run') : undefined;
    case 'deno': {
      const remote = args.find((arg) => REMOTE.test(arg) && !arg.startsWith('node:'));
      return remote === undefined ? undefined : fetched(`deno ${remote}`);
    }
    case 'go': {
      const target = args[0] === 'run' ? args.find((arg, at) => at > 0 && !arg.startsWith('-')) : undefined;
      return target !== undefined && (target.includes('@') || /^[\w-]+\.[\w.-]+\//.test(target))
        ? fetched(`go run ${target}`)
        : undefined;
    }
    case 'nix':
      return args.some((arg) => /^(?:run|shell|develop|profile)$/.test(arg)) &&
        args.some((arg) => REMOTE.test(arg) || arg.startsWith('nixpkgs'))
        ? fetched('nix')
        : undefined;
    case 'tsx':
    case 'ts-node':
    case 'node':
    case 'python3':
    case 'ansible-pull':
    case 'nix-shell':
      return args.some(
        (arg, at) =>
          REMOTE.test(arg) || (name === 'nix-shell' && arg === '-p') || (name === 'ansible-pull' && at === 0),
      )
        ? fetched(name)
        : undefined;
    case 'ipfs':
    case 'jbang':
    case 'bpkg':
    case 'dx':
      return args.some((arg) => REMOTE.test(arg)) ? fetched(name) : undefined;
    case 'docker':
    case 'podman':
    case 'nerdctl':
      return judgeContainer(command, host);
    default:
      return undefined;
  }
}

const fetched = (what: Word): ShellFinding => ask(`${showWord(what.trim())} runs code that is fetched from elsewhere`);

function judgePackageProgram(
  args: readonly Word[],
  { name }: SimpleCommand,
  { local }: HostFacts,
): ShellFinding | undefined {
  const { flags, rest, values } = readOptions(args, ['-p', '--package', '-c', '--call', '-w', '--workspace'], true);
  if (flags.has('--no-install') || flags.has('--no') || flags.has('--offline')) return undefined;
  const program = values.get('-p') ?? values.get('--package') ?? rest[0];
  if (program === undefined) return undefined;
  // A name that is not known is not installed.
  return isKnown(program) && local.has(program) ? undefined : fetched(`${name} ${program}`);
}

function judgeContainer(command: SimpleCommand, host: HostFacts): ShellFinding | undefined {
  const { name, argv } = command;
  const { rest } = readOptions(argv.slice(1), DOCKER_VALUED, true);
  const verbs = rest[0] === 'container' || rest[0] === 'image' ? rest.slice(1) : rest;
  const [verb = '', second = ''] = verbs;
  if (DOCKER_SHOWS.test(verb) || DOCKER_SHOWS.test(`${rest[0]} ${rest[1] ?? ''}`) || verb === '') return undefined;
  if (verb === 'cp') {
    const target = verbs.at(-1) ?? '';
    return isInWorkspace(target, command, host) && !target.includes(':')
      ? undefined
      : ask(`it copies to ${showWord(target)}`);
  }
  if (verb === 'compose') return judgeCompose(name, verbs.slice(1), host);
  if (WORKS.test(verb))
    return verb === 'build' || verb === 'buildx' ? judgeBuild(verbs.slice(1), command, host) : undefined;
  if (verb !== 'run' && verb !== 'create')
    return ask(`${name} ${showWord(`${verb} ${second}`.trim())} changes containers, or publishes`);
  const given = readOptions(verbs.slice(1), DOCKER_VALUED, true);
  const wide = [...given.flags].find((flag) =>
    /^--(?:privileged|device|cap-add|security-opt|pid|ipc|userns|volumes-from|cgroupns|runtime)$/.test(flag),
  );
  if (wide !== undefined) return ask(`${wide} gives the container rights on this machine`);
  for (const { flag, value } of given.all) {
    if (/^--(?:net|network)$/.test(flag) && /^(?:host|container:)/.test(value))
      return ask('the container gets the network of this machine');
    const source =
      flag === '-v' || flag === '--volume'
        ? value.split(':')[0]
        : flag === '--mount'
          ? /(?:source|src)=([^,]+)/.exec(value)?.[1]
          : undefined;
    // A name without a slash is a volume.
    if (source === undefined || (isKnown(source) && !/[/~]|^\.\.?$/.test(source))) continue;
    const isInside = toHostPaths(source, command, host).length > 0 && isInWorkspace(source, command, host);
    if (!isInside) return ask(`${showWord(source)} of this machine is mounted in the container`);
  }
  const image = given.rest[0] ?? '';
  return isKnown(image) && host.local.has(image) ? undefined : fetched(`${name} ${verb} ${image}`);
}

/** Subcommands that work with containers and images of this machine, and remove nothing. */
const WORKS = /^(?:build|buildx|start|stop|restart|pause|unpause|wait|attach|exec|pull|tag|rename|update|top)$/;
/** Subcommands of compose that keep volumes and run what its file names. */
const COMPOSE = /^(?:up|start|stop|restart|build|pull|create|exec|run|down|watch|wait|pause|unpause|cp|ps|logs)$/;
const COMPOSE_FILE = /\/(?:docker-)?compose[\w.-]*\.ya?ml$/;

/** What a file of compose runs is known to the user, unless the session wrote it. */
function judgeCompose(name: string, args: readonly Word[], { written, code }: HostFacts): ShellFinding | undefined {
  const { rest, flags } = readOptions(
    args,
    toList('-f --file -p --project-name --profile --env-file --project-directory'),
    true,
  );
  const [verb = ''] = rest;
  const options = rest.slice(1);
  if (!COMPOSE.test(verb)) return ask(`${name} compose ${showWord(verb)} removes or publishes`);
  if (verb === 'down' && options.some((word) => /^(?:-v|--volumes|--rmi)/.test(word)))
    return ask('it removes volumes or images');
  if (
    /^(?:up|run|create|build|start)$/.test(verb) &&
    [...written, ...code.keys()].some((path) => COMPOSE_FILE.test(path))
  )
    return ask('the session wrote the file of compose that it runs');
  if (verb === 'run' && options.some((word) => /^(?:-v|--volume|--privileged|--cap-add)/.test(word)))
    return ask('it gives a container more of this machine');
  return flags.has('--project-directory') ? ask('it works in another folder') : undefined;
}

/** An image is built from a folder of the workspace. */
function judgeBuild(args: readonly Word[], command: SimpleCommand, host: HostFacts): ShellFinding | undefined {
  const valued = toList(
    '-t --tag -f --file --build-arg --target --platform --cache-from --cache-to --output -o --secret --ssh --label --network --progress --build-context',
  );
  const { rest, flags } = readOptions(args[0] === 'build' ? args.slice(1) : args, valued);
  if (flags.has('--push') || flags.has('--ssh') || flags.has('--secret'))
    return ask('it publishes an image, or uses secrets');
  const context = rest[0] ?? '.';
  return context === '-' || isInWorkspace(context, command, host)
    ? undefined
    : ask(`it builds from ${showWord(context)}, which is outside the workspace`);
}

/** True for a path that cannot be above, or beside, the folders where the command runs. */
function isInWorkspace(source: Word, command: SimpleCommand, host: HostFacts): boolean {
  const { workspace } = host;
  return toHostPaths(source, command, host)
    .slice(0, command.cwds.length)
    .every((path) => isKnown(path) && (path === workspace || path.startsWith(`${workspace}/`)));
}
