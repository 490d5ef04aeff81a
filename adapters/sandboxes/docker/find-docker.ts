import { isInContainer, toInstallLine, type Availability } from '../availability.ts';
import { runDocker } from './docker-cli.ts';

/** The image that `klaus sandbox build` creates. A project with other needs uses an image of its own. */
export const DEFAULT_IMAGE = 'klaus-sandbox';

/** Checks for the client and the engine by requesting the engine's version. */
export async function findDocker(): Promise<Availability> {
  const { ok, stdout, stderr } = await runDocker(['version', '--format', '{{.Server.Version}}']);
  const version = stdout.trim();
  if (ok && version !== '') return { name: 'docker', available: true, detail: `Docker engine ${version}` };
  const reason = stderr.trim().split('\n')[0] || 'the Docker engine does not answer';
  return { name: 'docker', available: false, reason, fix: toFix(reason) };
}

function toFix(reason: string): string {
  const isLinux = process.platform === 'linux';
  if (reason === 'the program docker is not installed') {
    // Access to the engine would give the container access to the complete machine.
    if (isInContainer()) return 'In a container use bubblewrap, or read docs/docker.md.';
    const line = isLinux ? toInstallLine({ debian: 'docker.io', other: 'docker' }) : undefined;
    return line ? `Type: ${line}` : 'Install Docker Desktop.';
  }
  if (/permission denied/i.test(reason)) return 'Type: sudo usermod -aG docker "$USER" and log in again';
  const sudo = process.getuid?.() === 0 ? '' : 'sudo ';
  return isLinux ? `Type: ${sudo}systemctl start docker` : 'Start Docker Desktop.';
}

/** As {@link findDocker}, and checks that the image exists, because commands never download one. */
export async function findDockerImage(image = DEFAULT_IMAGE): Promise<Availability> {
  const docker = await findDocker();
  if (!docker.available) return docker;
  const { ok } = await runDocker(['image', 'inspect', '--format', '{{.Id}}', image]);
  if (ok) return { ...docker, detail: `${docker.detail}, image ${image}` };
  const { reason, fix } = toMissingImage(image);
  return { name: 'docker', available: false, reason: `${docker.detail}, but ${reason}`, fix };
}

/** Explains that an image is missing. Klaus does not download images. */
export function toMissingImage(image = DEFAULT_IMAGE): { reason: string; fix: string } {
  const fix = image === DEFAULT_IMAGE ? 'Type: klaus sandbox build' : `Type: docker pull ${image}`;
  return { reason: `the image ${image} is not on this machine`, fix };
}
