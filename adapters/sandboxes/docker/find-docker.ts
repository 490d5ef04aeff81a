import { isInContainer, readOsRelease, toInstallLine } from '../availability.ts';
import type { Availability } from '../availability.ts';
import { runDocker } from './docker-cli.ts';
import { DEFAULT_IMAGE, toMissingImage } from './image.ts';

/** Asks the engine for its version: whether there is a client, and whether an engine answers it. */
export async function findDocker(): Promise<Availability> {
  const asked = await runDocker(['version', '--format', '{{.Server.Version}}']);
  const version = asked.stdout.trim();
  if (asked.ok && version !== '') return { name: 'docker', available: true, detail: `Docker engine ${version}` };
  const reason = asked.stderr.trim().split('\n')[0] || 'the Docker engine does not answer';
  const isRoot = process.getuid?.() === 0;
  if (reason === 'the program docker is not installed') {
    // Its socket, mounted, would hand the container the whole machine.
    if (isInContainer()) return { name: 'docker', available: false, reason, fix: 'In a container use bubblewrap.' };
    const machine = { osRelease: readOsRelease(), isRoot };
    const line =
      process.platform === 'linux' ? toInstallLine({ debian: 'docker.io', other: 'docker' }, machine) : undefined;
    return { name: 'docker', available: false, reason, fix: line ? `Type: ${line}` : 'Install Docker Desktop.' };
  }
  if (/permission denied/i.test(reason)) {
    return { name: 'docker', available: false, reason, fix: 'Type: sudo usermod -aG docker "$USER" and log in again' };
  }
  const start =
    process.platform === 'linux' ? `Type: ${isRoot ? '' : 'sudo '}systemctl start docker` : 'Start Docker Desktop.';
  return { name: 'docker', available: false, reason, fix: start };
}

/** {@link findDocker}, and whether its image is there: nothing is downloaded for a command. */
export async function findDockerImage(image = DEFAULT_IMAGE): Promise<Availability> {
  const docker = await findDocker();
  if (!docker.available) return docker;
  const { ok } = await runDocker(['image', 'inspect', '--format', '{{.Id}}', image]);
  if (ok) return { ...docker, detail: `${docker.detail}, image ${image}` };
  const { reason, fix } = toMissingImage(image);
  return { name: 'docker', available: false, reason: `${docker.detail}, but ${reason}`, fix };
}
