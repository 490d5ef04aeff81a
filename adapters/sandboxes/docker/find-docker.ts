import { isInContainer, readOsRelease, toInstallLine } from '../availability.ts';
import type { Availability } from '../availability.ts';
import { runDocker } from './docker-cli.ts';
import { DEFAULT_IMAGE, toMissingImage } from './image.ts';

/** Checks for the client and the engine by requesting the engine's version. */
export async function findDocker(): Promise<Availability> {
  const result = await runDocker(['version', '--format', '{{.Server.Version}}']);
  const version = result.stdout.trim();
  if (result.ok && version !== '') return { name: 'docker', available: true, detail: `Docker engine ${version}` };
  const reason = result.stderr.trim().split('\n')[0] || 'the Docker engine does not answer';
  const isRoot = process.getuid?.() === 0;
  if (reason === 'the program docker is not installed') {
    // Mounting the engine's socket would give the container access to the complete machine.
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

/** As {@link findDocker}, and checks that the image exists, because commands never download one. */
export async function findDockerImage(image = DEFAULT_IMAGE): Promise<Availability> {
  const docker = await findDocker();
  if (!docker.available) return docker;
  const { ok } = await runDocker(['image', 'inspect', '--format', '{{.Id}}', image]);
  if (ok) return { ...docker, detail: `${docker.detail}, image ${image}` };
  const { reason, fix } = toMissingImage(image);
  return { name: 'docker', available: false, reason: `${docker.detail}, but ${reason}`, fix };
}
